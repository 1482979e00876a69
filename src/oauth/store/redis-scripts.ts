/**
 * The Lua scripts of the Redis store; each runs atomically
 * (https://redis.io/docs/latest/develop/programmability/eval-intro).
 * KEYS[1] is the prefix of all keys, which contains a hash tag. The keys after the prefix:
 *
 * - `record:<kind>:<hash>` a hash: grant, client, created, expires, consumed, sealed
 * - `grant:<id>` a hash: client, created, refreshed, expires, revoked; `records:<id>` the keys of its records
 * - `ages:<kind>` the hashes of records of a limited kind without a grant, by the time when they were created
 * - `grants` all grants, `clients` the hashes of all applications, `live:<client>` the grants of one that are not revoked
 * - `counter:<name>` a hash: count, ends
 *
 * The score of a sorted set's member is the time when it expires. "Never" is "" in a hash and +inf in a sorted set.
 * Redis expires keys after a duration that the caller's clock decides; the clock of Redis is not used.
 */
const SHARED = `
local prefix = KEYS[1]
local function isLive(ends, now) return not ends or ends == '' or tonumber(ends) > now end
local function score(ends) if not ends or ends == '' then return '+inf' end return ends end
local function forget(key, ends, now)
  if not ends or ends == '' or ends == 'inf' then return redis.call('PERSIST', key) end
  redis.call('PEXPIRE', key, string.format('%.0f', math.max(1, tonumber(ends) - now)))
end
local function enlist(key, ends, member, now)
  redis.call('ZADD', key, score(ends), member)
  redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
  local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')
  if last[2] then forget(key, last[2], now) end
end
`;

/**
 * Finds a live record. It also checks the grant's revocation mark: revoking removes the records too, but may miss one
 * if the clocks of replicas differ.
 */
const FIND = `${SHARED}
local function find(key, now, ...)
  local known = redis.call('HMGET', key, 'created', 'expires', 'grant', ...)
  if not known[1] or not isLive(known[2], now) then return nil end
  if known[3] ~= '' and redis.call('HEXISTS', prefix .. 'grant:' .. known[3], 'revoked') == 1 then return nil end
  return known
end
`;

/** kind, hash, now → nil, or created, expires, grant, client, consumed, sealed */
export const GET = `${FIND}
return find(prefix .. 'record:' .. ARGV[1] .. ':' .. ARGV[2], tonumber(ARGV[3]), 'client', 'consumed', 'sealed')`;

/**
 * kind, hash, grant, client, created, expires, consumed, sealed, now, how many records without a grant to keep (or ""),
 * when it gave access (or 0)
 * → 1, or 0 if the grant is revoked
 */
export const PUT = `${SHARED}
local function limit(kind, hash, created, expires, max, now)
  local ages = prefix .. 'ages:' .. kind
  redis.call('ZADD', ages, created, hash)
  if expires ~= '' and redis.call('PTTL', ages) < tonumber(expires) - now then forget(ages, expires, now) end
  for _ = 1, math.min(10, redis.call('ZCARD', ages) - max) do
    local oldest = redis.call('ZPOPMIN', ages)[1]
    local key = prefix .. 'record:' .. kind .. ':' .. oldest
    local known = redis.call('HMGET', key, 'grant', 'client')
    local live = prefix .. 'live:' .. (known[2] or '')
    local isUsed = kind == 'Client' and redis.call('ZCOUNT', live, '(' .. string.format('%.0f', now), '+inf') > 0
    if known[1] == '' and not isUsed then
      redis.call('DEL', key)
      if kind == 'Client' then redis.call('ZREM', prefix .. 'clients', oldest) end
    end
  end
end
local kind, hash, grant, client, created, expires, consumed, sealed = unpack(ARGV, 1, 8)
local now = tonumber(ARGV[9])
if grant ~= '' and redis.call('HEXISTS', prefix .. 'grant:' .. grant, 'revoked') == 1 then return 0 end
local key = prefix .. 'record:' .. kind .. ':' .. hash
local old = redis.call('HMGET', key, 'consumed', 'expires')
if old[1] and old[1] ~= '' and isLive(old[2], now) then consumed = old[1] end
redis.call('HSET', key, 'grant', grant, 'client', client, 'created', created, 'expires', expires,
  'consumed', consumed, 'sealed', sealed)
forget(key, expires, now)
if kind == 'Client' and client ~= '' then enlist(prefix .. 'clients', expires, hash, now) end
if grant == '' then
  if ARGV[10] ~= '' then limit(kind, hash, created, expires, tonumber(ARGV[10]), now) end
  return 1
end
local home, refreshed = prefix .. 'grant:' .. grant, ARGV[11]
local known = redis.call('HMGET', home, 'client', 'created', 'refreshed', 'expires')
if known[2] then
  if client == '' then client = known[1] end
  if tonumber(known[3]) > tonumber(refreshed) then refreshed = known[3] end
  if tonumber(known[2]) < tonumber(created) then created = known[2] end
  if known[4] == '' then expires = '' end
  if expires ~= '' and tonumber(known[4]) > tonumber(expires) then expires = known[4] end
end
redis.call('HSET', home, 'client', client, 'created', created, 'refreshed', refreshed, 'expires', expires)
forget(home, expires, now)
enlist(prefix .. 'records:' .. grant, ARGV[6], key, now)
enlist(prefix .. 'grants', expires, grant, now)
if client ~= '' then enlist(prefix .. 'live:' .. client, expires, grant, now) end
return 1`;

/** kind, hash, at, now → nil, or { 1 if this call was the first, else 0; the time of the first } */
export const CONSUME = `${FIND}
local key = prefix .. 'record:' .. ARGV[1] .. ':' .. ARGV[2]
local known = find(key, tonumber(ARGV[4]), 'consumed')
if not known then return false end
if known[4] ~= '' then return { 0, known[4] } end
redis.call('HSET', key, 'consumed', ARGV[3])
return { 1, ARGV[3] }`;

/** kind, hash → 1 if it was removed, else 0 */
export const REMOVE = `
redis.call('ZREM', KEYS[1] .. 'ages:' .. ARGV[1], ARGV[2])
if ARGV[1] == 'Client' then redis.call('ZREM', KEYS[1] .. 'clients', ARGV[2]) end
return redis.call('DEL', KEYS[1] .. 'record:' .. ARGV[1] .. ':' .. ARGV[2])`;

/** grant, at, the earliest end of its mark, now → 1 the first time, else 0 */
export const REVOKE = `${SHARED}
local grant, at, ends, now = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local home = prefix .. 'grant:' .. grant
local known = redis.call('HMGET', home, 'client', 'expires', 'revoked')
if known[3] then return 0 end
redis.call('HSETNX', home, 'created', at)
redis.call('HSETNX', home, 'refreshed', 0)
redis.call('HSET', home, 'revoked', at)
if known[2] and known[2] ~= '' and tonumber(known[2]) > tonumber(ends) then ends = known[2] end
forget(home, ends, now)
enlist(prefix .. 'grants', ends, grant, now)
if known[1] and known[1] ~= '' then redis.call('ZREM', prefix .. 'live:' .. known[1], grant) end
local records = prefix .. 'records:' .. grant
for _, key in ipairs(redis.call('ZRANGE', records, 0, -1)) do
  -- Another grant may have replaced the record.
  if redis.call('HGET', key, 'grant') == grant then redis.call('DEL', key) end
end
redis.call('DEL', records)
return 1`;

/** now, grants → for each: id, client, created, refreshed, expires, revoked */
export const GRANTS = `
local rows = {}
for index = 2, #ARGV do
  local known = redis.call('HMGET', KEYS[1] .. 'grant:' .. ARGV[index], 'client', 'created', 'refreshed',
    'expires', 'revoked')
  if known[2] then table.insert(rows, { ARGV[index], unpack(known) }) end
end
return rows`;

/** now, hashes of applications → for each: client, created, expires, number of live grants */
export const APPLICATIONS = `
local rows = {}
for index = 2, #ARGV do
  local known = redis.call('HMGET', KEYS[1] .. 'record:Client:' .. ARGV[index], 'client', 'created', 'expires')
  if known[1] then
    known[4] = redis.call('ZCOUNT', KEYS[1] .. 'live:' .. known[1], '(' .. ARGV[1], '+inf')
    table.insert(rows, known)
  end
end
return rows`;

/** hash of an application, before, now → 1 if it was removed, else 0 */
export const PRUNE = `${SHARED}
local key = prefix .. 'record:Client:' .. ARGV[1]
local known = redis.call('HMGET', key, 'client', 'created')
if not known[1] or tonumber(known[2]) >= tonumber(ARGV[2]) then return 0 end
if redis.call('ZCOUNT', prefix .. 'live:' .. known[1], '(' .. ARGV[3], '+inf') > 0 then return 0 end
redis.call('DEL', key)
redis.call('ZREM', prefix .. 'clients', ARGV[1])
redis.call('ZREM', prefix .. 'ages:Client', ARGV[1])
return 1`;

/** name, max, window, now → 0 if it was counted, else the milliseconds until the window ends; then it only reads */
export const HIT = `${SHARED}
local key, max, window = prefix .. 'counter:' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(ARGV[4])
local known = redis.call('HMGET', key, 'count', 'ends')
local count, ends, wait = 0, now + window, 0
if known[1] and tonumber(known[2]) > now then
  count = tonumber(known[1])
  if count >= max and tonumber(known[2]) <= ends then return tonumber(known[2]) - now end
  ends = math.min(ends, tonumber(known[2]))
end
if count < max then count = count + 1 else wait = ends - now end
redis.call('HSET', key, 'count', count, 'ends', string.format('%.0f', ends))
forget(key, ends, now)
return wait`;

/** name, now */
export const UNHIT = `
local key = KEYS[1] .. 'counter:' .. ARGV[1]
local known = redis.call('HMGET', key, 'count', 'ends')
if known[1] and tonumber(known[2]) > tonumber(ARGV[2]) and tonumber(known[1]) > 0 then
  redis.call('HINCRBY', key, 'count', -1)
end`;
