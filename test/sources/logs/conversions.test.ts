import { expect, it } from "vitest";
import type { Conversions } from "../../../src/reports/conversions.ts";
import { findQuery } from "../../../src/reports/queries.ts";
import { createLocalCall } from "../../../src/sources/local-call.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";

const FLOOD = 2_500;

const LONG = "x".repeat(200);

/** One visitor sends more pages and referrers than are kept, then comes back from a site that is kept no longer, and buys. */
const LINES = [
  combined({
    at: "2026-11-21T01:00:00Z",
    address: "192.0.2.7",
    target: "/thanks",
    referrer: "https://known.example/",
  }),
  ...Array.from({ length: FLOOD }, (_, index) =>
    combined({
      at: Date.parse("2026-11-21T02:00:00Z") + index,
      target: `/page-${index}/${LONG}`,
      ...(index > 0 && { referrer: `https://h${index}.${LONG}.example/` }),
    }),
  ),
  combined({ at: "2026-11-21T03:30:00Z", target: "/thanks", referrer: "https://new.example/" }),
];

async function ask(params: Record<string, unknown>) {
  const { path } = createLogFolder({ "access.log": joinLines(...LINES) });
  const { source } = openTestLogs({ logs: [path("access.log")], acceptProxyAddresses: true });
  const call = createLocalCall(
    async () => source,
    () => LOG_NOW,
  );
  const query = findQuery("conversions");
  const [site] = await source.sites();
  const { result } = await query.ask(
    call,
    query.params.parse({ site: site?.domain, days: 1, ...params }),
    {},
  );
  return result as unknown as Conversions;
}

it("visits whose value was folded are one row, of the same visits with and without the goal", async () => {
  const { rows = [], warnings = [] } = await ask({ goal: "pages=/thanks", by: "referrers" });
  expect(
    rows.map(({ value, other, visitors, converted, conversion_rate: rate }) => [
      value,
      other,
      visitors,
      converted,
      rate,
    ]),
  ).toEqual([
    ["known.example", undefined, 1, 1, 100],
    [null, true, 1, 1, 100],
    // Among the pages that were folded may be the goal.
    [null, undefined, 1, null, null],
  ]);
  expect(warnings.map(({ code }) => code)).toContain("folded");
});

it("a goal whose page may have been folded is a range, and not nothing", async () => {
  const bounds = { visitors: { least: 2, most: 2 }, converted: { least: 0, most: 1 } };
  const answer = await ask({ goal: `pages=/page-${FLOOD - 1}/*` });
  expect(answer).toMatchObject({ visitors: 2, converted: null, conversion_rate: null, bounds });
  expect(answer.warnings?.map(({ code }) => code)).toContain("folded_filter");
  // Who has a page that was kept and meets it has reached it, whatever else was folded.
  expect(await ask({ goal: "pages=/page-7/*" })).toMatchObject({ visitors: 2, converted: 1 });
  const { rows } = await ask({ goal: `pages=/page-${FLOOD - 1}/*`, by: "referrers" });
  expect(rows?.find(({ value, other }) => value === null && !other)).toMatchObject({
    visitors: 1,
    converted: null,
    bounds: { converted: { least: 0, most: 1 } },
  });
});

it("a goal that is an event of which logs cannot know is refused, and not counted as nothing", async () => {
  await expect(ask({ goal: "events=signup" })).rejects.toThrow(
    'goal is "events=signup", but this source records no event other than "File Download".',
  );
});

it("downloads of who viewed no page that day are no events, and the number of events says so", async () => {
  const at = (minute: number) => `2026-11-21T01:0${minute}:00Z`;
  const { path } = createLogFolder({
    "access.log": joinLines(
      combined({ at: at(0), address: "192.0.2.7", target: "/" }),
      combined({ at: at(1), address: "192.0.2.7", target: "/guide.pdf" }),
      combined({ at: at(2), address: "192.0.2.8", target: "/guide.pdf" }),
      combined({ at: at(3), address: "192.0.2.9", target: "/guide.pdf" }),
    ),
  });
  const { source } = openTestLogs({ logs: [path("access.log")] });
  const call = createLocalCall(
    async () => source,
    () => LOG_NOW,
  );
  const [site] = await source.sites();
  const tell = async (name: "stats" | "breakdown" | "timeseries", params = {}, options = {}) => {
    const given = { site: site?.domain, days: 1, limit: 10, ...params };
    const { result, views } = await findQuery(name).ask(call, given, options);
    const notes = JSON.stringify(views[0]?.notes);
    return [Reflect.get(result, "events") ?? Reflect.get(Object(result.totals), "events"), notes];
  };
  const said = expect.stringContaining("more downloads are not counted: who asked for them viewed no page");
  expect(await tell("stats")).toEqual([1, said]);
  expect(await tell("breakdown", { dimension: "events" })).toEqual([1, said]);
  expect((await tell("breakdown", { dimension: "pages" }))[1]).not.toContain("downloads");
  expect((await tell("timeseries"))[1]).not.toContain("downloads");
});
