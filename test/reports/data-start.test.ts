import { describe, expect, it } from "vitest";
import type { Call } from "../../src/operations/call.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { compare } from "../../src/reports/compare.ts";
import { overview } from "../../src/reports/overview.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { createWideSource } from "../support/wide-source.ts";

const reports = {
  compare: async (call: Call) => {
    const answer = await compare.compute(call, { site: "wide.test", days: 1 }, {});
    const { comparable, data_since, change } = answer;
    const moved = answer.dimensions.flatMap(({ movers }) => movers.map((mover) => mover.change));
    return {
      comparable,
      data_since,
      changes: [...Object.values(change), ...moved],
      views: compare.views(answer),
    };
  },
  overview: async (call: Call) => {
    const answer = await overview.compute(call, { site: "wide.test", days: 1 }, {});
    if (answer.comparison === null) throw new Error("There is no comparison.");
    const { comparable, data_since, visitors, pageviews } = answer.comparison;
    return { comparable, data_since, changes: [visitors, pageviews], views: overview.views(answer) };
  },
};

const DAY = [300, 200, 150] as const;

// Today is 21 November, so the windows are the 20th and the 19th.
describe.each(Object.entries(reports))("%s", (_, ask) => {
  it.each([
    ["2026-11-18", undefined],
    [
      "2026-11-19",
      "The site's data begins on 2026-11-19, perhaps in the middle of the day, so the earlier period is incomplete: a rise is not growth, and no percentage is given.",
    ],
    [
      "2026-11-20",
      "The site's data begins on 2026-11-20, perhaps in the middle of the day, so both periods are incomplete, and no percentage is given.",
    ],
    [
      "2026-11-21",
      "The site's data begins on 2026-11-21, perhaps in the middle of the day, so both periods are incomplete, and no percentage is given.",
    ],
    [null, "The site has no data yet, so there is no percentage."],
  ])("of a site with data since %s", async (since, note) => {
    const countOn = (day: string, visitors: number) => (since !== null && day >= since ? visitors : 0);
    const visitors = [
      countOn("2026-11-21", DAY[0]),
      countOn("2026-11-20", DAY[1]),
      countOn("2026-11-19", DAY[2]),
    ] as const;
    const rows = since === null ? [] : [{ value: "/", visitors }];
    const call = createLocalCall(
      async () => createWideSource(rows, since),
      () => NOW,
    );
    const { views, changes, ...answer } = await ask(call);
    const notes = formatNotes(listNotes(views), "models");
    if (note === undefined) {
      expect(answer).toEqual({ comparable: true });
      for (const change of changes) expect(change).toEqual({ absolute: 50, percent: 33.3 });
      expect(notes.join()).not.toContain("percentage");
    } else {
      expect(answer).toEqual({ comparable: false, data_since: since });
      for (const change of changes) expect(change).toMatchObject({ percent: null });
      expect(notes).toContain(note);
    }
  });

  it("of a site that the list of sites lacks", async () => {
    const local = createLocalCall(
      async () => createWideSource([{ value: "/", visitors: DAY }], "2026-11-20"),
      () => NOW,
    );
    const call: Call = async (operation, params, options) => {
      const result = await local(operation, params, options);
      return operation.name === "sites" ? ({ ...result, sites: [] } as never) : result;
    };
    const { views, comparable } = await ask(call);
    expect(comparable).toBe(false);
    expect(formatNotes(listNotes(views), "models")).toContain(
      "The site had no data yet on 2026-11-19, so the earlier period is incomplete: a rise is not growth, and no percentage is given.",
    );
  });
});
