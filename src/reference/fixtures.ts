import organizations from "../../fixtures/organizations.json" with { type: "json" };
import places from "../../fixtures/places.json" with { type: "json" };
import docs from "../../fixtures/sites/docs.json" with { type: "json" };
import example from "../../fixtures/sites/example.json" with { type: "json" };
import globex from "../../fixtures/sites/globex.json" with { type: "json" };
import news from "../../fixtures/sites/news.json" with { type: "json" };
import parked from "../../fixtures/sites/parked.json" with { type: "json" };
import shop from "../../fixtures/sites/shop.json" with { type: "json" };
import sources from "../../fixtures/sources.json" with { type: "json" };
import technologies from "../../fixtures/technologies.json" with { type: "json" };
import { type Fixtures, fixtures } from "./profile.ts";

/** The keys of the fixtures are public: they open made-up numbers. `fixtures/` itself holds their hashes. */
export const DEMO_KEY = "demo-key-of-acme";
/** Of another organization than the demo key's. */
export const OTHER_DEMO_KEY = "demo-key-of-globex";

export function readFixtures(): Fixtures {
  return fixtures.parse({
    organizations,
    sites: [example, docs, shop, news, parked, globex],
    sources,
    places,
    technologies,
  });
}
