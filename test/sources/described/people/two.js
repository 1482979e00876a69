// @ts-nocheck: written by somebody who had only the specification, and kept as it was.
// Read-only web analytics API, /api/v1. No dependencies, Node 20+.
import http from 'node:http';
import { pathToFileURL } from 'node:url';

// ---------------------------------------------------------------- accounts
export const KEYS = {
  northlight: 'ak_nl_5f0c2b7e91d84a3f',
  harbour: 'ak_hb_c83a19d2047e4b66',
};

const SITES = [
  {
    id: 14, org: 'northlight', domain: 'northlight.shop', name: 'Northlight Shop', perDay: 430, pool: 2600,
    pages: ['/', '/lamps', '/lamps/arc-floor', '/sale', '/cart', '/checkout', '/lamps/tripod', '/about', '/shipping', '/blog/choosing-a-lamp'],
    events: { add_to_cart: 0.07, newsletter_signup: 0.012, purchase: 0.02, outbound_click: 0.015 },
  },
  {
    id: 15, org: 'northlight', domain: 'help.northlight.shop', name: 'Northlight Help', perDay: 95, pool: 700,
    pages: ['/', '/returns', '/delivery-times', '/warranty', '/assembly/arc-floor', '/contact', '/search'],
    events: { article_helpful: 0.09, article_not_helpful: 0.03, ticket_opened: 0.04 },
  },
  {
    id: 31, org: 'northlight', domain: 'studio-ida.net', name: 'Studio Ida', perDay: 1.1, pool: 12,
    pages: ['/', '/work', '/contact'],
    events: { contact_form: 0.08 },
  },
  {
    id: 22, org: 'harbour', domain: 'harbourcafe.co.uk', name: 'Harbour Cafe', perDay: 130, pool: 900,
    pages: ['/', '/menu', '/book', '/find-us', '/gift-cards'],
    events: { booking: 0.06, menu_pdf: 0.05 },
  },
];

// ---------------------------------------------------------------- made-up hits
const DAY = 86400_000;
const HISTORY = 60;
const dayStart = (ts) => Math.floor(ts / DAY) * DAY;
const isoDay = (ts) => new Date(ts).toISOString().slice(0, 10);

function rng(seed) {
  let h = 2166136261;
  for (const c of String(seed)) h = Math.imul(h ^ c.charCodeAt(0), 16777619);
  return () => {
    h = (h + 0x6d2b79f5) | 0;
    let t = Math.imul(h ^ (h >>> 15), 1 | h);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function weighted(r, table) {
  let x = r() * table.reduce((s, [, w]) => s + w, 0);
  for (const [v, w] of table) if ((x -= w) < 0) return v;
  return table[table.length - 1][0];
}

const COUNTRY = [['DE', 31], ['GB', 17], ['US', 14], ['FR', 9], ['NL', 8], ['AT', 6], ['SE', 4], ['PL', 4], ['ES', 3], ['CA', 2], ['JP', 1], [null, 1]];
const LANG = { DE: 'de', AT: 'de', GB: 'en', US: 'en', CA: 'en', FR: 'fr', NL: 'nl', SE: 'sv', PL: 'pl', ES: 'es', JP: 'ja' };
const DEVICE = [['mobile', 56], ['desktop', 39], ['tablet', 5]];
const OS = {
  mobile: [['iOS', 54], ['Android', 46]],
  tablet: [['iPadOS', 70], ['Android', 30]],
  desktop: [['Windows', 58], ['macOS', 34], ['Linux', 8]],
};
const BROWSER = {
  iOS: [['Safari', 86], ['Chrome', 14]],
  iPadOS: [['Safari', 93], ['Chrome', 7]],
  Android: [['Chrome', 76], ['Samsung Internet', 16], ['Firefox', 8]],
  Windows: [['Chrome', 60], ['Edge', 27], ['Firefox', 13]],
  macOS: [['Safari', 47], ['Chrome', 43], ['Firefox', 10]],
  Linux: [['Firefox', 55], ['Chrome', 45]],
};
const REFERRER = [['google.com', 38], [null, 33], ['instagram.com', 9], ['bing.com', 6], ['pinterest.com', 5], ['duckduckgo.com', 4], ['facebook.com', 3], ['t.co', 2]];
const CAMPAIGN = [['autumn_sale', 6], ['newsletter_nov', 4], ['brand_search', 3]];

function visitor(siteId, vid) {
  const r = rng(`v:${siteId}:${vid}`);
  const country = weighted(r, COUNTRY);
  const device = weighted(r, DEVICE);
  const os = weighted(r, OS[device]);
  const browser = weighted(r, BROWSER[os]);
  const lang = r() < 0.12 ? 'en' : LANG[country] ?? 'en';
  return { vid, country, device, os, browser, lang };
}

// Visits of one calendar day; depends on site and date only, so it is stable across restarts.
function dayHits(site, d, out) {
  const r = rng(`d:${site.id}:${isoDay(d)}`);
  const dow = new Date(d).getUTCDay();
  const mean = site.perDay * [0.86, 1.05, 1.08, 1.04, 1.0, 0.95, 0.8][dow] * (0.88 + 0.24 * r());
  let visits = Math.round(mean);
  if (mean < 10) { // Poisson for the small ones: real zero days
    visits = 0;
    for (let p = r(), lim = Math.exp(-mean); p > lim; p *= r()) visits++;
  }
  const pages = site.pages.map((p, i) => [p, 30 / (i + 1.5)]);
  const events = Object.entries(site.events);
  for (let i = 0; i < visits; i++) {
    const vid = r() < 0.38 ? Math.floor(r() * site.pool) : (d / DAY) * 10000 + i;
    const v = visitor(site.id, vid);
    const hour = 24 * ((r() + r() + r()) / 3) + 2; // bell shape around 14:00 UTC
    let ts = d + Math.floor((hour % 24) * 3600_000);
    const referrer = weighted(r, REFERRER);
    const campaign = r() < 0.13 ? weighted(r, CAMPAIGN) : null;
    const entry = weighted(r, pages);
    let page = entry;
    do {
      const base = { ...v, referrer, campaign, entry_page: entry, page };
      out.push({ ...base, ts, event: null });
      for (const [name, p] of events) {
        if (r() < p) out.push({ ...base, ts: ts + 3000 + Math.floor(r() * 15000), event: name });
      }
      ts += 20000 + Math.floor(r() * 160000);
      page = weighted(r, pages);
    } while (r() < 0.58);
  }
}

// ---------------------------------------------------------------- queries
class Store {
  constructor(now) {
    this.start = dayStart(now) - (HISTORY - 1) * DAY;
    this.cache = new Map();
  }

  hits(site, from, now) {
    const today = dayStart(now);
    let c = this.cache.get(site.id);
    if (!c) this.cache.set(site.id, (c = { next: this.start, rows: [] }));
    for (; c.next <= today; c.next += DAY) dayHits(site, c.next, c.rows);
    return c.rows.filter((h) => h.ts >= from && h.ts <= now);
  }

  // last N calendar days (UTC), today included
  period(site, days, now) {
    return this.hits(site, dayStart(now) - (days - 1) * DAY, now);
  }
}

function group(rows, keyOf) {
  const g = new Map();
  for (const h of rows) {
    const k = keyOf(h);
    let e = g.get(k);
    if (!e) g.set(k, (e = { vids: new Set(), pageviews: 0, events: 0 }));
    e.vids.add(h.vid);
    if (h.event === null) e.pageviews++; else e.events++;
  }
  return g;
}

const DIMENSIONS = ['page', 'entry_page', 'referrer', 'country', 'browser', 'os', 'device', 'lang', 'campaign', 'event'];
const BREAKDOWN_DAYS = 30;

const views = {
  sites: (ctx) => SITES.filter((s) => s.org === ctx.org)
    .map((s) => ({ id: s.id, domain: s.domain, name: s.name, created: isoDay(ctx.store.start) })),

  stats: ({ store, site, now, args }) => {
    const rows = store.period(site, args.days, now);
    const all = group(rows, () => 0).get(0);
    return { visitors: all?.vids.size ?? 0, pageviews: all?.pageviews ?? 0, events: all?.events ?? 0 };
  },

  timeseries: ({ store, site, now, args }) =>
    [...group(store.period(site, args.days, now), (h) => isoDay(h.ts))]
      .map(([day, e]) => ({ day, visitors: e.vids.size, pageviews: e.pageviews }))
      .sort((a, b) => (a.day < b.day ? -1 : 1)),

  breakdown: ({ store, site, now, args }) => {
    const dim = args.dimension;
    const metric = dim === 'event' ? 'events' : 'pageviews';
    let rows = store.period(site, BREAKDOWN_DAYS, now);
    rows = rows.filter((h) => (dim === 'event') === (h.event !== null));
    if (dim === 'campaign') rows = rows.filter((h) => h.campaign !== null);
    return [...group(rows, (h) => (dim === 'referrer' ? h.referrer ?? '(direct)' : h[dim]))]
      .map(([name, e]) => ({ name, visitors: e.vids.size, [metric]: e[metric] }))
      .sort((a, b) => b.visitors - a.visitors || b[metric] - a[metric] || (String(a.name) < String(b.name) ? -1 : 1))
      .slice(0, args.limit);
  },

  realtime: ({ store, site, now }) =>
    ({ active: new Set(store.hits(site, now - 5 * 60_000, now).map((h) => h.vid)).size }),

  'openapi.json': () => OPENAPI,
};

// ---------------------------------------------------------------- parameters
const PARAMS = {
  site: { required: true, schema: { type: 'string' }, description: 'Site id or domain, as listed by /sites' },
  days: {
    required: false, schema: { type: 'integer', minimum: 1, maximum: 365, default: 30 },
    description: 'Number of calendar days (UTC) up to and including today',
  },
  dimension: { required: true, schema: { type: 'string', enum: DIMENSIONS }, description: 'What to group by' },
  limit: { required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 }, description: 'Maximum number of entries' },
};

const ENDPOINTS = {
  sites: { params: [], type: 'array', summary: 'Sites of your organization' },
  stats: { params: ['site', 'days'], type: 'object', summary: 'Unique visitors, page views and custom events of a site over the period' },
  timeseries: { params: ['site', 'days'], type: 'array', summary: 'Visitors and page views per day' },
  breakdown: { params: ['site', 'dimension', 'limit'], type: 'array', summary: `Top entries of a dimension, last ${BREAKDOWN_DAYS} days` },
  realtime: { params: ['site'], type: 'object', summary: 'Visitors active in the last 5 minutes' },
  'openapi.json': { params: [], type: 'object', summary: 'This document' },
};

const OPENAPI = {
  openapi: '3.1.0',
  info: { title: 'Analytics API', version: '1.0.0' },
  servers: [{ url: '/api/v1' }],
  security: [{ bearerAuth: [] }],
  paths: Object.fromEntries(Object.entries(ENDPOINTS).map(([name, e]) => [`/${name}`, {
    get: {
      operationId: name === 'openapi.json' ? 'openapi' : name,
      summary: e.summary,
      parameters: e.params.map((p) => ({ name: p, in: 'query', ...PARAMS[p] })),
      responses: {
        200: {
          description: 'OK',
          content: { 'application/json': { schema: e.type === 'array' ? { type: 'array', items: {} } : { type: 'object' } } },
        },
      },
    },
  }])),
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
};

class HttpError extends Error {
  constructor(status, body, headers = {}) {
    super(String(status));
    Object.assign(this, { status, body, headers });
  }
}

// All problems at once, keyed by field. Parameters an endpoint does not know are ignored.
function validate(names, query) {
  const args = {}, errors = {};
  for (const name of names) {
    const { required, schema } = PARAMS[name];
    const raw = query.getAll(name).at(-1)?.trim();
    if (raw === undefined) {
      if (required) errors[name] = ['This field is required.'];
      else args[name] = schema.default;
    } else if (schema.type === 'integer') {
      const n = Number(raw);
      if (!/^-?\d+$/.test(raw)) errors[name] = ['A valid integer is required.'];
      else if (n < schema.minimum) errors[name] = [`Ensure this value is greater than or equal to ${schema.minimum}.`];
      else if (n > schema.maximum) errors[name] = [`Ensure this value is less than or equal to ${schema.maximum}.`];
      else args[name] = n;
    } else if (raw === '') errors[name] = ['This field may not be blank.'];
    else if (schema.enum && !schema.enum.includes(raw)) errors[name] = [`"${raw}" is not a valid choice.`];
    else args[name] = raw;
  }
  if (Object.keys(errors).length) throw new HttpError(400, errors);
  return args;
}

function authenticate(header) {
  const challenge = { 'WWW-Authenticate': 'Bearer realm="api"' };
  if (!header || !/^bearer(\s|$)/i.test(header)) {
    throw new HttpError(401, { detail: 'Authentication credentials were not provided.' }, challenge);
  }
  const key = header.slice(6).trim();
  const org = Object.keys(KEYS).find((o) => KEYS[o] === key);
  if (!org) throw new HttpError(401, { detail: 'Invalid API key.' }, challenge);
  return org;
}

const LLMS = `# Analytics

> Read-only web analytics: visitors, page views, events, daily series, breakdowns and realtime for the sites of your organization.

- Base: /api/v1, header \`Authorization: Bearer <API_KEY>\` (dashboard, "API keys")
- Endpoints: ${Object.keys(ENDPOINTS).map((e) => `/${e}`).join(', ')}
- Breakdown dimensions: ${DIMENSIONS.join(', ')}
- Full description: /api/v1/openapi.json
`;

// ---------------------------------------------------------------- http
export function createService({ now } = {}) {
  const clock = typeof now === 'function' ? () => +new Date(now()) : now != null ? () => +new Date(now) : Date.now;
  const store = new Store(clock());

  function handle(req) {
    const [path, ...rest] = req.url.split('?');
    const name = path.match(/^\/api\/v1\/([a-z.]+)\/?$/)?.[1];
    if (!name || !Object.hasOwn(ENDPOINTS, name)) throw new HttpError(404, { detail: 'Not found.' });
    const org = authenticate(req.headers.authorization);
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new HttpError(405, { detail: `Method "${req.method}" not allowed.` }, { Allow: 'GET, HEAD' });
    }
    const args = validate(ENDPOINTS[name].params, new URLSearchParams(rest.join('?')));
    let site;
    if (args.site !== undefined) {
      const wanted = args.site.toLowerCase();
      site = SITES.find((s) => s.org === org && (String(s.id) === wanted || s.domain === wanted));
      if (!site) throw new HttpError(404, { detail: 'No site matches the given query.' }); // same for foreign sites
    }
    return views[name]({ org, site, args, store, now: clock() });
  }

  return http.createServer((req, res) => {
    let status = 200, body, headers = {};
    if (req.method === 'GET' && req.url === '/llms.txt') {
      res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' });
      return res.end(LLMS);
    }
    try {
      body = handle(req);
    } catch (e) {
      if (e instanceof HttpError) ({ status, body, headers } = e);
      else {
        console.error(e);
        status = 500;
        body = { detail: 'Server error.' };
      }
    }
    req.resume();
    const text = JSON.stringify(body);
    res.writeHead(status, {
      'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), 'Cache-Control': 'private, no-store', ...headers,
    });
    res.end(req.method === 'HEAD' ? undefined : text);
  });
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const server = createService({ now: process.env.NOW || undefined });
  server.listen(Number(process.env.PORT ?? 0), () => console.log(`http://localhost:${server.address().port}/api/v1`));
}
