import type { SampleDay } from "../../bench/services/sample-visits.ts";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { parseFilter } from "../../src/operations/filter.ts";
import { compareRows } from "../../src/operations/row-order.ts";
import type { DataSource, RankedRow, SourceSite } from "../../src/sources/data-source.ts";
import { createCounts } from "../../src/sources/demo/counts.ts";
import type { Visit } from "../../src/sources/demo/visits.ts";
import { rankDays } from "./rank-days.ts";

/** The hosts that Matomo has for the site; it finds pages on these alone. */
const KNOWN_HOSTS = "visit:hostnames=example.com|www.example.com";

/** Filters with what they keep of the visits that were sent, where that is not the same. */
const FILTERS: readonly { filter: string[]; keeps?: string[] }[] = [
  { filter: [] },
  { filter: ["countries=DE"] },
  { filter: ["countries!=DE|FR"] },
  { filter: ["countries="] },
  { filter: ["countries=DE|US", "devices=mobile"] },
  { filter: ["devices!=mobile"] },
  { filter: ["regions=DE-BE"] },
  { filter: ["regions!=DE-BE"] },
  { filter: ["languages=pl"], keeps: ["languages=pl-PL"] },
  { filter: ["browsers=Firefox"] },
  { filter: ["referrers=reddit|Google"], keeps: ["referrers=reddit.com|google.com", "utm_sources="] },
  { filter: ["referrers="], keeps: ["referrers=", "utm_sources="] },
  { filter: ["referrers!=Bing"], keeps: ["referrers!=bing.com"] },
  { filter: ["channels=Search Engines"], keeps: ["channels=Organic Search"] },
  { filter: ["utm_sources=google"] },
  // Matomo keeps them in lower case.
  { filter: ["utm_sources=Google"], keeps: ["utm_sources=google"] },
  { filter: ["utm_sources!=google"] },
  { filter: ["utm_campaigns=autumn-sale", "devices!=mobile"] },
  { filter: ["utm_terms=web analytics"] },
  { filter: ["visit:events=signup"] },
  { filter: ["visit:events!=signup"] },
  { filter: ["visit:pages=/plans"], keeps: ["visit:pages=/plans", KNOWN_HOSTS] },
  { filter: ["visit:pages=/docs*"], keeps: ["visit:pages=/docs*", KNOWN_HOSTS] },
  {
    filter: ["visit:pages=/blog/a%20b|/日本語/🚀"],
    keeps: ["visit:pages=/blog/a%20b|/日本語/🚀", KNOWN_HOSTS],
  },
  // As people type what browsers send encoded.
  { filter: ["visit:pages=/café"], keeps: ["visit:pages=/caf%C3%A9", KNOWN_HOSTS] },
  { filter: ["visit:pages=/caf%C3%A9"], keeps: ["visit:pages=/caf%C3%A9", KNOWN_HOSTS] },
  { filter: ["visit:pages=/caf*"], keeps: ["visit:pages=/caf*", KNOWN_HOSTS] },
  { filter: ["visit:pages=/tags/a,b"], keeps: ["visit:pages=/tags/a,b", KNOWN_HOSTS] },
  { filter: ["entry_pages=/", "countries!=DE"], keeps: ["entry_pages=/", "countries!=DE", KNOWN_HOSTS] },
  { filter: ["exit_pages=/plans"], keeps: ["exit_pages=/plans", KNOWN_HOSTS] },
];

const SEARCH_ENGINES = ["Google", "Bing", "DuckDuckGo", "Ecosia"];
const SOCIAL: Readonly<Record<string, string>> = {
  "github.com": "GitHub",
  "news.ycombinator.com": "Hacker News",
  "reddit.com": "reddit",
  "linkedin.com": "LinkedIn",
  "mastodon.social": "Mastodon",
  "stackoverflow.com": "StackOverflow",
  "youtube.com": "YouTube",
};
/** The languages that Matomo keeps with their region. */
const WITH_REGION = ["sv-SE", "ja-JP"];

const nameEngine = (host: string) => SEARCH_ENGINES.find((name) => host.startsWith(name.toLowerCase()));
const isCampaign = ({ source }: Visit) => Object.values(source.utm).some((value) => value !== null);

/** What Matomo calls the values of visits, where the contract has others; undefined for visits that are in no row. */
const VALUES: Partial<Record<Dimension, (visit: Visit) => string | null | undefined>> = {
  entry_pages: ({ hits }) => hits.find(({ event }) => event === null)?.path,
  countries: ({ place }) => place.country,
  regions: ({ place }) => place.region,
  cities: ({ place }) => place.city_label?.split(",")[0] ?? null,
  languages: ({ place: { language } }) =>
    language === null || WITH_REGION.includes(language) ? language : language.split("-")[0],
  devices: ({ technology }) => technology.device,
  browsers: ({ technology: { browser, operating_system, device } }) => {
    if (browser === "Edge") return "Microsoft Edge";
    if (browser === "Samsung Internet") return "Samsung Browser";
    if (browser === "Safari") return operating_system === "macOS" ? "Safari" : "Mobile Safari";
    if (browser === "Firefox") return device === "desktop" ? "Firefox" : "Firefox Mobile";
    if (device === "desktop" || device === "tablet") return "Chrome";
    return operating_system === "iOS" ? "Chrome Mobile iOS" : "Chrome Mobile";
  },
  operating_systems: ({ technology: { operating_system: name } }) =>
    ({ macOS: "Mac", Linux: "GNU/Linux", iPadOS: "iOS" })[name] ?? name,
  referrers: (visit) => {
    const { referrer } = visit.source;
    if (isCampaign(visit)) return undefined;
    return referrer === null ? null : (nameEngine(referrer) ?? SOCIAL[referrer] ?? referrer);
  },
  channels: (visit) => {
    const { referrer } = visit.source;
    if (isCampaign(visit)) return "Campaigns";
    if (referrer === null) return "Direct Entry";
    if (nameEngine(referrer) !== undefined) return "Search Engines";
    return referrer in SOCIAL ? "Social Networks" : "Websites";
  },
  utm_sources: ({ source }) => source.utm.source ?? undefined,
  utm_mediums: ({ source }) => source.utm.medium ?? undefined,
  utm_campaigns: ({ source }) => source.utm.campaign ?? undefined,
  utm_terms: ({ source }) => source.utm.term ?? undefined,
  utm_contents: ({ source }) => source.utm.content ?? undefined,
};

type Counted = Omit<RankedRow, "label">;

/** Counts rows as Matomo does: all hits of a visit are its actions. */
function countRows(
  days: readonly SampleDay[],
  readValue: (visit: Visit) => string | null | undefined,
): Counted[] {
  const found = new Map<string | null, Counted & { people: Set<string> }>();
  for (const { date, visits } of days) {
    for (const visit of visits) {
      const value = readValue(visit);
      if (value === undefined) continue;
      const empty = {
        value,
        visitors: 0,
        hits: 0,
        visits: 0,
        bounces: 0,
        visitSeconds: 0,
        people: new Set<string>(),
      };
      const row = found.get(value) ?? empty;
      found.set(value, row);
      row.people.add(`${date} ${visit.visitor}`);
      row.visitors = row.people.size;
      row.hits += visit.hits.length;
      row.visits = (row.visits ?? 0) + 1;
      row.bounces = (row.bounces ?? 0) + (visit.hits.length === 1 ? 1 : 0);
      row.visitSeconds = (row.visitSeconds ?? 0) + (visit.hits.at(-1)?.at ?? 0) - (visit.hits.at(0)?.at ?? 0);
    }
  }
  return [...found.values()].map(({ people: _, ...row }) => row).sort(compareRows);
}

/** The pages of a visit that are in rows of a dimension. */
const PAGES: Partial<Record<Dimension, (visit: Visit) => (string | undefined)[]>> = (() => {
  const viewed = ({ hits }: Visit) => hits.flatMap(({ event, path }) => (event === null ? path : []));
  return {
    pages: viewed,
    entry_pages: (visit) => viewed(visit).slice(0, 1),
    exit_pages: (visit) => viewed(visit).slice(-1),
  };
})();

/** Matomo adds up the visitors of a path on each host, of which it leaves out `www.`. */
function countHosts(days: readonly SampleDay[], listPages: (visit: Visit) => (string | undefined)[]) {
  const people = new Map<string | undefined, Set<string>>();
  for (const { date, visits } of days) {
    for (const visit of visits) {
      const host = visit.hostname.replace(/^www\./, "");
      for (const path of listPages(visit))
        people.set(path, (people.get(path) ?? new Set()).add(`${date} ${visit.visitor} ${host}`));
    }
  }
  return people;
}

/** What is known of a dimension's rows. */
function countKnown(days: readonly SampleDay[], dimension: Dimension): Counted[] {
  const rows = countOnce(days, dimension);
  const listPages = PAGES[dimension];
  if (listPages === undefined) return rows;
  const people = countHosts(days, listPages);
  return rows
    .map((row) => ({ ...row, visitors: people.get(row.value ?? undefined)?.size ?? 0 }))
    .sort(compareRows);
}

function countOnce(days: readonly SampleDay[], dimension: Dimension): Counted[] {
  const readValue = VALUES[dimension];
  if (readValue !== undefined) return countRows(days, readValue);
  const counts = createCounts((date) => days.find((day) => day.date === date)?.visits ?? [])();
  const dates = days.map(({ date }) => date);
  const rows = rankDays(counts, dates, dimension).map(({ value, visitors, hits }) => ({
    value,
    visitors,
    hits,
  }));
  if (dimension !== "exit_pages") return rows;
  // Matomo has the page views of the page.
  const views = new Map(rankDays(counts, dates, "pages").map(({ value, hits }) => [value, hits]));
  return rows.map((row) => ({ ...row, hits: views.get(row.value) ?? 0 }));
}

/** Everything that is held against the visits that were sent: its name, what Matomo says of it, and what is known. */
export async function compareAnswers(
  source: DataSource,
  site: SourceSite,
  days: readonly SampleDay[],
  now: number,
): Promise<{ name: string; said: unknown; known: unknown }[]> {
  const [from, to] = [days.at(0)?.date ?? "", days.at(-1)?.date ?? ""];
  const span = { site, from, to, now };
  const countsOf = createCounts((date) => days.find((day) => day.date === date)?.visits ?? []);
  const compared: { name: string; said: unknown; known: unknown }[] = [];
  for (const { filter, keeps = filter } of FILTERS) {
    const counts = countsOf(parseFilter(keeps));
    compared.push({
      name: `days ${filter.join(" ")}`,
      said: await source.days({ ...span, ...(filter.length > 0 && { filter: parseFilter(filter) }) }),
      known: days.map(({ date }) => ({ date, ...counts.totals(date) })),
    });
  }
  for (const dimension of (await source.dimensions?.(site)) ?? []) {
    const { rows, totalRows } = await source.breakdown(span, dimension, 1_000);
    const known = countKnown(days, dimension);
    const said = rows.map(({ label: _, ...row }) =>
      dimension === "cities" && row.value !== null ? { ...row, value: row.value.split(",")[0] ?? "" } : row,
    );
    compared.push({
      name: dimension,
      said: { rows: said, totalRows },
      known: { rows: known, totalRows: known.length },
    });
  }
  const filter = parseFilter(["countries=DE"]);
  const { rows } = await source.breakdown({ ...span, filter }, "devices", 1_000);
  compared.push({
    name: "devices countries=DE",
    said: rows.map(({ label: _, ...row }) => row),
    known: countRows(days, (visit) => (visit.place.country === "DE" ? visit.technology.device : undefined)),
  });
  return compared;
}
