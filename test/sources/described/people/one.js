// @ts-nocheck: written by somebody who had only the specification, and kept as it was.
// Web analytics: read-only REST API. Single file, no dependencies, Node 20+.
import http from 'node:http';
import { createHash, randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';

export const KEYS = {
  northwind: 'wa_live_5nQ2vT8kXrB1yLc7ZpDm4HsJ',
  harbor: 'wa_live_9fKe3WuG6tRa0xVb8MqNj2Ci',
};

const BASE = '/api/v1';
const DAY_MS = 86_400_000;
const HISTORY_DAYS = 60, BREAKDOWN_DAYS = 30, REALTIME_MINUTES = 5;
const DAYS = { default: 30, min: 1, max: 365 };
const LIMIT = { default: 10, min: 1, max: 100 };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const RATE_LIMIT = { requests: 600, windowMs: 60_000 };

// ---------------------------------------------------------------- fixtures
const SITES = [
  {
    id: '6f1c2a54-0b7e-4f0e-9d53-2a1e8c7b4d10', org: 'northwind', name: 'Northwind', domain: 'northwind.example', base: 900,
    pages: { '/': 30, '/pricing': 16, '/features': 12, '/blog/state-of-web-analytics': 9, '/about': 6, '/blog': 6, '/customers': 5, '/signup': 8, '/contact': 3, '/careers': 2, '/blog/cookieless-tracking': 4, '/legal/privacy': 1 },
    events: { signup: 4, demo_requested: 2, newsletter_subscribed: 3, outbound_click: 6 },
    campaigns: [['autumn-launch', 'newsletter', 5], ['brand-search', 'google', 6], ['retargeting-q4', 'linkedin', 3], ['black-friday', 'facebook', 2]],
  },
  {
    id: 'c93d7e08-51af-4b6c-8e24-7f60b1d2a935', org: 'northwind', name: 'Northwind Docs', domain: 'docs.northwind.example', base: 340,
    pages: { '/': 12, '/getting-started': 18, '/api/authentication': 10, '/api/reference': 14, '/guides/events': 7, '/guides/goals': 4, '/sdk/javascript': 9, '/changelog': 5, '/faq': 3 },
    events: { code_copied: 8, search: 6, feedback_sent: 1 },
    campaigns: [['docs-onboarding', 'product', 5], ['release-notes', 'newsletter', 2]],
  },
  {
    id: '1e84b6d2-c3f9-4a07-b5d8-90c2e7f3618a', org: 'northwind', name: 'Northwind Shop', domain: 'shop.northwind.example', base: 160,
    pages: { '/': 15, '/collections/apparel': 9, '/collections/mugs': 8, '/products/logo-hoodie': 10, '/products/enamel-mug': 7, '/products/sticker-pack': 6, '/cart': 6, '/checkout': 3, '/shipping': 2 },
    events: { add_to_cart: 8, checkout_started: 3, purchase: 2 },
    campaigns: [['black-friday', 'facebook', 6], ['holiday-preview', 'newsletter', 5], ['abandoned-cart', 'email', 2], ['creator-collab', 'instagram', 3]],
  },
  {
    id: 'a27f5c91-8d30-4e1b-94c6-3b8d0f6e52c7', org: 'harbor', name: 'Harbor Coffee', domain: 'harborcoffee.example', base: 260,
    pages: { '/': 20, '/menu': 18, '/locations': 12, '/order': 9, '/story': 4, '/gift-cards': 3 },
    events: { order_placed: 4, directions_opened: 6 },
    campaigns: [['winter-blend', 'instagram', 4], ['loyalty', 'email', 2]],
  },
];
const COUNTRIES = { US: 'United States', DE: 'Germany', GB: 'United Kingdom', FR: 'France', NL: 'Netherlands', CA: 'Canada', IN: 'India', ES: 'Spain', BR: 'Brazil', PL: 'Poland', SE: 'Sweden', JP: 'Japan', AU: 'Australia' };
const COUNTRY_WEIGHTS = { US: 34, DE: 15, GB: 11, FR: 8, NL: 6, CA: 6, IN: 6, ES: 4, BR: 3, PL: 3, SE: 2, JP: 2, AU: 2 };
const REFERRERS = { direct: 34, 'google.com': 32, 'bing.com': 5, 'duckduckgo.com': 5, 'linkedin.com': 6, 'github.com': 5, 'news.ycombinator.com': 4, 't.co': 4, 'chatgpt.com': 4, 'reddit.com': 3 };
const PROFILES = [ // device, operating system, browsers, weight
  ['desktop', 'Windows', { Chrome: 62, Edge: 24, Firefox: 14 }, 30], ['desktop', 'macOS', { Safari: 38, Chrome: 50, Firefox: 12 }, 22],
  ['desktop', 'Linux', { Firefox: 45, Chrome: 55 }, 6], ['mobile', 'iOS', { Safari: 84, Chrome: 16 }, 22],
  ['mobile', 'Android', { Chrome: 78, 'Samsung Internet': 16, Firefox: 6 }, 17], ['tablet', 'iPadOS', { Safari: 100 }, 3],
];
const HOURS = [2, 1, 1, 1, 2, 3, 5, 8, 11, 13, 13, 12, 12, 13, 14, 14, 13, 12, 11, 10, 9, 7, 5, 3];

// ---------------------------------------------------------------- made-up visits
function rng(seed) {
  let a = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => { // mulberry32
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
function pick(random, entries) { // entries: [[value, weight], ...]
  let left = random() * entries.reduce((sum, e) => sum + e[1], 0);
  for (const [value, weight] of entries) if ((left -= weight) < 0) return value;
  return entries.at(-1)[0];
}
const TAGGED = { google: 'google.com', linkedin: 'linkedin.com', facebook: 'facebook.com', instagram: 'instagram.com' }; // utm source -> referrer
const dayOf = (ms) => Math.floor(ms / DAY_MS);
const isoDate = (day) => new Date(day * DAY_MS).toISOString().slice(0, 10);

function createStore(firstDay) {
  const days = new Map(); // "siteId|day" -> hits of the visits that began on that day
  const visitors = new Map(); // "siteId|visitorId" -> visitor
  const sites = SITES.map((site, i) => ({ ...site, createdAt: firstDay * DAY_MS + (7 + i) * 3_600_000 + (12 + 9 * i) * 60_000 }));

  function visitor(site, id) {
    const key = `${site.id}|${id}`;
    if (!visitors.has(key)) {
      const random = rng(key);
      const [device, os, browsers] = pick(random, PROFILES.map((p) => [p, p[3]]));
      visitors.set(key, { id, country: pick(random, Object.entries(COUNTRY_WEIGHTS)), device, os, browser: pick(random, Object.entries(browsers)) });
    }
    return visitors.get(key);
  }

  function generate(site, day) {
    const random = rng(`${site.id}|${day}`);
    const weekday = new Date(day * DAY_MS).getUTCDay();
    const factor = (weekday === 0 || weekday === 6 ? 0.62 : 1) * (1 + 0.14 * Math.sin(day / 9)) * (0.9 + 0.2 * random());
    const hits = [];
    for (let i = 0, n = Math.round(site.base * factor); i < n; i++) {
      const who = visitor(site, random() < 0.38 ? `r${Math.floor(site.base * 5 * random() ** 2)}` : `n${day}-${i}`);
      const campaign = random() < 0.13 ? pick(random, site.campaigns.map((c) => [c, c[2]])) : null;
      const visit = { visitor: who, campaign: campaign?.[0], source: campaign?.[1], entryPage: null };
      visit.referrer = campaign ? TAGGED[campaign[1]] ?? 'direct' : pick(random, Object.entries(REFERRERS));
      let time = day * DAY_MS + pick(random, HOURS.map((w, h) => [h, w])) * 3_600_000 + Math.floor(random() * 3_600_000);
      for (let views = 0; views === 0 || (views < 12 && random() < 0.56); views++) {
        const page = pick(random, Object.entries(site.pages));
        visit.entryPage ??= page;
        hits.push({ time, type: 'pageView', page, visit });
        if (random() < 0.11) hits.push({ time: time + 2000 + Math.floor(random() * 6000), type: 'event', page, event: pick(random, Object.entries(site.events)), visit });
        time += 9000 + Math.floor(random() * 150_000);
      }
    }
    return hits.filter((hit) => hit.time >= site.createdAt);
  }

  return {
    sites,
    /** Page views and events with from <= time <= to; everything the API reports is counted from these. */
    hits(site, from, to) {
      const found = [];
      for (let day = Math.max(firstDay, dayOf(from) - 1); day <= dayOf(to); day++) {
        const key = `${site.id}|${day}`;
        if (!days.has(key)) days.set(key, generate(site, day));
        for (const hit of days.get(key)) if (hit.time >= from && hit.time <= to) found.push(hit);
      }
      return found;
    },
  };
}

// dimension -> value of a hit (undefined: the hit does not count for the dimension)
const DIMENSIONS = {
  pages: (hit) => hit.page,
  entryPages: (hit) => hit.visit.entryPage,
  referrers: (hit) => hit.visit.referrer,
  utmSources: (hit) => hit.visit.source,
  utmCampaigns: (hit) => hit.visit.campaign,
  countries: (hit) => hit.visit.visitor.country,
  browsers: (hit) => hit.visit.visitor.browser,
  operatingSystems: (hit) => hit.visit.visitor.os,
  devices: (hit) => hit.visit.visitor.device,
  events: (hit) => hit.event,
};
const labelOf = (dimension, value) =>
  dimension === 'countries' ? COUNTRIES[value] ?? value : dimension === 'referrers' && value === 'direct' ? 'Direct / None' : value;

function count(hits) {
  const visitors = new Set();
  let pageViews = 0;
  for (const hit of hits) visitors.add(hit.visit.visitor.id), (pageViews += hit.type === 'pageView');
  return { visitors: visitors.size, pageViews, events: hits.length - pageViews };
}

// ---------------------------------------------------------------- request handling
class ApiError extends Error {
  constructor(status, code, message, { details, headers } = {}) {
    super(message);
    Object.assign(this, { status, code, details, headers });
  }
}

/** Reads and checks the query; collects every problem so that the caller gets all of them at once. */
function parseQuery(query, rules) {
  const values = {};
  const details = [];
  const bad = (parameter, message) => details.push({ parameter, message });
  for (const [name, rule] of Object.entries(rules)) {
    const given = query.getAll(name);
    const raw = given[0];
    if (given.length > 1) bad(name, 'Must be given only once.');
    else if (raw === undefined && rule.default !== undefined) values[name] = rule.default;
    else if (raw === undefined || raw === '') bad(name, rule.default === undefined ? 'Is required.' : 'Must not be empty.');
    else if (rule.type === 'uuid') {
      if (UUID.test(raw)) values[name] = raw.toLowerCase();
      else bad(name, 'Must be a site id (UUID) as returned by GET /sites.');
    } else if (rule.type === 'enum') {
      if (rule.values.includes(raw)) values[name] = raw;
      else bad(name, `Must be one of: ${rule.values.join(', ')}.`);
    } else {
      const number = /^\d{1,9}$/.test(raw) ? Number(raw) : NaN;
      if (number >= rule.min && number <= rule.max) values[name] = number;
      else bad(name, `Must be an integer between ${rule.min} and ${rule.max}.`);
    }
  }
  if (details.length) throw new ApiError(400, 'VALIDATION_ERROR', 'One or more query parameters are invalid.', { details });
  return values;
}

const RULES = {
  site: { type: 'uuid' },
  days: { type: 'integer', ...DAYS },
  dimension: { type: 'enum', values: Object.keys(DIMENSIONS) },
  limit: { type: 'integer', ...LIMIT },
};

function createRoutes(store) {
  const readSite = (org, query, ...names) => {
    const values = parseQuery(query, Object.fromEntries(['site', ...names].map((name) => [name, RULES[name]])));
    const site = store.sites.find((s) => s.id === values.site && s.org === org);
    if (!site) throw new ApiError(404, 'SITE_NOT_FOUND', `No site with id '${values.site}' exists in your organization.`);
    return { ...values, site };
  };
  const periodOf = (now, days) => {
    const first = dayOf(now) - days + 1;
    return { start: first * DAY_MS, first, period: { from: isoDate(first), to: isoDate(dayOf(now)), days, timezone: 'UTC' } };
  };
  return {
    '/sites': ({ org }) => {
      const own = store.sites.filter((s) => s.org === org);
      const data = own.map(({ id, name, domain, createdAt }) => ({ id, name, domain, timezone: 'UTC', createdAt: new Date(createdAt).toISOString() }));
      return { data, meta: { total: data.length } };
    },
    '/stats': ({ org, query, now }) => {
      const { site, days } = readSite(org, query, 'days');
      const { start, period } = periodOf(now, days);
      return { data: count(store.hits(site, start, now)), meta: { siteId: site.id, period } };
    },
    '/timeseries': ({ org, query, now }) => {
      const { site, days } = readSite(org, query, 'days');
      const { start, first, period } = periodOf(now, days);
      const buckets = Array.from({ length: days }, () => []);
      for (const hit of store.hits(site, start, now)) buckets[dayOf(hit.time) - first].push(hit);
      const data = buckets.map(count).map(({ visitors, pageViews }, i) => ({ date: isoDate(first + i), visitors, pageViews }));
      return { data, meta: { siteId: site.id, interval: 'day', period } };
    },
    '/breakdown': ({ org, query, now }) => {
      const { site, dimension, limit } = readSite(org, query, 'dimension', 'limit');
      const { start, period } = periodOf(now, BREAKDOWN_DAYS);
      const hits = store.hits(site, start, now);
      const all = count(hits).visitors;
      const groups = new Map();
      for (const hit of hits) {
        const value = DIMENSIONS[dimension](hit);
        if (value !== undefined) groups.set(value, groups.get(value) ?? []).get(value).push(hit);
      }
      const rows = [...groups].map(([value, group]) => {
        const { visitors, pageViews, events } = count(group);
        const percentage = Math.round((visitors / all) * 1000) / 10;
        return { value, label: labelOf(dimension, value), visitors, pageViews: dimension === 'events' ? null : pageViews, events, percentage };
      });
      rows.sort((a, b) => b.visitors - a.visitors || (b.pageViews ?? b.events) - (a.pageViews ?? a.events) || (a.value < b.value ? -1 : 1));
      return { data: rows.slice(0, limit), meta: { siteId: site.id, dimension, limit, total: rows.length, period } };
    },
    '/realtime': ({ org, query, now }) => {
      const { site } = readSite(org, query);
      const { visitors } = count(store.hits(site, now - REALTIME_MINUTES * 60_000, now));
      return { data: { activeVisitors: visitors, windowMinutes: REALTIME_MINUTES, measuredAt: new Date(now).toISOString() }, meta: { siteId: site.id } };
    },
    '/openapi.json': () => OPENAPI,
  };
}

const LLMS_TXT = `# Web Analytics\n\n> Read-only analytics (visitors, page views, events) for the websites of your organization.\n
- REST API: ${BASE}, header "Authorization: Bearer <API_KEY>", description at ${BASE}/openapi.json
- Operations: /sites, /stats, /timeseries, /breakdown, /realtime
- Local MCP server: npx analytics-mcp (key in ANALYTICS_API_KEY)\n`;

/** @param {{ now?: Date | number | string | (() => Date | number | string) }} [options] */
export function createService({ now = () => Date.now() } = {}) {
  const clock = () => +new Date(typeof now === 'function' ? now() : now);
  const store = createStore(dayOf(clock()) - HISTORY_DAYS + 1);
  const routes = createRoutes(store);
  const sha = (text) => createHash('sha256').update(text).digest('hex');
  const orgs = new Map(Object.entries(KEYS).map(([org, key]) => [sha(key), org]));
  const windows = new Map(); // org -> { started, used }

  function authenticate(req) {
    const headers = { 'WWW-Authenticate': 'Bearer realm="analytics"' };
    const token = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
    if (!token) throw new ApiError(401, 'UNAUTHORIZED', "Missing API key. Send it as 'Authorization: Bearer <API_KEY>'.", { headers });
    const org = orgs.get(sha(token));
    if (!org) throw new ApiError(401, 'UNAUTHORIZED', 'The API key is invalid.', { headers });
    return org;
  }

  function throttle(org, res) {
    const time = Date.now();
    let w = windows.get(org);
    if (!w || time - w.started >= RATE_LIMIT.windowMs) windows.set(org, (w = { started: time, used: 0 }));
    w.used++;
    const reset = Math.ceil((w.started + RATE_LIMIT.windowMs - time) / 1000);
    res.setHeader('X-RateLimit-Limit', RATE_LIMIT.requests).setHeader('X-RateLimit-Remaining', Math.max(0, RATE_LIMIT.requests - w.used));
    if (w.used > RATE_LIMIT.requests) throw new ApiError(429, 'RATE_LIMITED', `Too many requests. Retry in ${reset} seconds.`, { headers: { 'Retry-After': String(reset) } });
  }

  return http.createServer((req, res) => {
    const requestId = randomUUID();
    res.setHeader('X-Request-Id', requestId);
    const send = (status, body, headers = {}, type = 'application/json; charset=utf-8') => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store', ...headers });
      res.end(req.method === 'HEAD' ? undefined : text);
    };
    try {
      const cut = req.url.indexOf('?');
      const path = (cut < 0 ? req.url : req.url.slice(0, cut)).replace(/(.)\/$/, '$1');
      if (path === '/llms.txt') return send(200, LLMS_TXT, {}, 'text/plain; charset=utf-8');
      const missing = () => new ApiError(404, 'NOT_FOUND', `There is no resource at '${path}'.`);
      if (path !== BASE && !path.startsWith(`${BASE}/`)) throw missing();
      const org = authenticate(req);
      throttle(org, res);
      const name = path.slice(BASE.length);
      if (!Object.hasOwn(routes, name)) throw missing();
      if (req.method !== 'GET' && req.method !== 'HEAD') throw new ApiError(405, 'METHOD_NOT_ALLOWED', 'The API is read-only; use GET.', { headers: { Allow: 'GET, HEAD' } });
      send(200, routes[name]({ org, query: new URLSearchParams(cut < 0 ? '' : req.url.slice(cut)), now: clock() }));
    } catch (err) {
      if (!(err instanceof ApiError)) console.error(requestId, err);
      const e = err instanceof ApiError ? err : new ApiError(500, 'INTERNAL_ERROR', 'Something went wrong on our side.');
      send(e.status, { error: { code: e.code, message: e.message, ...(e.details && { details: e.details }), requestId } }, e.headers);
    }
  });
}

// ---------------------------------------------------------------- OpenAPI 3.1
const ref = (kind, name) => ({ $ref: `#/components/${kind}/${name}` });
const schema = (name) => ref('schemas', name);
const object = (properties, extra = {}) => ({ type: 'object', required: Object.keys(properties), properties, ...extra });
const counter = (description) => ({ type: 'integer', minimum: 0, description });
const envelope = (data, meta) => object({ data, meta: schema(meta) });
const list = (name) => ({ type: 'array', items: schema(name) });
const json = (description, s, examples) => ({ description, headers: { 'X-Request-Id': ref('headers', 'RequestId') }, content: { 'application/json': { schema: s, ...(examples && { examples }) } } });
const failure = (description, code, message, details) => json(description, schema('ErrorResponse'), { default: { value: { error: { code, message, ...(details && { details }), requestId: '0d4c1c0e-6a43-4f0a-9a0c-6c1f4b7f5b0e' } } } });
const operation = (operationId, tag, summary, description, parameters, response) => ({
  get: {
    operationId, tags: [tag], summary, description, ...(parameters.length && { parameters: parameters.map((p) => ref('parameters', p)) }),
    responses: {
      200: json('Success', response), ...(parameters.length && { 400: ref('responses', 'ValidationError') }), 401: ref('responses', 'Unauthorized'),
      ...(parameters.includes('Site') && { 404: ref('responses', 'SiteNotFound') }), 429: ref('responses', 'RateLimited'), 500: ref('responses', 'InternalError'),
    },
  },
});
const query = (name, required, description, s, example) => ({ name, in: 'query', required, description, schema: s, example });
const uuid = { type: 'string', format: 'uuid' };
const bounds = ({ min, max, default: d }) => ({ type: 'integer', minimum: min, maximum: max, default: d });

const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Web Analytics API', version: '1.0.0',
    description: 'Read-only access to the analytics of the websites of your organization. Create an API key in the dashboard, section "API keys", and send it with every request as `Authorization: Bearer <API_KEY>`.\n\nSuccessful answers carry `data` and `meta`, failed ones carry `error`. Days are calendar days in UTC and the current day is always included, counted up to now.',
  },
  servers: [{ url: BASE, description: 'Relative to the host that serves this document' }],
  security: [{ apiKey: [] }],
  tags: [{ name: 'Sites', description: 'Websites of the organization' }, { name: 'Analytics', description: 'Historical figures' }, { name: 'Realtime', description: 'What is happening now' }, { name: 'Meta', description: 'About the API' }],
  paths: {
    '/sites': operation('listSites', 'Sites', 'List sites', 'Returns all sites of the organization that owns the API key.', [], schema('SiteListResponse')),
    '/stats': operation('getStats', 'Analytics', 'Get summary', 'Totals of visitors, page views and events for the last `days` days. Visitors are unique over the whole period, so the figure is usually lower than the sum of the daily visitors of `/timeseries`.', ['Site', 'Days'], schema('StatsResponse')),
    '/timeseries': operation('getTimeseries', 'Analytics', 'Get daily series', 'One point per day, oldest first, without gaps: days without traffic, also those before the site was created, are reported as zero.', ['Site', 'Days'], schema('TimeseriesResponse')),
    '/breakdown': operation('getBreakdown', 'Analytics', 'Get breakdown', `Top entries of one dimension over the last ${BREAKDOWN_DAYS} days, most visitors first. A visitor may be counted in several entries.`, ['Site', 'Dimension', 'Limit'], schema('BreakdownResponse')),
    '/realtime': operation('getRealtime', 'Realtime', 'Get active visitors', `Number of visitors with a page view or an event in the last ${REALTIME_MINUTES} minutes.`, ['Site'], schema('RealtimeResponse')),
    '/openapi.json': operation('getOpenApi', 'Meta', 'Get this document', 'The OpenAPI 3.1 description of the API (not wrapped in an envelope).', [], { type: 'object' }),
  },
  components: {
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'API key of the organization, created in the dashboard' } },
    headers: { RequestId: { description: 'Identifies the request; quote it to support', schema: uuid }, RetryAfter: { description: 'Seconds to wait before the next request', schema: { type: 'integer' } } },
    parameters: {
      Site: query('site', true, 'Id of the site, from `GET /sites`', uuid, SITES[0].id),
      Days: query('days', false, 'Number of days to cover, including today', bounds(DAYS), 7),
      Dimension: query('dimension', true, 'What to group by', schema('Dimension'), 'pages'),
      Limit: query('limit', false, 'Maximum number of entries to return', bounds(LIMIT), 10),
    },
    responses: {
      ValidationError: failure('A query parameter is missing or invalid', 'VALIDATION_ERROR', 'One or more query parameters are invalid.', [{ parameter: 'days', message: `Must be an integer between ${DAYS.min} and ${DAYS.max}.` }]),
      Unauthorized: failure('The API key is missing or invalid', 'UNAUTHORIZED', 'The API key is invalid.'),
      SiteNotFound: failure('The site does not exist in your organization', 'SITE_NOT_FOUND', `No site with id '${SITES[0].id}' exists in your organization.`),
      RateLimited: (({ headers, ...r }) => ({ ...r, headers: { ...headers, 'Retry-After': ref('headers', 'RetryAfter') } }))(failure(`More than ${RATE_LIMIT.requests} requests per minute`, 'RATE_LIMITED', 'Too many requests. Retry in 12 seconds.')),
      InternalError: failure('Unexpected error', 'INTERNAL_ERROR', 'Something went wrong on our side.'),
    },
    schemas: {
      Site: object({ id: uuid, name: { type: 'string', examples: ['Northwind'] }, domain: { type: 'string', examples: ['northwind.example'] }, timezone: { type: 'string', description: 'Time zone of the reports', examples: ['UTC'] }, createdAt: { type: 'string', format: 'date-time' } }),
      Stats: object({ visitors: counter('Unique visitors in the period'), pageViews: counter('Page views in the period'), events: counter('Custom events in the period; page views are not included') }),
      TimeseriesPoint: object({ date: { type: 'string', format: 'date', examples: ['2026-11-20'] }, visitors: counter('Unique visitors of the day'), pageViews: counter('Page views of the day') }),
      Dimension: { type: 'string', enum: Object.keys(DIMENSIONS), description: 'Grouping of a breakdown' },
      BreakdownEntry: object({
        value: { type: 'string', description: 'Value of the dimension: path, referring domain (`direct` if there is none), ISO 3166-1 alpha-2 country code, browser name and so on', examples: ['DE'] },
        label: { type: 'string', description: 'The value for display', examples: ['Germany'] }, visitors: counter('Unique visitors'),
        pageViews: { type: ['integer', 'null'], minimum: 0, description: 'Page views; null for the dimension `events`' }, events: counter('Custom events'),
        percentage: { type: 'number', minimum: 0, maximum: 100, description: 'Share of all visitors of the period, in percent, one decimal' },
      }),
      Realtime: object({ activeVisitors: counter('Visitors active within the window'), windowMinutes: { type: 'integer', const: REALTIME_MINUTES }, measuredAt: { type: 'string', format: 'date-time' } }),
      Period: object({ from: { type: 'string', format: 'date', description: 'First day, inclusive' }, to: { type: 'string', format: 'date', description: 'Last day (today), inclusive' }, days: { type: 'integer' }, timezone: { type: 'string', const: 'UTC' } }),
      ListMeta: object({ total: counter('Number of entries') }),
      RealtimeMeta: object({ siteId: uuid }),
      StatsMeta: object({ siteId: uuid, period: schema('Period') }),
      TimeseriesMeta: object({ siteId: uuid, interval: { type: 'string', const: 'day' }, period: schema('Period') }),
      BreakdownMeta: object({ siteId: uuid, dimension: schema('Dimension'), limit: { type: 'integer' }, total: counter('Number of distinct entries before the limit was applied'), period: schema('Period') }),
      SiteListResponse: envelope(list('Site'), 'ListMeta'),
      StatsResponse: envelope(schema('Stats'), 'StatsMeta'),
      TimeseriesResponse: envelope(list('TimeseriesPoint'), 'TimeseriesMeta'),
      BreakdownResponse: envelope(list('BreakdownEntry'), 'BreakdownMeta'),
      RealtimeResponse: envelope(schema('Realtime'), 'RealtimeMeta'),
      ErrorDetail: object({ parameter: { type: 'string' }, message: { type: 'string' } }),
      Error: { ...object({ code: { type: 'string', enum: ['VALIDATION_ERROR', 'UNAUTHORIZED', 'SITE_NOT_FOUND', 'NOT_FOUND', 'METHOD_NOT_ALLOWED', 'RATE_LIMITED', 'INTERNAL_ERROR'] }, message: { type: 'string' }, details: list('ErrorDetail'), requestId: uuid }), required: ['code', 'message', 'requestId'] },
      ErrorResponse: object({ error: schema('Error') }),
    },
  },
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = createService();
  server.listen(Number(process.env.PORT ?? 0), () => console.log(`http://localhost:${server.address().port}${BASE}`));
}
