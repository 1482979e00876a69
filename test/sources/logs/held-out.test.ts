import { utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { parseFilter } from "../../../src/operations/filter.ts";
import type { Warning } from "../../../src/operations/warning.ts";
import { findQuery } from "../../../src/reports/queries.ts";
import { createRandom } from "../../../src/sources/demo/random.ts";
import { createLocalCall } from "../../../src/sources/local-call.ts";
import { pick } from "../../support/seed.ts";
import { CHROME, combinedLine, createLogPlace, type LineParts, type LogPlace, NOON } from "./log-place.ts";

/**
 * Logs with what happens to logs, one kind of it or several at once, made by a seed. Each answer is compared with what the lines
 * say, counted here from their text alone. `LONG=1` asks all of them.
 */
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MIDNIGHT = NOON - 12 * HOUR;
const AGENTS = [
  CHROME,
  "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
];
const PAGES = ["/", "/pricing", "/docs", "/blog/one", "/blog/two", "/about", "/signup"];
/** The days before today. The first is never spoiled. */
const DAYS = 5;
const dateAt = (time: number) => new Date(time).toISOString().slice(0, 10);
const DATES = Array.from({ length: DAYS + 1 }, (_, index) => dateAt(MIDNIGHT - (DAYS - index) * DAY));

type Random = () => number;
const upTo = (random: Random, count: number) => Math.floor(random() * count);

interface Sent extends LineParts {
  /** Which people, so that what happens to a visit happens to all of it. */
  of: "people" | "scanner" | "crawler" | "others";
}

/** A day of 90 people, a scanner and a crawler. Nobody comes in the first and the last ten minutes. */
function sendDay(random: Random, day: number): Sent[] {
  const start = MIDNIGHT - (DAYS - day) * DAY;
  const length = (day === DAYS ? 12 * HOUR : DAY) - 1_200_000;
  const sent: Sent[] = [];
  for (let person = 0; person < 90; person++) {
    const address = `198.51.${day}.${person}`;
    const agent = AGENTS[upTo(random, AGENTS.length)] ?? CHROME;
    let at = start + 600_000 + Math.floor(random() * (length - HOUR));
    const views = 1 + upTo(random, 5);
    let referrer = random() < 0.4 ? `https://site-${upTo(random, 6)}.example/` : "-";
    for (let view = 0; view < views; view++) {
      const path = PAGES[upTo(random, PAGES.length)] ?? "/";
      sent.push({ of: "people", at, address, agent, path, referrer });
      sent.push({ of: "people", at: at + 1_000, address, agent, path: "/style.css", referrer: urlOf(path) });
      referrer = urlOf(path);
      at += 10_000 + upTo(random, 500_000);
    }
    if (random() < 0.05)
      sent.push({ of: "people", at, address, agent, path: "/gone", status: 404, referrer });
  }
  for (let guess = 0; guess < 25; guess++)
    sent.push({
      of: "scanner",
      at: start + HOUR + guess * 1_000,
      ...{ address: "203.0.113.66", path: `/guess-${guess}`, status: guess === 0 ? 200 : 404 },
    });
  sent.push({
    of: "crawler",
    at: start + 2 * HOUR,
    ...{ address: "203.0.113.67", agent: "Mozilla/5.0 (compatible; GPTBot/1.2)", path: "/docs" },
  });
  return sent;
}

const urlOf = (path: string) => `https://example.com${path}`;

/** What happens, in this order: to requests, to their lines and to files. */
interface Made {
  random: Random;
  sent: Sent[];
  /** The day on which it happens. */
  day: number;
  lines: string[];
  /** The file in no known format. */
  other?: { lines: string[]; dates: string[] };
}

const startOf = (day: number) => MIDNIGHT - (DAYS - day) * DAY;
const isOn = (day: number, at: number) => at >= startOf(day) && at < startOf(day + 1);
const flood = (made: Made, count: number, partsOf: (index: number) => Omit<LineParts, "at">) => {
  for (let index = 0; index < count; index++)
    made.sent.push({ of: "others", at: startOf(made.day) + 1_000 + 100 * index, ...partsOf(index) });
};

const ofRequests = {
  "broken images on each page": ({ sent, day }) => {
    for (const { at, of, path = "/", referrer: _, ...person } of sent.filter(
      ({ at, of, path = "" }) => of === "people" && isOn(day, at) && !path.includes("."),
    ))
      for (let image = 0; image < 5; image++)
        sent.push({
          of,
          at: at + 1_000,
          ...person,
          path: `/img/${image}.png`,
          status: 404,
          referrer: urlOf(path),
        });
  },
  "a deploy with broken chunks": ({ sent, day }) => {
    for (const { at, of, path = "/", referrer: _, ...person } of sent.filter(
      ({ at, of, path = "" }) => of === "people" && isOn(day, at) && !path.includes("."),
    ))
      for (let chunk = 0; chunk < 9; chunk++)
        sent.push({
          of,
          at: at + 1_000,
          ...person,
          path: `/assets/c${chunk}.js`,
          status: 404,
          referrer: urlOf(path),
        });
  },
  "a page that answers 500": ({ sent, day, random }) => {
    const path = PAGES[1 + upTo(random, PAGES.length - 1)];
    for (const request of sent)
      if (request.of === "people" && isOn(day, request.at) && request.path === path) request.status = 500;
  },
  "long texts from few addresses": (made) => {
    const networks = 1 + upTo(made.random, 4);
    flood(made, 1_300, (index) => {
      const long = `${index}-${"x".repeat(290)}`;
      return {
        address: `192.0.${index % networks}.9`,
        path: `/${long}?${["source", "medium", "campaign"].map((name) => `utm_${name}=${name}${long}`).join("&")}`,
        referrer: `https://h${index}.example/`,
      };
    });
  },
  "one address beside people": (made) => {
    flood(made, 4_000, (index) => ({ address: "192.0.2.50", path: `/blog/${index % 3}` }));
  },
  "a new proxy": ({ sent, day, random }) => {
    const address = random() < 0.5 ? "10.0.0.5" : "203.0.113.200";
    for (const request of sent) if (request.at >= startOf(day)) request.address = address;
  },
  "downloads in the second before a visit": ({ sent, day }) => {
    for (const request of [...sent])
      if (request.of === "people" && isOn(day, request.at) && request.path === "/docs")
        sent.push({ ...request, at: request.at - 1_000, path: "/files/guide.pdf" });
  },
  "a tab in a dead link": ({ sent, day, random }) => {
    for (const request of [...sent])
      if (request.of === "people" && isOn(day, request.at) && random() < 0.1)
        sent.push({ ...request, path: "/docs%09", status: 404, referrer: urlOf("/docs") });
  },
  "a deleted page": ({ sent, day, random }) => {
    const path = PAGES[1 + upTo(random, PAGES.length - 1)];
    for (const request of sent)
      if (request.of === "people" && isOn(day, request.at) && request.path === path) request.status = 404;
  },
} satisfies Record<string, (made: Made) => void>;

/** As many bytes, in no known format. */
const spoil = (line: string) => `?${line.slice(1).replaceAll(/["[\]]/g, "|")}`;
const dateOf = (line: string) => dateAt(readLine(line)?.at ?? 0);

const ofLines = {
  "unreadable lines": (made) => {
    const share = [0.05, 0.1, 0.2, 0.4][upTo(made.random, 4)] ?? 0.1;
    const date = DATES[made.day] ?? "";
    const own = made.lines.flatMap((line, index) => (dateOf(line) === date ? [index] : []));
    // Between readable ones of the same day.
    for (const index of own.slice(1, -1))
      if (made.random() < share) made.lines[index] = spoil(made.lines[index] ?? "");
  },
  "a format that changes in the middle": (made) => {
    const from = made.lines.findLastIndex((line) => dateOf(line) === DATES[DAYS - 1]) - 40;
    made.lines = made.lines.map((line, index) => (index < from ? line : spoil(line)));
  },
  "lines dated in the future": (made) => {
    const count = 1 + upTo(made.random, 5);
    const middle = made.lines.findIndex((line) => dateOf(line) === DATES[made.day]) + 50;
    const future = Array.from({ length: count }, (_, index) =>
      combinedLine({ at: NOON + 300 * DAY + index }),
    );
    made.lines.splice(middle, 0, ...future);
  },
  "a log that has ended, with a last line in the future": (made) => {
    const end = made.lines.findIndex((line) => dateOf(line) === DATES[DAYS - 2]);
    made.lines = [...made.lines.slice(0, end), combinedLine({ at: NOON + 300 * DAY })];
  },
  "its content twice": (made) => {
    made.lines = [...made.lines, ...made.lines];
  },
  "a second file in an unknown format": (made) => {
    const [own, others]: string[][] = [[], []];
    for (const line of made.lines) (made.random() < 0.5 ? own : others)?.push(line);
    made.lines = own ?? [];
    const read = (others ?? []).flatMap((line) => readLine(line) ?? []).filter(({ at }) => at < NOON);
    made.other = {
      lines: read.map(({ at, address, path }) => `${new Date(at).toISOString()};${address};GET;${path}`),
      dates: [...new Set(read.map(({ at }) => dateAt(at)))],
    };
  },
  "two servers, one behind the other in a file": (made) => {
    const isFirst = made.lines.map(() => made.random() < 0.5);
    made.lines = [true, false].flatMap((first) => made.lines.filter((_, index) => isFirst[index] === first));
  },
} satisfies Record<string, (made: Made) => void>;

type Kind = keyof typeof ofRequests | keyof typeof ofLines;
const KINDS = [...Object.keys(ofRequests), ...Object.keys(ofLines)] as Kind[];

/** 32 logs of one kind each, and 8 of two or three. */
const LOGS: { number: number; kinds: Kind[] }[] = Array.from({ length: 40 }, (_, number) => {
  if (number < 32) return { number, kinds: [KINDS[number % KINDS.length] ?? "its content twice"] };
  const random = createRandom(`kinds ${number}`);
  const kinds = new Set<Kind>();
  while (kinds.size < 2 + (number % 2)) kinds.add(KINDS[upTo(random, KINDS.length)] ?? "its content twice");
  return { number, kinds: [...kinds] };
});

function makeLog({ number, kinds }: (typeof LOGS)[number]): Made {
  const random = createRandom(`log ${number}`);
  const sent = DATES.flatMap((_, day) => sendDay(random, day));
  const made: Made = { random, sent, day: 2 + upTo(random, 2), lines: [] };
  for (const [kind, happen] of Object.entries(ofRequests)) if (kinds.includes(kind as Kind)) happen(made);
  made.lines = sent.toSorted((a, b) => a.at - b.at).map(combinedLine);
  for (const [kind, happen] of Object.entries(ofLines)) if (kinds.includes(kind as Kind)) happen(made);
  return made;
}

const LINE =
  /^(\S+) - - \[(\d\d)\/(\w{3})\/(\d{4}):([\d:]{8}) \+0000\] "GET (\S+) HTTP\/1\.1" (\d{3}) \d+ "([^"]*)" "([^"]*)"$/;

/** What a line says, if it is one of the combined format. */
function readLine(line: string) {
  const [, address = "", day, month, year, clock, path = "", status, referrer = "", agent = ""] =
    LINE.exec(line) ?? [];
  if (address === "") return undefined;
  const at = Date.parse(`${day} ${month} ${year} ${clock} GMT`);
  return { at, address, path: path.replace(/\?.*/, ""), status: Number(status), referrer, agent };
}

type Line = NonNullable<ReturnType<typeof readLine>>;

const isPage = ({ path, status }: Line) => status === 200 && !/\.(?:css|js|png|pdf)$/.test(path);
const whoOf = ({ address, agent }: Line) => `${address} ${agent}`;

const pathOf = ({ path }: Line) => path;

function group(lines: readonly Line[], keyOf: (line: Line) => string): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const found = groups.get(keyOf(line));
    if (found) found.push(line);
    else groups.set(keyOf(line), [line]);
  }
  return groups;
}

/** What the lines of a day say, by the rules of docs/log-rules.md, written once more and simply. */
function countDay(lines: readonly Line[]) {
  const people = group(
    lines.filter(({ agent }) => !/bot/i.test(agent)),
    whoOf,
  );
  for (const [who, own] of people) {
    const seen = new Set(own.filter(isPage).map(({ path }) => urlOf(path)));
    const isLacking = ({ path, status, referrer }: Line) =>
      status >= 400 && /\.\w+$/.test(path) && seen.has(referrer);
    const judged = own.filter((line) => !isLacking(line));
    const refused = judged.filter(({ status }) => status >= 400 && status < 500);
    if (judged.length >= 20 && refused.length >= 0.8 * judged.length) people.delete(who);
  }
  const all = [...people.values()].flat();
  const views = all.filter(isPage);
  const visitors = new Set(views.map(whoOf));
  const largest = [...group(views, ({ address }) => address).values()]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 3)
    .flat();
  const isPrivate = largest.some(({ address }) => address.startsWith("10."));
  const isConcentrated = views.length >= (isPrivate ? 50 : 200) && largest.length >= 0.8 * views.length;
  // A flood is few of the day's visitors.
  const isFlood = !isPrivate && new Set(largest.map(whoOf)).size <= 0.05 * visitors.size;
  return {
    visitors: visitors.size,
    pageviews: views.length,
    events: all.filter((line) => line.path.endsWith(".pdf") && visitors.has(whoOf(line))).length,
    isProxied: isConcentrated && !isFlood,
    pages: group(views, pathOf),
    gone: group(
      all.filter(({ status }) => status === 404 || status === 410),
      pathOf,
    ),
    failed: group(
      all.filter(({ status }) => status >= 500),
      pathOf,
    ),
  };
}

interface Day {
  lines: Line[];
  bytes: number;
  /** The lines that cannot be read, and their bytes. */
  unread: number;
  lost: number;
  future: number;
}

/** What all lines say, by date, with the unreadable ones between those of a day. */
function countLines(lines: readonly string[]) {
  const read = lines.map((line) => ({ line, said: readLine(line) }));
  const days = new Map<string, Day>(
    DATES.map((date) => [date, { lines: [], unread: 0, bytes: 0, lost: 0, future: 0 }]),
  );
  let date = "";
  for (const { line, said } of read) {
    const isFuture = said !== undefined && said.at > NOON + DAY;
    if (said && !isFuture) date = dateAt(said.at);
    const day = days.get(date);
    if (day === undefined) continue;
    day.bytes += line.length + 1;
    if (isFuture) day.future++;
    else if (said) day.lines.push(said);
    else {
      day.unread++;
      day.lost += line.length + 1;
    }
  }
  // Until the file was written: those behind the last readable line may be of any day since then.
  const tail = read.length - 1 - read.findLastIndex(({ said }) => said !== undefined);
  const last = Math.max(...read.map(({ said }) => (said && said.at < NOON + DAY ? said.at : 0)));
  const seen = new Set<string>();
  let [latest, again] = [0, 0];
  for (const { line, said } of read) {
    if (said && said.at < latest - HOUR && seen.has(line)) again++;
    seen.add(line);
    latest = Math.max(latest, said && said.at < NOON + DAY ? said.at : 0);
  }
  const unread = [...days.values()].reduce((sum, day) => sum + day.unread + day.future, 0);
  return { days, last, pause: findPause([...days.values()]), tail, unread, isTwice: again > 100 };
}

/** The longest time from one hour with a page view to the next. */
function findPause(days: readonly Day[]): number {
  const views = days.flatMap(({ lines }) => lines.filter((line) => isPage(line) && !/bot/i.test(line.agent)));
  const hours = views.map(({ at }) => Math.floor(at / HOUR)).sort((a, b) => a - b);
  return HOUR * Math.max(...hours.map((hour, index) => hour - (hours[index - 1] ?? hour)));
}

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

interface Answer {
  visitors: number;
  visitors_at_most?: number;
  pageviews: number;
  events: number;
  warnings?: Warning[];
  rows: { value: string | null; visitors: number; pageviews: number; requests: number }[];
}

type Ask = (name: string, params: object, filter?: string) => Promise<Answer>;

/** Asks as a new process does. */
function openLogs(): Ask {
  const call = createLocalCall(
    () => place.open(),
    () => NOON,
  );
  return async (name, params, filter) => {
    const query = findQuery(name);
    const asked = query.params.parse({ site: "example.com", ...params });
    const options = filter === undefined ? {} : { filter: parseFilter([filter]) };
    return (await query.ask(call, asked, options)).result as unknown as Answer;
  };
}

describe("answers say what the lines say", () => {
  it.each(pick(LOGS, 5).map((log) => [`${log.number}: ${log.kinds.join(", ")}`, log] as const))(
    "%s",
    async (_, log) => {
      const made = makeLog(log);
      place.write("access.log", made.lines);
      if (made.other) {
        place.write("access.log.web2", made.other.lines);
        utimesSync(join(place.folder, "www", "access.log.web2"), NOON / 1_000, NOON / 1_000);
      }
      const said = countLines(made.lines);
      // The second time from what the history has.
      for (let time = 1; time <= 2; time++) {
        const ask = openLogs();
        const { warnings = [] } = await ask("timeseries", { period: `${DATES[0]}/${DATES[DAYS]}` });
        const codes = new Set(warnings.map(({ code }) => code));
        expect(codes.has("stale")).toBe(said.last < NOON - Math.min(DAY, 4 * said.pause));
        expect(codes.has("repeated_lines")).toBe(said.isTwice);
        const told = warnings.find(({ code }) => code === "unread_input");
        if (told) expect(told.values).toMatchObject({ lines: said.unread });
        for (const [date, day] of said.days) {
          if (startOf(DATES.indexOf(date)) > said.last && said.tail === 0) continue;
          const isBehind = said.tail > 0 && startOf(DATES.indexOf(date) + 1) > said.last;
          await compareDay(ask, date, day, { isBehind, ...made });
        }
      }
    },
  );
});

/**
 * Compares a day's numbers, lists and warnings.
 *
 * @param made.isBehind Whether lines behind the last readable one may be of this day.
 */
async function compareDay(
  ask: Ask,
  date: string,
  { lines, unread, bytes, lost, future }: Day,
  { other, isBehind }: Made & { isBehind: boolean },
): Promise<void> {
  const counted = countDay(lines);
  if (counted.isProxied) {
    await expect(ask("stats", { period: date }), date).rejects.toThrow("cannot be counted");
    return;
  }
  const { visitors, pageviews, events, warnings = [] } = await ask("stats", { period: date });
  expect([date, visitors, pageviews, events]).toEqual([
    date,
    counted.visitors,
    counted.pageviews,
    counted.events,
  ]);
  const told = warnings.find(({ code }) => code === "unread_input");
  const isUnread = other?.dates.includes(date) || future > 0 || isBehind || lost >= 0.01 * bytes;
  expect([date, told !== undefined]).toEqual([date, isUnread]);
  if (told)
    expect(told.values).toMatchObject({
      ...{ future, files: other ? 1 : 0 },
      ...(!isBehind && { lines: unread + future }),
    });
  await compareLists(ask, date, counted);
}

/** Compares lists of a day, and a goal: where values are folded, those of people are still there or a range says so. */
async function compareLists(ask: Ask, date: string, { pages, gone, failed }: ReturnType<typeof countDay>) {
  const { rows, warnings = [] } = await ask("breakdown", { period: date, dimension: "pages", limit: 1_000 });
  const isFolded = warnings.some(({ code }) => code === "folded");
  const expected = [...pages].filter(([path]) => path.length < 100);
  const shown = rows.filter(({ value }) => value !== null && value.length < 100);
  const sort = (list: (string | number)[][]) => list.map((each) => each.join(" ")).toSorted();
  expect(sort(shown.map(({ value, visitors, pageviews }) => [value ?? "", visitors, pageviews]))).toEqual(
    sort(expected.map(([path, own]) => [path, new Set(own.map(whoOf)).size, own.length])),
  );
  const goal = await ask("stats", { period: date }, "pages=/pricing");
  const reached = new Set((pages.get("/pricing") ?? []).map(whoOf)).size;
  expect([goal.visitors, goal.visitors_at_most !== undefined]).toEqual([reached, isFolded]);
  for (const [status, list] of [
    ["4xx", gone],
    ["5xx", failed],
  ] as const) {
    const found = await ask("not-found", { period: date, status, limit: 1_000 });
    expect(sort(found.rows.map(({ value, requests }) => [value ?? "", requests]))).toEqual(
      sort([...list].map(([path, own]) => [path, own.length])),
    );
  }
}
