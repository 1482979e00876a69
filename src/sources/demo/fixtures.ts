import crawlers from "../../../fixtures/crawlers.json" with { type: "json" };
import organizations from "../../../fixtures/organizations.json" with { type: "json" };
import places from "../../../fixtures/places.json" with { type: "json" };
import docs from "../../../fixtures/sites/docs.json" with { type: "json" };
import example from "../../../fixtures/sites/example.json" with { type: "json" };
import globex from "../../../fixtures/sites/globex.json" with { type: "json" };
import news from "../../../fixtures/sites/news.json" with { type: "json" };
import parked from "../../../fixtures/sites/parked.json" with { type: "json" };
import shop from "../../../fixtures/sites/shop.json" with { type: "json" };
import sources from "../../../fixtures/sources.json" with { type: "json" };
import technologies from "../../../fixtures/technologies.json" with { type: "json" };
import type { Fixtures, SiteProfile, Source, Utm } from "./fixture-types.ts";

/** Public, because it only gives access to made-up data. fixtures/organizations.json has its hash. */
export const DEMO_KEY = "demo-key-of-acme";
/** Public too: the key of another organization. */
export const OTHER_DEMO_KEY = "demo-key-of-globex";

const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };

/** Reads the fixtures and fills in what the files leave out. */
export function readFixtures(): Fixtures {
  return {
    organizations,
    sites: [example, docs, shop, news, parked, globex].map(fillSite),
    sources: Object.fromEntries(Object.entries(sources).map(([key, source]) => [key, fillSource(source)])),
    places,
    technologies,
    crawlers: Object.fromEntries(
      Object.entries(crawlers).map(([value, crawler]) => [value, { from: 1, ...crawler }]),
    ),
  };
}

type WrittenSite = Omit<SiteProfile, "growth_from" | "story"> & Partial<SiteProfile>;

function fillSite(site: WrittenSite): SiteProfile {
  return { growth_from: 1, story: [], ...site };
}

type WrittenSource = Omit<Source, "referrer" | "utm"> & { referrer?: string; utm?: Partial<Utm> };

function fillSource(source: WrittenSource): Source {
  return { referrer: null, ...source, utm: { ...NO_UTM, ...source.utm } };
}
