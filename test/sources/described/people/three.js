// @ts-nocheck: written by somebody who had only the specification, and kept as it was.
// Web analytics, read-only REST API (/api/v1). No dependencies, Node 20.
//   import { createService, KEYS } from './service.mjs'   or   PORT=8080 node service.mjs
// Everything is counted from one table of made-up visits: a visit on a given date is always the
// same visit, only "how much of today has happened yet" depends on the clock. Days are UTC days.
import http from 'node:http';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';

const DAY = 86_400_000;
const MINUTE = 60_000;
const RETENTION_DAYS = 60;      // we keep raw visits this long, so it is also the largest `days`
const DEFAULT_DAYS = 30;
const BREAKDOWN_DAYS = 30;      // /breakdown takes no `days`: always the last 30 days
const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
const REALTIME_MINUTES = 5;

// ---------------------------------------------------------------- organizations, keys, sites

export const KEYS = {
  kestrel: 'ak_live_kestrel_7Qm2xV9tRb4LzN8s',
  orchard: 'ak_live_orchard_3Hd6wYp1KcU5fJ0e',
};

const ORGS = {
  kestrel: { id: 12, name: 'Kestrel Bikes' },
  orchard: { id: 19, name: 'Orchard Tea' },
};
const ORG_BY_KEY = new Map(Object.entries(KEYS).map(([org, key]) => [key, org]));

const SITES = [
  {
    id: 1041, org: 'kestrel', name: 'Kestrel Bikes Shop', domain: 'kestrelbikes.com', createdAt: '2024-03-11T09:24:51Z',
    perDay: 640, regulars: 1500, loyalty: 0.4,
    pages: { '/': 30, '/bikes': 18, '/bikes/gravel-one': 14, '/sale': 11, '/bikes/city-e': 9, '/cart': 7, '/checkout': 4, '/parts': 4, '/about': 2, '/stores': 1 },
    events: { add_to_cart: 10, newsletter_signup: 3, purchase: 4, store_locator: 2 },
    referrers: { '(direct)': 34, 'google.com': 36, 'instagram.com': 10, 'journal.kestrelbikes.com': 7, 'bing.com': 5, 'bikeradar.com': 4, 'duckduckgo.com': 3, 'reddit.com': 1 },
    campaigns: { black_friday_early: 8, autumn_sale: 6, gravel_launch: 4 },
    countries: { DE: 41, AT: 14, CH: 12, NL: 11, FR: 8, GB: 6, US: 4, IT: 3, DK: 1 },
  },
  {
    id: 1042, org: 'kestrel', name: 'Kestrel Journal', domain: 'journal.kestrelbikes.com', createdAt: '2024-06-02T14:05:10Z',
    perDay: 210, regulars: 500, loyalty: 0.35,
    pages: { '/': 22, '/alps-by-gravel': 24, '/winter-riding': 17, '/tubeless-guide': 16, '/bikepacking-list': 12, '/interviews/mara': 6, '/archive': 3 },
    events: { newsletter_signup: 6, shop_click: 9, share: 2 },
    referrers: { 'google.com': 44, '(direct)': 22, 'reddit.com': 13, 'kestrelbikes.com': 9, 'news.ycombinator.com': 4, 'instagram.com': 5, 'duckduckgo.com': 3 },
    campaigns: { newsletter_october: 5, newsletter_november: 7 },
    countries: { US: 27, DE: 24, GB: 17, CA: 9, NL: 8, FR: 6, AT: 5, AU: 4 },
  },
  {
    id: 1057, org: 'kestrel', name: 'Kestrel Help Center', domain: 'help.kestrelbikes.com', createdAt: '2025-01-20T08:00:33Z',
    perDay: 85, regulars: 160, loyalty: 0.5,
    pages: { '/': 26, '/orders/returns': 21, '/sizing': 18, '/e-bike/battery': 14, '/assembly': 12, '/contact': 9 },
    events: { search: 12, ticket_created: 5, article_helpful: 4 },
    referrers: { 'kestrelbikes.com': 48, '(direct)': 27, 'google.com': 23, 'bing.com': 2 },
    campaigns: {},
    countries: { DE: 52, AT: 15, CH: 13, NL: 10, FR: 6, GB: 4 },
  },
  {
    id: 1060, org: 'orchard', name: 'Orchard Tea', domain: 'orchardtea.co', createdAt: '2025-02-14T17:41:02Z',
    perDay: 150, regulars: 400, loyalty: 0.45,
    pages: { '/': 33, '/teas': 25, '/teas/earl-orchard': 17, '/subscriptions': 13, '/cart': 8, '/story': 4 },
    events: { add_to_cart: 9, purchase: 4, newsletter_signup: 3 },
    referrers: { '(direct)': 37, 'google.com': 33, 'pinterest.com': 17, 'facebook.com': 13 },
    campaigns: { advent_box: 9 },
    countries: { GB: 63, IE: 13, US: 12, FR: 7, DE: 5 },
  },
];

const DEVICES = { mobile: 56, desktop: 38, tablet: 6 };
const OS = {
  mobile: { iOS: 48, Android: 52 },
  desktop: { Windows: 58, macOS: 32, Linux: 10 },
  tablet: { iPadOS: 74, Android: 26 },
};
const BROWSERS = {
  iOS: { Safari: 86, Chrome: 14 }, iPadOS: { Safari: 92, Chrome: 8 },
  Android: { Chrome: 76, 'Samsung Internet': 17, Firefox: 7 },
  Windows: { Chrome: 60, Edge: 27, Firefox: 13 }, macOS: { Safari: 51, Chrome: 40, Firefox: 9 },
  Linux: { Firefox: 57, Chrome: 43 },
};

// ---------------------------------------------------------------- made-up visits

function rng(seedText) {
  let h = 2166136261;
  for (let i = 0; i < seedText.length; i++) h = Math.imul(h ^ seedText.charCodeAt(i), 16777619);
  return () => {
    h = (h + 0x6d2b79f5) | 0;
    let t = Math.imul(h ^ (h >>> 15), 1 | h);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function pick(rand, weights) {
  const entries = Object.entries(weights);
  let x = rand() * entries.reduce((sum, [, w]) => sum + w, 0);
  for (const [name, w] of entries) if ((x -= w) < 0) return name;
  return entries[entries.length - 1][0];
}

// A visitor keeps country, device, os and browser for good.
function makeVisitor(site, id) {
  const rand = rng(`visitor/${site.id}/${id}`);
  const country = pick(rand, site.countries);
  const device = pick(rand, DEVICES);
  const os = pick(rand, OS[device]);
  return { id, country, device, os, browser: pick(rand, BROWSERS[os]) };
}

const HOURS = Object.fromEntries([3, 2, 1, 1, 1, 3, 6, 11, 15, 18, 20, 21, 22, 20, 20, 21, 22, 23, 25, 27, 26, 20, 12, 6].map((w, h) => [`h${h}`, w]));
const WEEKDAY = [0.82, 1.08, 1.05, 1.02, 1, 0.96, 0.78]; // Sunday first

// All visits of one site on one UTC day, in full (also those later than "now").
function makeDay(site, dayStart) {
  const date = new Date(dayStart);
  const rand = rng(`day/${site.id}/${dayStart / DAY}`);
  const season = 1 + 0.12 * Math.sin(dayStart / DAY / 9);
  const spike = rand() < 0.04 ? 2.1 : 1;
  const count = Math.round(site.perDay * WEEKDAY[date.getUTCDay()] * season * spike * (0.92 + rand() * 0.16));
  const visits = [];
  for (let i = 0; i < count; i++) {
    const regular = rand() < site.loyalty;
    const visitor = makeVisitor(site, regular ? `r${Math.floor(rand() * site.regulars)}` : `n${dayStart / DAY}-${i}`);
    let t = dayStart + Number(pick(rand, HOURS).slice(1)) * 60 * MINUTE + Math.floor(rand() * 3600) * 1000;
    const campaign = rand() < 0.18 && Object.keys(site.campaigns).length ? pick(rand, site.campaigns) : null;
    const referrer = pick(rand, site.referrers);
    const hits = [];
    do {
      hits.push({ t, kind: 'page', name: pick(rand, site.pages) });
      if (rand() < 0.16) hits.push({ t: t + 1000 * (2 + Math.floor(rand() * 15)), kind: 'event', name: pick(rand, site.events) });
      t += 1000 * (20 + Math.floor(rand() * 140));
    } while (rand() < 0.58);
    const kept = hits.filter((hit) => hit.t < dayStart + DAY);
    visits.push({ visitor, referrer, campaign, entry: hits[0].name, start: hits[0].t, hits: kept });
  }
  return visits;
}

// ---------------------------------------------------------------- store and queries

function createStore() {
  const days = new Map();
  function day(site, dayStart) {
    const key = `${site.id}/${dayStart}`;
    if (!days.has(key)) days.set(key, makeDay(site, dayStart));
    return days.get(key);
  }

  // Visits begun by `now` in the last n UTC days, today included. One array per day.
  function period(site, n, now) {
    const today = Math.floor(now / DAY) * DAY;
    const first = today - (n - 1) * DAY;
    for (const key of days.keys()) if (Number(key.split('/')[1]) < today - RETENTION_DAYS * DAY) days.delete(key);
    const out = [];
    for (let start = first; start <= today; start += DAY) {
      out.push({ start, visits: day(site, start).filter((v) => v.start <= now) });
    }
    return { from: first, to: now, days: out };
  }

  const totals = (visits, now) => {
    const people = new Set();
    let pageViews = 0;
    let events = 0;
    for (const v of visits) {
      people.add(v.visitor.id);
      for (const hit of v.hits) if (hit.t <= now) hit.kind === 'page' ? pageViews++ : events++;
    }
    return { visitors: people.size, pageViews, events };
  };

  return { period, totals };
}

// metric: what `value` counts in the rows of this dimension.
const DIMENSIONS = {
  pages: { metric: 'pageViews', hits: 'page' },
  entry_pages: { metric: 'visitors', of: (v) => v.entry },
  referrers: { metric: 'visitors', of: (v) => v.referrer },
  campaigns: { metric: 'visitors', of: (v) => v.campaign },
  countries: { metric: 'visitors', of: (v) => v.visitor.country },
  browsers: { metric: 'visitors', of: (v) => v.visitor.browser },
  os: { metric: 'visitors', of: (v) => v.visitor.os },
  devices: { metric: 'visitors', of: (v) => v.visitor.device },
  events: { metric: 'events', hits: 'event' },
};

function rank(dimension, visits, now) {
  const spec = DIMENSIONS[dimension];
  const groups = new Map();
  for (const v of visits) {
    if (spec.hits) {
      for (const hit of v.hits) {
        if (hit.kind === spec.hits && hit.t <= now) groups.set(hit.name, (groups.get(hit.name) ?? 0) + 1);
      }
    } else {
      const name = spec.of(v);
      if (name === null) continue;
      if (!groups.has(name)) groups.set(name, new Set());
      groups.get(name).add(v.visitor.id);
    }
  }
  return [...groups]
    .map(([name, g]) => ({ name, value: spec.hits ? g : g.size }))
    .sort((a, b) => b.value - a.value || (a.name < b.name ? -1 : 1));
}

// ---------------------------------------------------------------- http

class ApiError extends Error {
  constructor(status, code, message, extra = {}) {
    super(message);
    Object.assign(this, { status, code, extra });
  }
}

const rfc3339 = (ms) => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

function intParam(query, name, fallback, min, max) {
  const raw = query.get(name);
  if (raw === null || raw === '') return fallback;
  if (!/^[+-]?\d+$/.test(raw)) {
    throw new ApiError(400, 'invalid_parameter', `${name} must be an integer`, { parameter: name });
  }
  const n = Number(raw);
  if (n < min || n > max) {
    throw new ApiError(400, 'out_of_range', `${name} must be between ${min} and ${max}`, { parameter: name, min, max });
  }
  return n;
}

function siteParam(query, org) {
  const raw = query.get('site');
  if (!raw) throw new ApiError(400, 'missing_parameter', 'site is required', { parameter: 'site' });
  if (!/^\d+$/.test(raw)) throw new ApiError(400, 'invalid_parameter', 'site must be a numeric site id', { parameter: 'site' });
  const site = SITES.find((s) => s.id === Number(raw) && s.org === org);
  if (!site) throw new ApiError(404, 'site_not_found', `site ${raw} not found`, { parameter: 'site' });
  return site;
}

function authenticate(req) {
  const header = req.headers.authorization;
  if (!header) throw new ApiError(401, 'missing_api_key', 'send Authorization: Bearer <API_KEY>');
  const match = /^Bearer +(\S+)\s*$/i.exec(header);
  const org = match && ORG_BY_KEY.get(match[1]);
  if (!org) throw new ApiError(401, 'invalid_api_key', 'the API key is not valid');
  return org;
}

const LLMS_TXT = `# Web analytics

> Read-only REST API for the web analytics of your organization's sites.

Send \`Authorization: Bearer <API_KEY>\` with every request (dashboard, section "API keys").

- GET /api/v1/sites: the sites of your organization
- GET /api/v1/stats?site&days: visitors, page views, events
- GET /api/v1/timeseries?site&days: visitors and page views per day
- GET /api/v1/breakdown?site&dimension&limit: ${Object.keys(DIMENSIONS).join(', ')}
- GET /api/v1/realtime?site: visitors active in the last ${REALTIME_MINUTES} minutes
`;

export function createService({ now = Date.now } = {}) {
  const clock = () => new Date(typeof now === 'function' ? now() : now).getTime();
  const store = createStore();

  const periodMeta = (site, days, p) => ({ siteId: site.id, days, from: rfc3339(p.from), to: rfc3339(p.to), timezone: 'UTC' });

  const routes = {
    '/api/v1/sites': ({ org }) => {
      const data = SITES.filter((s) => s.org === org).map(({ id, name, domain, createdAt }) => ({ id, name, domain, createdAt }));
      return { data, meta: { organization: ORGS[org], count: data.length } };
    },

    '/api/v1/stats': ({ org, query, now }) => {
      const site = siteParam(query, org);
      const days = intParam(query, 'days', DEFAULT_DAYS, 1, RETENTION_DAYS);
      const p = store.period(site, days, now);
      // visitors are unique over the whole period, not the sum of the days
      return { data: store.totals(p.days.flatMap((d) => d.visits), now), meta: periodMeta(site, days, p) };
    },

    // Points are [unix ms, value], what the chart's time axis takes.
    '/api/v1/timeseries': ({ org, query, now }) => {
      const site = siteParam(query, org);
      const days = intParam(query, 'days', DEFAULT_DAYS, 1, RETENTION_DAYS);
      const p = store.period(site, days, now);
      const perDay = p.days.map((d) => ({ t: d.start, ...store.totals(d.visits, now) }));
      const series = ['visitors', 'pageViews'].map((name) => ({ name, data: perDay.map((d) => [d.t, d[name]]) }));
      return { data: { series }, meta: { ...periodMeta(site, days, p), interval: 'day' } };
    },

    '/api/v1/breakdown': ({ org, query, now }) => {
      const site = siteParam(query, org);
      const dimension = query.get('dimension');
      const allowed = Object.keys(DIMENSIONS);
      if (!dimension) throw new ApiError(400, 'missing_parameter', 'dimension is required', { parameter: 'dimension', allowed });
      if (!allowed.includes(dimension)) {
        throw new ApiError(400, 'invalid_parameter', `unknown dimension "${dimension}"`, { parameter: 'dimension', allowed });
      }
      const limit = intParam(query, 'limit', DEFAULT_LIMIT, 1, MAX_LIMIT);
      const p = store.period(site, BREAKDOWN_DAYS, now);
      const visits = p.days.flatMap((d) => d.visits);
      const { metric } = DIMENSIONS[dimension];
      const total = store.totals(visits, now)[metric];
      const rows = rank(dimension, visits, now);
      return {
        data: rows.slice(0, limit).map((r) => ({ ...r, percent: Math.round((r.value / total) * 1000) / 10 })),
        meta: { ...periodMeta(site, BREAKDOWN_DAYS, p), dimension, metric, total, limit, entries: rows.length },
      };
    },

    '/api/v1/realtime': ({ org, query, now }) => {
      const site = siteParam(query, org);
      const since = now - REALTIME_MINUTES * MINUTE;
      const active = new Set();
      for (const { visits } of store.period(site, 2, now).days) { // two days: the window may cross midnight
        for (const v of visits) if (v.hits.some((h) => h.t > since && h.t <= now)) active.add(v.visitor.id);
      }
      return { data: { activeVisitors: active.size }, meta: { siteId: site.id, windowMinutes: REALTIME_MINUTES, at: rfc3339(now) } };
    },
    // TODO: /api/v1/openapi.json
  };

  return http.createServer((req, res) => {
    const requestId = randomUUID();
    const send = (status, body, headers = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8';
      res.writeHead(status, {
        'Content-Type': type, 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'no-store', 'X-Request-Id': requestId, ...headers,
      });
      res.end(req.method === 'HEAD' ? undefined : text);
    };
    try {
      const [path, search = ''] = req.url.split(/\?(.*)/s);
      if (path === '/llms.txt') return send(200, LLMS_TXT);
      const handler = Object.hasOwn(routes, path) ? routes[path] : null;
      if (!handler) throw new ApiError(404, 'not_found', `no such endpoint: ${path}`);
      if (req.method !== 'GET' && req.method !== 'HEAD') throw new ApiError(405, 'method_not_allowed', 'this API is read-only, use GET');
      const org = authenticate(req);
      send(200, handler({ org, query: new URLSearchParams(search), now: clock() }));
    } catch (err) {
      if (!(err instanceof ApiError)) {
        console.error(requestId, err);
        err = new ApiError(500, 'internal', 'something went wrong on our side');
      }
      const headers = { 401: { 'WWW-Authenticate': 'Bearer' }, 405: { Allow: 'GET, HEAD' } }[err.status];
      send(err.status, { code: err.code, message: err.message, ...err.extra, requestId }, headers);
    }
  });
}

if (process.argv[1] && fileURLToPath(import.meta.url) === process.argv[1]) {
  const server = createService();
  server.listen(Number(process.env.PORT ?? 0), () => console.log(`http://localhost:${server.address().port}/api/v1`));
}
