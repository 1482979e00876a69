import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build } from "tsup";
import { addDays } from "../src/operations/days.ts";
import { type Filter, parseFilter } from "../src/operations/filter.ts";
import type { DataSource, Span } from "../src/sources/data-source.ts";
import type { LocalContext } from "../src/sources/source-types.ts";
import { describeMachine, sortTimes } from "./measure.ts";
import { publish, table } from "./results.ts";

const SITE = "example.com";
const LAST = "2026-11-21";
const DAYS = 30;
/** In a day that is going on, with hits until its end. */
const NOW = Date.parse(`${LAST}T12:00:00Z`);
const PLAUSIBLE = "timestamp, name, site_id, user_id, hostname, pathname, referrer, country_code";

type Open = (context: LocalContext) => Promise<DataSource>;
type Ask = (source: DataSource, span: Span) => Promise<unknown>;

const filtered = (text: string, ask: Ask): Ask => {
  const filter: Filter = parseFilter([text]);
  return (source, span) => ask(source, { ...span, filter });
};
const days: Ask = (source, span) => source.days(span);
const hours: Ask = async (source, span) => source.hours?.(span);
const list =
  (dimension: Parameters<DataSource["breakdown"]>[1]): Ask =>
  (source, span) =>
    source.breakdown(span, dimension, 10);

const QUESTIONS: readonly (readonly [name: string, ask: Ask])[] = [
  ["days of one day", days],
  ["days", days],
  ["pages", list("pages")],
  ["referrers", list("referrers")],
  ["entry pages", list("entry_pages")],
  ["days, pages=/page/1*", filtered("pages=/page/1*", days)],
  ["pages, pages=/page/1*", filtered("pages=/page/1*", list("pages"))],
  ["days, countries=A7", filtered("countries=A7", days)],
  ["referrers, countries=A7", filtered("countries=A7", list("referrers"))],
  ["days, visit:pages=/page/1", filtered("visit:pages=/page/1", days)],
  ["hours of 7 days", hours],
  ["hours of 7 days, countries=A7", filtered("countries=A7", hours)],
  ["conversions: days, events=signup", filtered("events=signup", days)],
  ["conversions: referrers, events=signup", filtered("events=signup", list("referrers"))],
  ["active", (source, { site }) => source.active(site, NOW)],
  [
    "active, countries=A7",
    (source, { site }) => source.active(site, NOW, undefined, parseFilter(["countries=A7"])),
  ],
];

/** How many days a question is about. */
const countDays = (name: string) => (name.includes("one day") ? 1 : name.includes("7 days") ? 7 : DAYS);

/**
 * Compares questions to ClickHouse between an earlier version of the code and this one: both ask the same tables in the same
 * process of chDB, in turn. `--before` is a folder with the earlier code and its packages.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      before: { type: "string" },
      hits: { type: "string", default: "5000000" },
      rounds: { type: "string", default: "7" },
      only: { type: "string", default: "" },
      trial: { type: "boolean", default: false },
    },
  });
  if (values.before === undefined) throw new TypeError("--before names a folder with the earlier code.");
  const only = new RegExp(values.only);
  const versions = [await load(values.before), await load(".")] as const;
  const folder = mkdtempSync(join(tmpdir(), "chdb-"));
  const child = spawn(process.execPath, ["test/support/chdb-front.js", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [port] = await once(child.stdout, "data");
    const url = `http://127.0.0.1:${String(port).trim()}`;
    await fill(url, Number(values.hits));
    const rows: (string | number)[][] = [];
    for (const [kind, flags] of [
      ["hits", { clickhouse: url }],
      ["Plausible", { clickhouse: url, schema: "plausible", site: [`${SITE}=1`], timezone: "UTC" }],
    ] as const) {
      for (const [name, ask] of QUESTIONS.filter(([each]) => only.test(`${kind} ${each}`))) {
        const pairs = await measurePairs(versions, {
          flags,
          ask,
          pid: child.pid,
          rounds: Number(values.rounds),
          days: countDays(name),
          // The processor's clock has steps of 10 ms.
          times: /one day|^active/.test(name) ? 10 : 1,
        });
        const row = [kind, name, ...pairs];
        process.stderr.write(`${row.join(" | ")}\n`);
        rows.push(row);
      }
    }
    const columns = ["table", "question", "before, ms", "now, ms", "time, ratio", "processor, ratio"];
    const command = "npm run bench -- clickhouse-pairs --before <folder>";
    publish(
      "## ClickHouse",
      [
        "### One writer of SQL",
        `\`${command}\`, ${describeMachine()}: ${values.hits} hits in ${DAYS} days, the medians of ${values.rounds} rounds in turn, and of the ratios of each pair.`,
        table(columns, rows),
      ].join("\n\n"),
      values,
    );
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

interface Measured {
  flags: LocalContext["flags"];
  ask: Ask;
  pid: number | undefined;
  rounds: number;
  days: number;
  /** How often the question is asked in each round. */
  times: number;
}

/** Returns the medians of both versions' times in milliseconds, and of the ratios of each pair: time, and processor time of ClickHouse. */
async function measurePairs(
  versions: readonly [Open, Open],
  { flags, ask, pid, rounds, days, times }: Measured,
): Promise<string[]> {
  const readCpu = () => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? [];
    return Number(user) + Number(system);
  };
  const measureOnce = async (open: Open) => {
    const source = await open({ flags, environment: {}, clock: () => NOW });
    const [site] = await source.sites();
    if (site === undefined) throw new Error("The table has no site.");
    const span = { site, from: addDays(LAST, 1 - days), to: LAST, now: NOW };
    // Every answer asks for them, and the source remembers which days are loaded.
    await source.warnings?.(span);
    const [start, cpu] = [performance.now(), readCpu()];
    await ask(source, span);
    return { wall: performance.now() - start, cpu: readCpu() - cpu };
  };
  const measure = async (open: Open) => {
    let [wall, cpu] = [0, 0];
    for (let time = 0; time < times; time++) {
      const once = await measureOnce(open);
      wall += once.wall / times;
      cpu += once.cpu;
    }
    return { wall, cpu };
  };
  type Measurement = Awaited<ReturnType<typeof measure>>;
  const pairs: { before: Measurement; after: Measurement }[] = [];
  // The first round only fills caches. Whichever asks second finds them warmer, so both take turns.
  for (let round = -1; round < rounds; round++) {
    const first = await measure(versions[round % 2 === 0 ? 0 : 1]);
    const second = await measure(versions[round % 2 === 0 ? 1 : 0]);
    if (round < 0) continue;
    pairs.push(round % 2 === 0 ? { before: first, after: second } : { before: second, after: first });
  }
  const median = (read: (pair: (typeof pairs)[number]) => number) => sortTimes(pairs.map(read)).at(0.5);
  return [
    median(({ before }) => before.wall).toFixed(0),
    median(({ after }) => after.wall).toFixed(0),
    median(({ before, after }) => after.wall / before.wall).toFixed(2),
    median(({ before, after }) => Math.max(1, after.cpu) / Math.max(1, before.cpu)).toFixed(2),
  ];
}

/** Bundles a version's source, since each has modules of its own. */
async function load(root: string): Promise<Open> {
  const outDir = mkdtempSync(resolve("node_modules", ".bench-"));
  process.once("exit", () => rmSync(outDir, { recursive: true, force: true }));
  await build({
    entry: { open: resolve(root, "src/sources/clickhouse/open.ts") },
    ...{ config: false, format: "esm", platform: "node", target: "node20", outDir, silent: true },
    ...{ skipNodeModulesBundle: true, outExtension: () => ({ js: ".mjs" }) },
  } as Parameters<typeof build>[0]);
  return (await import(join(outDir, "open.mjs"))).openClickHouse;
}

/** Fills both tables with the same hits: visits of four hits, a minute apart, one hit in twenty an event. */
async function fill(url: string, hits: number): Promise<void> {
  const authorization = `Basic ${Buffer.from("default:").toString("base64")}`;
  const tell = async (body: string) => {
    const answer = await fetch(url, { method: "POST", headers: { authorization }, body });
    if (!answer.ok) throw new Error(await answer.text());
  };
  await tell(readFileSync("deploy/clickhouse/hits.sql", "utf8"));
  await tell(`CREATE TABLE events_v2 (timestamp DateTime('UTC'), name LowCardinality(String), site_id UInt64, user_id UInt64,
    hostname String, pathname String, referrer String, country_code FixedString(2), screen_size LowCardinality(String),
    operating_system LowCardinality(String), browser LowCardinality(String), utm_source String, utm_medium String,
    utm_campaign String, utm_term String, utm_content String, subdivision1_code LowCardinality(String),
    city_geoname_id UInt32, acquisition_channel LowCardinality(String))
    ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) ORDER BY (site_id, toDate(timestamp), name, user_id, timestamp)`);
  const count = Math.round(hits / DAYS);
  for (let index = 0; index < DAYS; index++) {
    const day = addDays(LAST, index - DAYS + 1);
    const visit = "intDiv(number, 4)";
    const visitor = `cityHash64(${visit} % ${Math.round(count / 6)}, '${day}')`;
    const page = (seed: string) =>
      `concat('/page/', toString(toUInt32(pow((cityHash64(${seed}) % 1000000) / 1000000, 4) * 20000)))`;
    const of = (among: number, salt: number) => `toString(cityHash64(${visitor}, ${salt}) % ${among})`;
    await tell(`
      INSERT INTO hits (kind, site, day, visitor, time, id, sequence, visit, path, entry_page, exit_page, hostname, referrer,
        channel, country, device, browser, operating_system, event, status, pageviews, definition, timezone)
      SELECT if(number = 0, 'day', if(number % 20 = 7, 'event', 'pageview')), '${SITE}', toDate('${day}'),
        if(number = 0, 0, ${visitor}),
        toDateTime('${day} 00:00:00', 'UTC') + cityHash64(${visit}, '${day}') % 86000 + number % 4 * 60, number,
        number, if(number % 20 = 7, 0, 1 + intDiv(${visit}, ${Math.round(count / 6)})),
        if(number % 20 = 7, '', ${page("number")}), if(number % 20 = 7, '', ${page(`${visit} * 4`)}),
        if(number % 20 = 7, '', ${page(`${visit} * 4 + 3`)}),
        '${SITE}', concat('r', ${of(2000, 3)}, '.example'), concat('channel-', ${of(9, 4)}), concat('A', ${of(10, 5)}),
        concat('device-', ${of(3, 6)}), concat('browser-', ${of(12, 7)}), concat('system-', ${of(9, 8)}),
        if(number % 20 = 7, if(number % 3 = 0, 'signup', 'click'), ''), 200,
        if(number = 0, ${count} - 1 - intDiv(${count} + 12, 20), 0), 1, 'UTC'
      FROM numbers(${count})`);
  }
  await tell(`
    INSERT INTO events_v2 (${PLAUSIBLE}, screen_size, operating_system, browser, acquisition_channel)
    SELECT time, if(kind = 'event', event, 'pageview'), 1, visitor, hostname, if(path = '', '/', path), referrer,
      country, device, operating_system, browser, channel
    FROM hits WHERE kind != 'day'`);
  await tell("OPTIMIZE TABLE hits FINAL");
  await tell("OPTIMIZE TABLE events_v2 FINAL");
}
