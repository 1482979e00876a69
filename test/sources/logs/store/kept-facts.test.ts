import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { combinedLine, createLogPlace, type LineParts, type LogPlace, NOON } from "../log-place.ts";
import { listFiles, readDayParts, readManifest } from "./history-files.ts";

/** What the history has that no answer needs yet: later versions find it for the days of today. */

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const DAY = 86_400_000;
const own = (path: string) => `https://example.com${path}`;
const line = (second: number, parts: Partial<LineParts>) =>
  combinedLine({ at: NOON - 3_600_000 + 1_000 * second, ...parts });

/** Reads what has come, as a new process does. */
const read = async () => void (await (await place.open()).sites());

/** The lines of the file with the sums of the only closed day. */
const readSums = (): Record<string, unknown> =>
  Object.assign(
    {},
    ...listFiles(place.history())
      .filter((path) => path.endsWith(".sums.gz"))
      .flatMap((path) => gunzipSync(readFileSync(path)).toString().trim().split("\n"))
      .map((text) => JSON.parse(text)),
  );

const numbers = (bytes: Uint8Array | undefined) => [...new Uint32Array(new Uint8Array(bytes ?? []).buffer)];

it("keeps requests that were answered 5xx, with their paths and the pages that led there", async () => {
  place.write("access.log", [
    line(0, { path: "/", status: 500, referrer: own("/a") }),
    line(1, { path: "/", status: 503, referrer: own("/a"), address: "198.51.100.1" }),
    line(2, { path: "/b", status: 502 }),
    line(3, { path: "/b", status: 502, agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" }),
    line(4, { path: "/favicon.ico", status: 500 }),
  ]);
  await read();
  place.append("access.log", [line(5, { path: "/b", status: 502 })]);
  await read();
  place.clock.now += 3 * DAY;
  await read();
  expect(readSums()).toMatchObject({
    serverErrors: {
      paths: ["/", "/b"],
      requests: [2, 2],
      visitors: [2, 1],
      referrers: { paths: [0], values: ["/a"], requests: [2] },
      excluded: { bots: 1, scanners: 0 },
    },
  });
});

it("keeps the hours of a closed day", async () => {
  place.write("access.log", [line(0, {}), line(1, {}), line(3_000, { address: "198.51.100.1" })]);
  await read();
  place.clock.now += 3 * DAY;
  await read();
  const { hours } = readSums() as { hours: Record<string, number[]> };
  expect(hours.starts).toHaveLength(24);
  expect(hours.starts?.[0]).toBe(Date.UTC(2026, 10, 21) / 1000);
  expect([hours.visitors, hours.pageviews, hours.visits].map((list) => list?.slice(10, 13))).toEqual([
    [0, 2, 0],
    [0, 3, 0],
    [0, 2, 0],
  ]);
});

it("keeps which files of a page were refused, and how many were not", async () => {
  place.write("access.log", [
    line(0, { path: "/page" }),
    line(1, { path: "/a.png", status: 404, referrer: own("/page") }),
    line(2, { path: "/a.png", status: 404, referrer: own("/page") }),
    line(3, { path: "/b.png", status: 404, referrer: "https://example.net/" }),
    line(4, { path: "/c.png" }),
    line(5, { path: "/d", status: 404, referrer: own("/page") }),
  ]);
  await read();
  const [part] = readDayParts(place.history(), "2026-11-21");
  const broken = ["sender", "link", "requests"].map((name) =>
    numbers(part?.columns[`brokenFiles.${name}` as "brokenFiles.sender"]),
  );
  expect(part?.pages).toEqual(["/page"]);
  expect(broken).toEqual([[0], [1], [2]]);
  expect(numbers(part?.columns["changed.files"])).toEqual([1]);
});

it("keeps the networks of addresses, and who added a value, in all processes", async () => {
  const ask = (second: number, address: string, path: string) => line(second, { address, path });
  place.write("access.log", [ask(0, "198.51.100.1", "/a"), ask(1, "203.0.113.9", "/b")]);
  await read();
  place.append("access.log", [
    ask(2, "198.51.100.2", "/c"),
    ask(3, "2001:db8:1:2::3", "/d"),
    ask(4, "2001:db8:1:9::3", "/d"),
  ]);
  await read();
  const parts = readDayParts(place.history(), "2026-11-21");
  expect(parts.map(({ number }) => number)).toEqual([0, 1]);
  expect(parts.map(({ columns }) => numbers(columns.networkOf))).toEqual([
    [0, 1],
    [0, 2, 2],
  ]);
  expect(parts.map(({ columns }) => numbers(columns["addedBy.pages"]))).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

it("keeps where lines could not be read", async () => {
  const bad = "not a line of this format";
  place.write("access.log", [line(0, {}), bad, line(60, {}), bad, bad, line(120, {}), line(7_300, {}), bad]);
  await read();
  const start = NOON / 1000 - 3_600;
  const unread = () => readManifest(place.history()).contents.map((content) => content.unread)[0];
  const bytes = bad.length + 1;
  expect(unread()).toEqual([
    { after: start, before: start + 120, lines: 3, bytes: 3 * bytes },
    { after: start + 7_300, before: null, lines: 1, bytes },
  ]);
  appendFileSync(join(place.folder, "www", "access.log"), `${bad}\n${line(90_000, {})}\n`);
  await read();
  expect(unread()?.at(-1)).toEqual({
    after: start + 7_300,
    before: start + 90_000,
    lines: 2,
    bytes: 2 * bytes,
  });
});
