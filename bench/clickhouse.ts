import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addDays } from "../src/operations/days.ts";
import type { Dimension } from "../src/operations/dimensions.ts";
import { parseFilter } from "../src/operations/filter.ts";
import type { QueryParams } from "../src/sources/clickhouse/answer.ts";
import { writeFilter } from "../src/sources/clickhouse/filter-sql.ts";
import { createHitLayout } from "../src/sources/clickhouse/hit-queries.ts";
import { atAnyTime, type RollupQueries } from "../src/sources/clickhouse/table-queries.ts";
import { describeMachine, sortTimes } from "./measure.ts";
import { publish, table } from "./results.ts";

const CHAPTER = "## ClickHouse";
const SITE = "example.com";
const LAST = "2026-11-21";
const SPANS = [1, 30, 365];
/** Of visits by a value, of hits, and of visits by their hits. */
const FILTERS = ["countries=country-7", "pages=/page/1*", "visit:pages=/page/1"];
/** Page views of a visitor on a day. */
const VIEWS = 3.3;

/**
 * Measures queries of a table of generated hits in chDB, the engine of ClickHouse as a library: seconds, rows read and
 * memory. Needs `.ci/tools`.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      hits: { type: "string", default: "10000000" },
      days: { type: "string", default: "365" },
      paths: { type: "string", default: "50000" },
      rounds: { type: "string", default: "3" },
      trial: { type: "boolean", default: false },
    },
  });
  if (!existsSync(".cache/chdb")) {
    process.stderr.write("chDB is not installed: bash .ci/tools\n");
    return 1;
  }
  const hits = Number(values.hits);
  const days = Number(values.days);
  const paths = Number(values.paths);
  const rounds = Number(values.rounds);
  const folder = mkdtempSync(join(tmpdir(), "chdb-"));
  const child = spawn(process.execPath, ["test/support/chdb-front.js", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [port] = await once(child.stdout, "data");
    const ask = createAsk(`http://127.0.0.1:${String(port).trim()}`);
    await ask(readFileSync("deploy/clickhouse/hits.sql", "utf8"));
    process.stderr.write(`Generating ${hits} hits.\n`);
    for (let day = 0; day < days; day++)
      await ask(generate(addDays(LAST, day - days + 1), hits / days, paths));
    publish(CHAPTER, await measure({ ask, pid: child.pid ?? 0, hits, days, paths, rounds }), values);
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

interface Result {
  data: Record<string, unknown>[];
  statistics: { rows_read: number; bytes_read: number };
}

type Ask = (sql: string, params?: QueryParams) => Promise<Result | undefined>;

function createAsk(url: string): Ask {
  const authorization = `Basic ${Buffer.from("default:").toString("base64")}`;
  return async (sql, params = {}) => {
    const search = Object.entries(params).map(
      ([name, value]) => [`param_${name}`, String(value)] satisfies [string, string],
    );
    const answer = await fetch(`${url}/?${new URLSearchParams(search)}`, {
      method: "POST",
      headers: { authorization },
      body: sql,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text === "" ? undefined : JSON.parse(text);
  };
}

/** A day's hits: visitors with a few page views each, a seventh of bots, and the row of the day. */
function generate(day: string, hits: number, paths: number): string {
  const count = Math.round(hits);
  const visitors = Math.max(1, Math.round((count * 6) / 7 / VIEWS));
  const who = `cityHash64(number % ${visitors})`;
  const of = (name: string, among: number, salt: number) =>
    `concat('${name}', toString(cityHash64(${who}, ${salt}) % ${among}))`;
  // A few pages have most of the views.
  const page = (seed: string) =>
    `concat('/page/', toString(toUInt32(pow((${seed} % 1000000) / 1000000, 4) * ${paths})))`;
  return `
    INSERT INTO hits (kind, site, day, visitor, time, id, sequence, visit, path, entry_page, exit_page, hostname, referrer,
      channel, country, language, device, browser, operating_system, crawler, status, pageviews, definition, timezone)
    SELECT
      if(number = 0, 'day', if(number % 7 = 3, 'bot', 'pageview')), '${SITE}', toDate('${day}'),
      if(number = 0, 0, cityHash64(${who}, '${day}')),
      toDateTime('${day} 00:00:00', 'UTC') + (number * 86399) / ${count}, cityHash64(number, '${day}'),
      intDiv(number, ${visitors}), 1, ${page("cityHash64(number)")}, ${page(`cityHash64(${who}, 1)`)},
      ${page(`cityHash64(${who}, 2)`)}, '${SITE}', ${of("referrer-", 2_000, 3)}, ${of("channel-", 9, 4)},
      ${of("country-", 120, 5)}, ${of("language-", 40, 6)}, ${of("device-", 3, 7)}, ${of("browser-", 12, 8)},
      ${of("system-", 9, 9)}, if(number % 7 = 3, concat('crawler-', toString(number % 41)), ''), 200,
      if(number = 0, ${count} - 1 - intDiv(${count} + 3, 7), 0), 1, 'UTC'
    FROM numbers(${count})`;
}

interface Bench {
  ask: Ask;
  pid: number;
  hits: number;
  days: number;
  paths: number;
  rounds: number;
}

/** Asks what is measured, and returns the number of rows that ClickHouse read. */
type Question = (params: Readonly<Record<string, string | number>>) => Promise<number>;

async function measure(bench: Bench): Promise<string> {
  const { ask, hits, days, paths, rounds } = bench;
  const layout = createHitLayout("default", "hits");
  const types = await ask("SELECT name, type FROM system.columns WHERE table = 'hits' FORMAT JSON");
  const { queries } = layout.prepare(
    new Map(types?.data.map(({ name, type }) => [String(name), String(type)])),
  );
  const named: [name: string, dimension: Dimension][] = [
    ["browsers (12 values)", "browsers"],
    ["referrers (2,000)", "referrers"],
    [`pages (${paths})`, "pages"],
    [`entry pages (${paths})`, "entry_pages"],
  ];
  const everything = writeFilter();
  const filtered = FILTERS.map((text) => [text, writeFilter(parseFilter([text]))] as const);
  const cases: [name: string, sql: string, params?: QueryParams][] = [
    ["sites", queries.sites()],
    ["the days' warnings", queries.days(atAnyTime)],
    [TOTALS, queries.totals(everything, atAnyTime)],
    ...named.map(([name, dimension]): [string, string] => [
      name,
      queries.breakdown(dimension, everything, atAnyTime),
    ]),
    ...filtered.flatMap(([text, filter]): [string, string, QueryParams][] => [
      [`${TOTALS}, ${text}`, queries.totals(filter, atAnyTime), filter.params],
      [`browsers, ${text}`, queries.breakdown("browsers", filter, atAnyTime), filter.params],
      [`pages, ${text}`, queries.breakdown("pages", filter, atAnyTime), filter.params],
    ]),
    ["crawlers", queries.crawlers?.(atAnyTime) ?? ""],
  ];
  await ask("OPTIMIZE TABLE hits FINAL");
  const rows: (string | number)[][] = [];
  for (const [name, sql, more] of cases) {
    const question: Question = async (params) =>
      rowsRead(await ask(`${sql} FORMAT JSON`, { ...params, ...more }));
    for (const span of SPANS.filter((length) => length <= days && (name !== "sites" || length === 1))) {
      rows.push([name, name === "sites" ? "" : span, ...(await measureQuestion(bench, question, span))]);
    }
  }
  const filled = await fillRollup(ask);
  const sums: (string | number)[][] = [];
  const span = SPANS.findLast((length) => length <= days) ?? 1;
  for (const [name, dimension] of [[TOTALS, ""] as const, ...named]) {
    sums.push([name, span, ...(await measureQuestion(bench, askSums(ask, layout.rollup, dimension), span))]);
  }
  const columns = ["question", "days", "seconds", "rows read", "memory, MB"];
  return [
    `### ${hits} hits in ${days} days`,
    `\`npm run bench -- clickhouse --hits ${hits} --days ${days}\`, ${describeMachine()}; the median of ${rounds} rounds; ${await measureSize(ask, "hits")} GB on disk.`,
    table(columns, rows),
    `With \`rollup.sql\`, which took ${filled} s to fill, and ${await measureSize(ask, "hits_daily")} GB on disk:`,
    table(columns, sums),
  ].join("\n\n");
}

const TOTALS = "stats, timeseries";
const rowsRead = (result: Result | undefined) => result?.statistics.rows_read ?? 0;

/** Creates the sums of all days, and returns how many seconds that took. */
async function fillRollup(ask: Ask): Promise<string> {
  const [create = "", view = ""] = readFileSync("deploy/clickhouse/rollup.sql", "utf8").split(/;\n/);
  await ask(create);
  const start = performance.now();
  await ask(view);
  const count = async () => {
    await ask("SYSTEM WAIT VIEW hits_rollup");
    const found = await ask("SELECT count() AS days FROM hits_daily WHERE dimension = '' FORMAT JSON");
    return Number(found?.data[0]?.days);
  };
  // Each refresh counts some days.
  for (let [before, now] = [-1, await count()]; now > before; [before, now] = [now, await count()]) {
    process.stderr.write(`${now} days have sums.\n`);
    await ask("SYSTEM REFRESH VIEW hits_rollup");
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  await ask("OPTIMIZE TABLE hits_daily FINAL");
  return seconds;
}

/** Asks as a source does for days that all have sums. */
function askSums(ask: Ask, rollup: RollupQueries | undefined, dimension: Dimension | ""): Question {
  return async (params) => {
    const days = await ask(`${rollup?.days()} FORMAT JSON`, { ...params, dimension });
    if (dimension === "") return rowsRead(days);
    const found = days?.data.map(({ date, run_text: run }) => [String(date), BigInt(String(run))] as const);
    const sql = `${rollup?.breakdown(dimension, atAnyTime, { runs: new Map(found), otherDays: [] })} FORMAT JSON`;
    return rowsRead(days) + rowsRead(await ask(sql, params));
  };
}

async function measureSize(ask: Ask, name: string): Promise<string> {
  const size = await ask(
    `SELECT sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND table = '${name}' FORMAT JSON`,
  );
  return (Number(size?.data[0]?.bytes) / 1e9).toFixed(2);
}

async function measureQuestion({ ask, pid, rounds }: Bench, question: Question, span: number) {
  const params = { site: SITE, from: addDays(LAST, 1 - span), to: LAST, limit: 10 };
  const [times, memory]: [number[], number[]] = [[], []];
  let read = 0;
  for (let round = 0; round < rounds; round++) {
    // Memory that an earlier question has left to the process would hide what this one needs.
    await ask("SYSTEM JEMALLOC PURGE");
    const before = resetPeak(pid);
    const start = performance.now();
    read = await question(params);
    times.push(performance.now() - start);
    memory.push(readStatus(pid, "VmHWM") - before);
  }
  return [(sortTimes(times).at(0.5) / 1000).toFixed(2), read, Math.max(...memory).toFixed(0)];
}

/** Resets Linux's record of a process's peak memory, and returns its current memory in MB. */
function resetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, "5");
  return readStatus(pid, "VmRSS");
}

function readStatus(pid: number, name: string): number {
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}
