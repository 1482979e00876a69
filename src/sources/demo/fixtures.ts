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
import type { Fixtures, SiteProfile, Source, Utm } from "./profile.ts";

/** The keys of the fixtures are public: they open made-up numbers. `fixtures/` itself holds their hashes. */
export const DEMO_KEY = "demo-key-of-acme";
/** Of another organization than the demo key's. */
export const OTHER_DEMO_KEY = "demo-key-of-globex";

const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };

/** The fixtures' files leave out what most of them would repeat. */
export function readFixtures(): Fixtures {
  const fillSite = (site: WrittenSite): SiteProfile => ({ growth_from: 1, story: [], ...site });
  const fillSource = (source: WrittenSource): Source => ({
    ...{ referrer: null, ...source },
    utm: { ...NO_UTM, ...source.utm },
  });
  return {
    ...{ organizations, places, technologies },
    sites: [example, docs, shop, news, parked, globex].map(fillSite),
    sources: Object.fromEntries(Object.entries(sources).map(([key, source]) => [key, fillSource(source)])),
  };
}

type WrittenSite = Omit<SiteProfile, "growth_from" | "story"> & Partial<SiteProfile>;
type WrittenSource = Omit<Source, "referrer" | "utm"> & { referrer?: string; utm?: Partial<Utm> };
