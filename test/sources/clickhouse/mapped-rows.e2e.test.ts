import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { hasChdb, openHits, startChdb } from "../../support/clickhouse.ts";
import { LOG_NOW } from "../../support/logs.ts";
import { runShell } from "../../support/shell.ts";

const DAY = "2026-11-18";

/** What a column has, and the value that is counted; null for none. */
const VALUES: Partial<Record<Dimension, readonly (readonly [given: string, counted: string | null])[]>> = {
  referrers: [
    ["https://www.Google.com/search?q=x", "google.com"],
    ["http://user:pw@news.example.org:8080/a?b#c", "news.example.org"],
    ["android-app://com.google.android.gm/", "com.google.android.gm"],
    ["https://xn--bcher-kva.example./", "xn--bcher-kva.example"],
    ["news.ycombinator.com", "news.ycombinator.com"],
    ["www.Bing.com/search", "bing.com"],
    ["bing.com:443", "bing.com"],
    ["Newsletter", "Newsletter"],
    ["Hacker News", "Hacker News"],
    ["https:///nothing", null],
    ["-", null],
    ["$direct", null],
    ["", null],
    ["https://example.com/a", null],
    ["http://www.example.com", null],
    ["example.com", null],
    ["https://shop.example/a", null],
    ["https://blog.example.com/", "blog.example.com"],
    ["https://evil.example/?u=https://example.com/", "evil.example"],
    [`https://${"a".repeat(2000)}.example/`, "a".repeat(500)],
  ],
  countries: [
    ["DE", "DE"],
    ["Germany", "Germany"],
    ["*", "*"],
    ["-", null],
    ["", null],
  ],
  languages: [
    ["en_US", "en_US"],
    ["de-DE", "de-DE"],
    ["English", "English"],
    ["*", "*"],
    ["en-US,en;q=0.9", "en-US,en;q=0.9"],
  ],
  cities: [
    ["0", null],
    ["2950159", "2950159"],
    ["-", null],
    ["Berlin", "Berlin"],
  ],
  browsers: [
    ["-", null],
    ["0", "0"],
  ],
  pages: [
    ["/a?b=c#d", "/a"],
    ["/-", "/-"],
    [`/${"ü".repeat(2000)}`, `/${"ü".repeat(999)}`],
  ],
};
const COLUMNS: Partial<Record<Dimension, string>> = {
  referrers: "referrer",
  countries: "country",
  languages: "language",
  cities: "city",
  browsers: "browser",
  pages: "path",
};

describe.skipIf(!hasChdb)("the values of a mapped table", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  const table = (dimension: string) => `values_of_${dimension}`;
  const flags = (dimension: Dimension) => ({
    table: table(dimension),
    site: "example.com",
    timezone: "UTC",
    map: [
      "time=ts",
      "visitor=who",
      dimension === "pages" ? "path=v" : "path=page",
      ...(dimension === "pages" ? [] : [`${COLUMNS[dimension]}=v`]),
      "hostname=host",
    ],
    where: ["kind=view"],
  });

  beforeAll(async () => {
    server = await startChdb();
    for (const [dimension, values] of Object.entries(VALUES)) {
      await server.run(
        `CREATE TABLE ${table(dimension)} (ts DateTime('UTC'), who String, page String, v String, host String, kind String) ENGINE = MergeTree ORDER BY ts`,
      );
      const rows = values.map(([v], index) => ({
        ts: Date.parse(`${DAY}T10:00:00Z`) / 1000 + index,
        who: String(index),
        page: "/",
        v,
        host: "www.shop.example:8443",
        kind: "view",
      }));
      await server.run(
        `INSERT INTO ${table(dimension)} FORMAT JSONEachRow`,
        rows.map((row) => JSON.stringify(row)).join("\n"),
      );
    }
    await server.run(`CREATE TABLE fixed ENGINE = MergeTree ORDER BY ts AS
      SELECT toDateTime('${DAY} 10:00:00', 'UTC') AS ts, 'x' AS who, '/' AS page, CAST('', 'FixedString(2)') AS v,
        CAST(0, 'Nullable(UInt32)') AS city, CAST(NULL, 'Nullable(Float64)') AS browser`);
  });
  afterAll(() => server?.stop());

  it.each(Object.entries(VALUES) as [Dimension, [string, string | null][]][])(
    "are those of the contract, as far as it is known: %s",
    async (dimension, values) => {
      const source = await openHits(server, { now: LOG_NOW }, flags(dimension));
      const [site] = await source.sites();
      if (site === undefined) throw new Error("There is no site.");
      const { rows } = await source.breakdown({ site, from: DAY, to: DAY, now: LOG_NOW }, dimension, 100);
      const expected = new Map<string | null, number>();
      for (const [, counted] of values) expected.set(counted, (expected.get(counted) ?? 0) + 1);
      expect(new Map(rows.map(({ value, hits }) => [value, hits]))).toEqual(expected);
    },
  );

  it.each(["countries", "languages"] as const)(
    "are their own label where they are no code: %s",
    async (dimension) => {
      const { table: name, map, where } = flags(dimension);
      const words = [
        ...map.flatMap((pair) => ["--map", pair]),
        ...where.flatMap((pair) => ["--where", pair]),
      ];
      const source = [
        "--clickhouse",
        server.url,
        "--table",
        name,
        "--site",
        "example.com",
        "--timezone",
        "UTC",
        ...words,
      ];
      const options = {
        environment: { ANALYTICS_CLICKHOUSE_PASSWORD: server.password },
        clock: () => LOG_NOW,
      };
      const breakdown = await runShell(["breakdown", "--dimension", dimension, "--json", ...source], options);
      expect([breakdown.code, breakdown.stderr]).toEqual([0, ""]);
      const labels = JSON.parse(breakdown.stdout).rows.map(({ label }: { label: string }) => label);
      const expected =
        dimension === "countries"
          ? ["Germany", "Germany", "*"]
          : ["en_US", "German (Germany)", "English", "*"];
      expect(labels).toEqual(expect.arrayContaining(expected));
      expect(await runShell(["overview", "--period", `${DAY}/${DAY}`, ...source], options)).toMatchObject({
        code: 0,
      });
    },
  );

  it("are null where the column has nothing: zero bytes, the city 0, NULL", async () => {
    const source = await openHits(
      server,
      { now: LOG_NOW },
      {
        table: "fixed",
        site: "example.com",
        timezone: "UTC",
        map: ["time=ts", "visitor=who", "path=page", "country=v", "city=city", "browser=browser"],
        where: ["who=x"],
      },
    );
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    for (const dimension of ["countries", "cities", "browsers"] as const) {
      const { rows } = await source.breakdown({ site, from: DAY, to: DAY, now: LOG_NOW }, dimension, 100);
      expect(rows.map(({ value, label }) => [value, label])).toEqual([[null, "(unknown)"]]);
    }
  });
});
