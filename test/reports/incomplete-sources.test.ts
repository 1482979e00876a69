import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatNotes } from "../../src/operations/note.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../sources/logs/log-place.ts";

const DAY = 86_400_000;

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

/** A visitor a day, `from` so many days ago until `to` so many days ago. */
const visits = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, index) =>
    combinedLine({ at: NOON - (from - index) * DAY, address: `198.51.100.${index}`, path: "/" }),
  );

async function compare(lines: readonly string[]) {
  place.write("access.log", lines);
  const call = createLocalCall(
    () => place.open(),
    () => place.clock.now,
  );
  const { result } = await findQuery("compare").ask(
    call,
    { site: "example.com", days: 7, period: undefined, against: undefined, dimension: undefined },
    {},
  );
  return result as { comparable: boolean; incomplete?: string; change: { visitors: { percent: unknown } } };
}

describe("a comparison of days that a source has only in part", () => {
  it("has a percentage if nothing is missing", async () => {
    const result = await compare(visits(20, 0));
    expect(result).toMatchObject({ comparable: true, change: { visitors: { percent: 0 } } });
  });

  it.each([
    ["a gap in the earlier window", [...visits(20, 12), ...visits(9, 0)], /no line of 2 days/],
    ["a gap in the later one", [...visits(20, 5), ...visits(2, 0)], /no line of 2 days/],
    ["a log that stopped", visits(20, 3), /The log ends on 2026-11-18/],
  ])("has none with %s, and says why", async (_, lines, reason) => {
    const result = await compare(lines);
    expect(result).toMatchObject({ comparable: false, change: { visitors: { percent: null } } });
    expect(result.incomplete).toMatch(reason);
  });

  it("says the reason once in the overview, which warns of it anyway", async () => {
    place.write("access.log", visits(70, 3));
    const call = createLocalCall(
      () => place.open(),
      () => place.clock.now,
    );
    const { views } = await findQuery("overview").ask(call, { site: "example.com", days: 30 }, {});
    const said = formatNotes(views[0]?.warnings ?? [], "people").filter((each) => /The log ends/.test(each));
    expect(said).toEqual([expect.stringMatching(/data on 28 of its 30 days: .* without a percentage\.$/)]);
  });

  it("leaves out lists that the source does not record, unless one is asked for by name", async () => {
    place.write("access.log", visits(20, 0));
    const call = createLocalCall(
      () => place.open(),
      () => place.clock.now,
    );
    const ask = (dimension?: string) =>
      findQuery("compare").ask(
        call,
        { site: "example.com", days: 7, period: undefined, against: undefined, dimension },
        {},
      );
    const { dimensions } = (await ask()).result as { dimensions: { dimension: string }[] };
    expect(dimensions.map(({ dimension }) => dimension)).toEqual(["pages", "referrers", "channels"]);
    await expect(ask("countries")).rejects.toMatchObject({ code: "invalid_parameter" });
  });
});
