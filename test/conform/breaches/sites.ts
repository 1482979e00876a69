import { type Body, type Breach, edit, on, read, refuse } from "../breach.ts";

const shiftDay = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

const inUtc = (timestamp: string) => `${new Date(Date.parse(timestamp)).toISOString().slice(0, 19)}Z`;

const editSites = (change: (sites: Body) => unknown) =>
  edit(on("/sites"), (body) => {
    const changed = change(body.sites);
    if (Array.isArray(changed)) body.sites = changed;
  });
const editSite = (domain: string, change: (site: Body) => void) =>
  editSites((sites) => {
    for (const site of sites) if (site.domain === domain) change(site);
  });
const editPeriod = (query: Record<string, string | null>, change: (period: Body) => void) =>
  edit(on("/breakdown", { from: null, ...query }), (body) => change(body.period));

export const siteBreaches: Record<string, Breach | { breach: Breach; also: string[] }> = {
  "sites.answer": edit(on("/sites"), (body) => {
    delete body.as_of;
  }),
  "sites.unique": editSites((sites) => [sites[0], ...sites]),
  "sites.order": editSites((sites) => sites.reverse()),
  "sites.domain-form": {
    breach: editSite("shop.example.net", (site) => {
      site.domain = "shop.example.net/";
    }),
    // Answers give the site's real domain.
    also: ["sites.listed-answered"],
  },
  "sites.timezone": {
    breach: editSite("shop.example.net", (site) => {
      site.timezone = "Tokyo time";
    }),
    also: ["period.timezone"],
  },
  "sites.as-of-utc": edit(on("/sites"), (body) => {
    body.as_of = body.as_of.replace("T04:", "T05:").replace("Z", "+01:00");
  }),
  "sites.data-since": editSite("parked.example", (site) => {
    site.data_since = "2027-01-01";
  }),
  "sites.by-domain": edit(on("/stats", { site: "example.com" }), (body) => {
    body.site.id = "7";
  }),
  "sites.by-id": refuse(on("/realtime", { site: "site_7f3k" }), 404, "site_not_found", 200),
  "sites.listed-answered": refuse(on("/stats", { site: "docs.example.com" }), 404, "site_not_found", 200),
  "sites.written-as-address": refuse(
    ({ query }) => /:443/.test(query.get("site") ?? ""),
    404,
    "site_not_found",
    200,
  ),
  "sites.letter-case": refuse(
    ({ query }) => /^[A-Z]/.test(query.get("site") ?? ""),
    404,
    "site_not_found",
    200,
  ),
  "sites.unknown": edit(
    on("/realtime"),
    (body) => {
      body.code = "not_found";
    },
    404,
  ),
  "sites.whole-name": read("site", "example.com", ({ query }) =>
    (query.get("site") ?? "").startsWith("conform") ? !query.get("site")?.endsWith(".invalid") : false,
  ),

  "period.days": editPeriod({ days: "7" }, (period) => {
    period.days = 30;
  }),
  "period.span": editPeriod({ days: "90" }, (period) => {
    period.from = shiftDay(period.from, -1);
  }),
  "period.ends-today": editPeriod({ from: null }, (period) => {
    for (const name of ["from", "to", "complete_through"]) period[name] = shiftDay(period[name], -1);
  }),
  "period.partial": editPeriod({}, (period) => {
    period.partial = false;
  }),
  "period.complete-through": editPeriod({}, (period) => {
    period.complete_through = period.to;
  }),
  "period.timezone": editPeriod({}, (period) => {
    period.timezone = "UTC";
  }),
  "period.as-of-offset": editPeriod({}, (period) => {
    period.as_of = inUtc(period.as_of);
  }),
  "period.as-of-now": editPeriod({}, (period) => {
    period.as_of = period.as_of.replace("T05:", "T04:");
  }),
  "period.warns-before-data": edit(on("/breakdown", { filter: null }), (body) => {
    delete body.warnings;
  }),
  "period.warns-only-then": edit(on("/breakdown", { days: "7" }), (body) => {
    body.warnings = [{ code: "before_data_since", detail: "Mind the gap." }];
  }),
};
