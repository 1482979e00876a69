import { describe, expect, it } from "vitest";
import { parseFilter } from "../../../src/operations/filter.ts";
import { countDay } from "../../../src/sources/logs/counting/count-day.ts";
import { addHit, addRequest, openDay } from "../../../src/sources/logs/counting/open-day.ts";
import { numberSender } from "../../../src/sources/logs/counting/senders.ts";
import { createHitReader, FOR_FILTER, type QueriedDay } from "../../../src/sources/logs/hit-reader.ts";
import { formatHits } from "../../../src/sources/logs/store/day-hits.ts";
import { createHitMemory } from "../../../src/sources/logs/store/hit-memory.ts";

const DAY = 86_400;

/** Closed days with a visitor of `/a` and one of `/b` each, and how often each day's hits were read. */
function createDays(count: number) {
  const memory = createHitMemory();
  const reads = new Map<string, number>();
  const days = Array.from({ length: count }, (_, number): QueriedDay => {
    const date = new Date(number * DAY * 1_000).toISOString().slice(0, 10);
    const day = openDay(date, number * DAY, (number + 1) * DAY);
    for (const [agent, path] of ["/a", "/b"].entries()) {
      const sender = numberSender(day, { group: "192.0.2.1", agent }, () => 0);
      addRequest(day, sender, false, undefined);
      addHit(day, sender, number * DAY + 60, 2 * day.values.of("pages").number(path), 0);
    }
    const { counts: counted, table } = countDay(day, "UTC");
    const counts = memory.keep(counted, formatHits(day, table));
    const readHits = () => {
      reads.set(date, (reads.get(date) ?? 0) + 1);
      return counts.readHits?.() ?? new Uint8Array();
    };
    return { date, counts: { ...counts, readHits } };
  });
  return { days, listReads: () => days.map(({ date }) => reads.get(date) ?? 0) };
}

function createAsk(onTable: (name: string) => void = () => {}) {
  const read = createHitReader();
  return async (name: string, days: readonly QueriedDay[], filter: string, signal?: AbortSignal) => {
    let pageviews = 0;
    const take = (_: string, __: unknown, count: () => { totals: { pageviews: number } }) => {
      onTable(name);
      pageviews += count().totals.pageviews;
    };
    await read({ days, filter: parseFilter([filter]), purpose: FOR_FILTER, take, signal });
    return pageviews;
  };
}

describe("questions about the hits of days", () => {
  it("that are asked together read each day once, whatever their filters are", async () => {
    const { days, listReads } = createDays(4);
    const ask = createAsk();
    const answers = await Promise.all([
      ask("all", days, "pages=/a"),
      ask("first", days.slice(0, 2), "pages=/a"),
      ask("others", days.slice(1), "pages=/*"),
    ]);
    expect(answers).toEqual([4, 2, 6]);
    expect(listReads()).toEqual([1, 1, 1, 1]);
  });

  it("that come later read again only what they have missed", async () => {
    const { days, listReads } = createDays(4);
    let later: Promise<number> | undefined;
    const ask: ReturnType<typeof createAsk> = createAsk((name) => {
      if (name === "first") later ??= ask("later", days, "pages=/b");
    });
    expect(await ask("first", days, "pages=/a")).toBe(4);
    expect(await later).toBe(4);
    expect(listReads()).toEqual([2, 1, 1, 1]);
  });

  it("take turns, so that a short one does not wait for a long one", async () => {
    const { days } = createDays(20);
    const ask = createAsk();
    const answered: string[] = [];
    await Promise.all([
      ask("long", days, "pages=/a").then(() => answered.push("long")),
      ask("short", days.slice(-1), "pages=/a").then(() => answered.push("short")),
    ]);
    expect(answered).toEqual(["short", "long"]);
  });

  it("end when nobody asks any more, and the others go on", async () => {
    const { days, listReads } = createDays(6);
    const stop = new AbortController();
    const ask = createAsk((name) => {
      if (name === "stopped") stop.abort(new Error("stopped"));
    });
    const stopped = ask("stopped", days, "pages=/a", stop.signal);
    const other = ask("other", days.slice(0, 3), "pages=/a");
    await expect(stopped).rejects.toThrow("stopped");
    expect(await other).toBe(3);
    expect(listReads()).toEqual([1, 1, 1, 0, 0, 0]);
  });
});
