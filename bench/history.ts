import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { installPackage } from "../test/support/package.js";
import { describeMachine } from "./measure.ts";
import { type Ran, runMeasured } from "./peak.ts";
import { publish, table } from "./results.ts";

const CHAPTER = "## The history of access logs";
const DAY = 86_400;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome";

export interface Shape {
  name: string;
  lines: number;
  days: number;
  /** What is special about a line. */
  write(index: number): { host?: string; address?: string; path?: string; referrer?: string; agent?: string };
}

/** A number below a bound that has no pattern (Knuth's multiplicative hash). */
const pick = (index: number, salt: number, below: number) =>
  (Math.imul(31 * index + salt, 2_654_435_761) >>> 8) % below;

export const honest: Shape["write"] = (index) => ({
  address: `10.0.${pick(index, 1, 200)}.${pick(index, 2, 250)}`,
  path: `/page/${pick(index, 3, 5_000)}`,
});
const long = (index: number) => `${index}-${"x".repeat(1_000)}`;

/** Campaigns of 300 characters, and paths: the first 2,600 lines, and every tenth later on, from so many networks. */
const campaignFlood = (name: string, networks: number): Shape => ({
  name: `flood: long campaigns and paths, ${name}`,
  lines: 200_000,
  days: 1,
  write: (index) => {
    if (index > 2_600 && index % 10 > 0) return honest(index);
    const text = `${index}-${"x".repeat(290)}`;
    const names = ["source", "medium", "campaign", "term", "content"];
    const network = index % networks;
    return {
      address: `203.${network >> 8}.${network & 255}.9`,
      path: `/${text}?${names.map((each) => `utm_${each}=${text}`).join("&")}`,
      referrer: `https://h${index}.example.net/`,
    };
  },
});

const shapes: readonly Shape[] = [
  { name: "an honest log", lines: 200_000, days: 1, write: honest },
  {
    name: "flood: other paths of 1 kB, one sender",
    lines: 200_000,
    days: 1,
    write: (index) => ({ address: "192.0.2.1", path: `/${long(index)}` }),
  },
  {
    name: "flood: other paths of 1 kB, other agents of one address",
    lines: 200_000,
    days: 1,
    write: (index) => ({ address: "192.0.2.1", path: `/${long(index)}`, agent: `${CHROME}/${index}` }),
  },
  {
    name: "flood: other referrers and campaigns, many addresses",
    lines: 200_000,
    days: 1,
    write: (index) => ({
      ...honest(index),
      path: `/?utm_campaign=${long(index)}`,
      referrer: `https://${index}.example.net/`,
    }),
  },
  {
    name: "flood: other hosts",
    lines: 200_000,
    days: 1,
    write: (index) => ({ ...honest(index), host: `h${index}.example` }),
  },
  campaignFlood("four addresses", 4),
  campaignFlood("a /16", 256),
  campaignFlood("1,000 networks", 1_000),
  {
    name: "a year of 10,000 page views a day",
    lines: 3_650_000,
    days: 365,
    write: honest,
  },
  { name: "ten years of 60 page views a day", lines: 219_000, days: 3_650, write: honest },
  {
    name: "1,000 sites, 30 days",
    lines: 1_000_000,
    days: 30,
    write: (index) => ({ ...honest(index), host: `site${pick(index, 4, 1_000)}.example.com` }),
  },
];

/**
 * What the history of a log costs: the first reading, a later start, one after a new line, and its size. `--only` names shapes,
 * by a part of their names.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      node: { type: "string", default: process.execPath },
      only: { type: "string", default: "" },
      /** Where the history is kept, such as on a slow disk. */
      state: { type: "string", default: tmpdir() },
      /** Whether to empty the page cache before each question, which root may. */
      cold: { type: "boolean", default: false },
      installed: { type: "string" },
      trial: { type: "boolean", default: false },
    },
  });
  const folder = values.installed ?? installPackage().folder;
  const work = mkdtempSync(join(tmpdir(), "history-"));
  const state = mkdtempSync(join(values.state, "state-"));
  try {
    const rows: (string | number)[][] = [];
    for (const shape of shapes.filter(({ name }) => name.includes(values.only))) {
      process.stderr.write(`${shape.name}\n`);
      rows.push(await measure({ ...values, folder, work, state }, shape));
    }
    const section = [
      `### Node ${process.versions.node.split(".")[0]}`,
      `\`npm run bench -- history\`, ${describeMachine()}; one run of each. Times are processor time in seconds and, behind the slash, by the clock.`,
      table(
        [
          "",
          "lines",
          "first reading",
          "MB",
          "next start",
          "MB",
          "after a new line",
          "MB",
          "folder, MB",
          "files",
          "views of people's pages that are shown",
        ],
        rows,
      ),
    ].join("\n\n");
    publish(CHAPTER, section, values);
  } finally {
    rmSync(work, { recursive: true, force: true });
    rmSync(state, { recursive: true, force: true });
    if (values.installed === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

interface Bench {
  node: string;
  cold: boolean;
  /** Where the package is installed, and where the log and its history are. */
  folder: string;
  work: string;
  state: string;
}

async function measure(bench: Bench, shape: Shape): Promise<(string | number)[]> {
  const path = join(bench.work, "access.log");
  const end = Math.floor(Date.now() / 1_000) - 60;
  writeLines(path, shape, end);
  const ask = () => askOnce(bench, path, shape, end);
  const start = performance.now();
  const first = await ask();
  const reading = (performance.now() - start) / 1_000;
  const next = await ask();
  appendFileSync(path, formatLine(shape, shape.lines, end));
  const grown = await ask();
  const { bytes, files } = measureFolder(bench.state);
  const views = Array.from({ length: shape.lines + 1 }, (_, index) => shape.write(index)).filter(
    ({ path, host }) => host === undefined && path?.startsWith(PEOPLE),
  ).length;
  const { stdout } = await askOnce(bench, path, shape, end, ["stats", "--filter", `pages=${PEOPLE}*`]);
  const { pageviews } = JSON.parse(stdout);
  for (const name of readdirSync(bench.state)) rmSync(join(bench.state, name), { recursive: true });
  const show = ({ cpuSeconds, milliseconds, peakMb }: Ran) => [
    `${cpuSeconds.toFixed(2)} / ${(milliseconds / 1_000).toFixed(2)}`,
    peakMb.toFixed(0),
  ];
  const firstReading =
    first.questions === 1
      ? show(first)
      : [`${reading.toFixed(0)} s in ${first.questions} questions`, first.peakMb.toFixed(0)];
  return [
    shape.name,
    shape.lines,
    ...firstReading,
    ...show(next),
    ...show(grown),
    (bytes / 1e6).toFixed(1),
    files,
    views === 0 ? "" : `${((100 * pageviews) / views).toFixed(1)}%`,
  ];
}

/** How the pages of `honest` begin. */
const PEOPLE = "/page/";

/**
 * Asks for the pages of all days, again and again if the first reading takes longer than a question may.
 */
async function askOnce(
  { node, cold, folder, state }: Bench,
  path: string,
  { days, write }: Shape,
  end: number,
  question: readonly string[] = ["breakdown", "--dimension", "pages", "--limit", "5"],
): Promise<Ran & { questions: number }> {
  const dateOf = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10);
  const words = [
    ...[join(folder, "node_modules/analytics-mcp/bin/analytics-mcp.js"), ...question],
    ...["--period", `${dateOf(end - days * DAY)}/${dateOf(end)}`, "--json"],
    ...["--logs", path, "--timezone", "UTC", "--site", write(0).host ?? "example.com"],
    // A flood from one address looks like a proxy.
    "--accept-proxy-addresses",
  ];
  for (let attempt = 1; ; attempt++) {
    try {
      if (cold) emptyPageCache();
      const ran = await runMeasured(node, words, { XDG_STATE_HOME: state });
      return { ...ran, questions: attempt };
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

const MAX_ATTEMPTS = 10;

function emptyPageCache(): void {
  spawnSync("sync");
  writeFileSync("/proc/sys/vm/drop_caches", "3");
}

export function writeLines(path: string, shape: Shape, end: number): void {
  writeFileSync(path, "");
  let text = "";
  for (let index = 0; index < shape.lines; index++) {
    const time = end - Math.floor(((shape.lines - index) * shape.days * DAY) / shape.lines);
    text += formatLine(shape, index, time);
    if (text.length < 1_000_000 && index < shape.lines - 1) continue;
    appendFileSync(path, text);
    text = "";
  }
}

function formatLine({ write }: Shape, index: number, time: number): string {
  const { host, address = "192.0.2.1", path = "/", referrer = "-", agent = `${CHROME}/140.0` } = write(index);
  const at = new Date(time * 1_000);
  const clock = at.toISOString().slice(11, 19);
  const stamp = `${String(at.getUTCDate()).padStart(2, "0")}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}:${clock} +0000`;
  const prefix = host === undefined ? "" : `${host}:443 `;
  return `${prefix}${address} - - [${stamp}] "GET ${path} HTTP/1.1" 200 512 "${referrer}" "${agent}"\n`;
}

function measureFolder(path: string): { bytes: number; files: number } {
  let [bytes, files] = [0, 0];
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += statSync(join(entry.parentPath, entry.name)).size;
    files++;
  }
  return { bytes, files };
}
