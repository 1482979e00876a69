import { createHash } from "node:crypto";
import fc from "fast-check";
import { readDeadLinks } from "../../src/sources/demo/dead-link-requests.ts";
import type { Fixtures, SiteProfile } from "../../src/sources/demo/fixture-types.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { DEMO_KEY } from "../support/api.ts";
import { moment, zone } from "./moments.ts";
import { readRaw } from "./raw.ts";

/** Values that sort differently by code point, by UTF-16 unit, by case and by number. */
const PATHS = [
  ...["/", "/a", "/A", "/a/b", "/10", "/9", "/é", "/～", "/😀", "/日本", "/\u{10ffff}x", "/zz"],
  // What a filter gives a meaning to.
  ...["/a|b", "/a*b", "/a\\b", "/=!"],
];
const WORDS = ["b", "B", "10", "9", "é", "～", "😀", "日本", "z z", "Ab", "ab", "a|b*"];
const COUNTRIES = ["DE", "US", "JP", "BR", "NP", "GB", "AQ"];
const LANGUAGES = ["de", "en", "en-GB", "pt-BR", "ja"];

const subset = <T>(values: T[], minLength = 1, maxLength = values.length) =>
  fc.subarray(values, { minLength, maxLength });
const orNull = <T>(values: T[]) => fc.option(fc.constantFrom(...values), { freq: 3 });
const weight = fc.constantFrom(1, 1, 1, 2, 7, 0.1);
const weigh = (keys: string[]) =>
  fc
    .array(weight, { minLength: keys.length, maxLength: keys.length })
    .map((weights) => Object.fromEntries(keys.map((key, index) => [key, weights[index] ?? 1])));

const source = fc.record({
  channel: fc.constantFrom("Direct", "Referral", "AI assistants", "Email", "~"),
  referrer: orNull(WORDS),
  utm: fc.record({
    source: orNull(WORDS),
    medium: orNull(WORDS),
    campaign: orNull(WORDS),
    term: orNull(WORDS),
    content: orNull(WORDS),
  }),
});
const place = fc.record({
  country: orNull(COUNTRIES),
  region: orNull(["DE-BE", "US-CA", "NP-P3"]),
  city: orNull(["2950159", "5391959", "Ａ"]),
  language: orNull(LANGUAGES),
});
const technology = fc.record({
  device: fc.constantFrom("desktop", "mobile", "😀"),
  browser: fc.constantFrom("Firefox", "firefox", "Safari"),
  operating_system: fc.constantFrom("Linux", "macOS", "iOS"),
});
const named = <T>(values: fc.Arbitrary<T>, most: number) =>
  fc
    .array(values, { minLength: 1, maxLength: most })
    .map((all) => Object.fromEntries(all.map((each, index) => [`n${index}`, each])));

const hours: fc.Arbitrary<number[]> = fc.oneof(
  fc.constant(Array<number>(24).fill(1)),
  // Around midnight, where days are cut.
  fc.constant([9, 1].concat(Array<number>(20).fill(0), [1, 9])),
  fc.array<number>(weight, { minLength: 24, maxLength: 24 }),
);

interface Base {
  visitors: number;
  since: number | null;
  weekdays: number[];
  pages_per_visit: number;
  hours: number[];
  growth: number;
  paths: string[];
  hostnames: Record<string, number>;
  events: Record<string, number>;
  burst: { from: number; visitors: number } | null;
}

const base: fc.Arbitrary<Base> = fc.record<Base>({
  visitors: fc.oneof(fc.nat(6), fc.nat(25), fc.constant(0)),
  since: fc.oneof(
    fc.constant(null),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 800 }),
    fc.constant(2_000),
  ),
  weekdays: fc.array(fc.constantFrom(0, 1, 1, 1, 3), { minLength: 7, maxLength: 7 }),
  pages_per_visit: fc.constantFrom(1, 1.5, 3, 9, 60),
  hours,
  growth: fc.constantFrom(1, 0, 0.5, 3),
  paths: subset(PATHS),
  hostnames: subset(["example.com", "www.example.com", "Example.com"]).chain(weigh),
  events: subset(["Signup", "signup", "～", "😀"], 0).chain((names) =>
    fc
      .array(fc.constantFrom(0.1, 0.5, 1), { minLength: names.length, maxLength: names.length })
      .map((chances) => Object.fromEntries(names.map((name, index) => [name, chances[index] ?? 1]))),
  ),
  burst: fc.option(fc.record({ from: fc.integer({ min: -20, max: 2 }), visitors: fc.nat(60) })),
});

/**
 * An organization of one to three sites, and the moments of queries about the first one. The last moments come
 * after a wait in milliseconds, or so many after its next hit.
 */
export const scenario = fc
  .record({
    seed: fc.string({ minLength: 1, maxLength: 4 }),
    moment,
    others: fc.array(fc.record({ timezone: zone, base }), { maxLength: 2 }),
    base,
    shared: fc.record({
      sources: named(source, 6),
      places: named(place, 5),
      technologies: named(technology, 4),
    }),
    later: fc.array(
      fc.oneof(
        fc.record({ wait: fc.constantFrom(1_000, 60_000, 300_000, 86_400_000) }),
        fc.record({ wait: fc.integer({ min: 1, max: 40 * 3_600_000 }) }),
        fc.record({ afterHit: fc.constantFrom(-1, 0, 999, 299_999, 300_000) }),
      ),
      { maxLength: 2 },
    ),
  })
  .map(({ moment: { timezone, now }, others, base: own, ...rest }) => ({
    ...rest,
    now,
    sites: [{ timezone, base: own }, ...others],
  }));

export type Given = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** The same with visitors on every day, and a moment with somebody there: most filters keep some of them. */
export const liven = (given: Given): Given => ({
  ...given,
  later: [{ afterHit: 0 }, ...given.later],
  sites: given.sites.map(({ timezone, base }) => {
    const { visitors, since, weekdays } = base;
    const weighed = weekdays.map((each) => Math.max(each, 1));
    const lively = { visitors: visitors + 15, since: Math.max(since ?? 0, 40), weekdays: weighed };
    return { timezone, base: { ...base, ...lively } };
  }),
});

const nameDomain = (index: number) => `s${9 - index}.example.com`;

/** Without the text that tries to deceive readers, which no surface shows as it is. */
const deadLinks = Object.values(readDeadLinks()).map(({ scanners, links }) => ({
  scanners,
  links: links.filter(({ path }) => !/\p{C}/u.test(path)),
}));

/** A scenario for the reference API, with the same raw visits for the oracle. */
export function build({ seed, now, sites, shared }: Given) {
  const fixtures: Fixtures = {
    organizations: [
      {
        id: "org_1",
        name: "Acme",
        sites: sites.map((_, index) => `site_${index}`),
        keys: [{ id: "key_1", sha256: createHash("sha256").update(DEMO_KEY).digest("hex") }],
      },
    ],
    sites: sites.map((each, index) => createProfile(each, index, shared)),
    sources: { ...addLabels(shared.sources), direct: DIRECT },
    places: shared.places,
    technologies: shared.technologies,
    crawlers: readFixtures().crawlers,
    deadLinks: Object.fromEntries(
      sites.map((_, index) => [
        nameDomain(index),
        deadLinks[index % deadLinks.length] ?? { scanners: 0, links: [] },
      ]),
    ),
  };
  return { fixtures, seed, raw: readRaw(fixtures, seed, now) };
}

/** One site with as many visitors a day and pages as asked for. */
export function buildLarge(timezone: string, now: number, size: { visitors: number; paths: number }) {
  const [given] = fc.sample(scenario, { seed: 1, numRuns: 1 });
  const [site] = given?.sites ?? [];
  if (!given || !site) throw new Error("There is no scenario.");
  const fixed = {
    since: 2_000,
    weekdays: [1.1, 1.2, 1.2, 1.1, 1, 0.6, 0.7],
    pages_per_visit: 3,
    growth: 0.5,
    hours: Array<number>(24).fill(1),
    events: { Signup: 0.1, signup: 0.02 },
    visitors: size.visitors,
    paths: Array.from({ length: size.paths }, (_, index) => `/${index}`),
  };
  return build({ ...given, now, sites: [{ timezone, base: { ...site.base, ...fixed } }] });
}

const DIRECT: Fixtures["sources"][string] = {
  channel: "Direct",
  referrer: null,
  utm: { source: null, medium: null, campaign: null, term: null, content: null },
};

const addLabels = (sources: Given["shared"]["sources"]): Fixtures["sources"] =>
  Object.fromEntries(
    Object.entries(sources).map(([key, each]) => [
      key,
      // Some referrers have a separate name for people.
      {
        ...each,
        ...(each.referrer !== null && /^[a-z]/i.test(each.referrer) && { label: `The ${each.referrer}` }),
      },
    ]),
  );

function createProfile(
  { timezone, base: site }: Given["sites"][number],
  index: number,
  shared: Given["shared"],
): SiteProfile {
  const evenly = (named: object) =>
    Object.fromEntries(Object.keys(named).map((key, at) => [key, 1 + (at % 3)]));
  const { since, growth, paths, burst, ...rest } = site;
  return {
    id: `site_${index}`,
    domain: nameDomain(index),
    name: `Site ${index}`,
    timezone,
    data_since: since,
    added: (since ?? 0) + 2,
    growth_from: growth,
    ...rest,
    pages: paths.map((path, at) => ({ path, entry: 1 + (at % 2), view: 1 })),
    sources: { direct: 1, ...evenly(shared.sources) },
    places: evenly(shared.places),
    technologies: evenly(shared.technologies),
    story: burst
      ? [
          {
            name: "burst",
            from: burst.from,
            days: 2,
            extra: { visitors: burst.visitors, source: "n0", path: paths[0] ?? "/" },
          },
        ]
      : [],
  };
}
