import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { installPackage } from "../test/support/package.js";
import { honest, type Shape, writeLines } from "./history.ts";
import { describeMachine } from "./measure.ts";
import { type Ran, runMeasured } from "./peak.ts";
import { publish, table } from "./results.ts";

const CHAPTER = "## Filters on access logs";
const DAY = 86_400;

const shapes: readonly Shape[] = [
  { name: "30 days, a million page views", lines: 1_000_000, days: 30, write: honest },
  { name: "a year, 12 million page views", lines: 12_000_000, days: 365, write: honest },
];

interface Question {
  name: string;
  words: string[];
  /** The same for DuckDB, of the table `hits`: its files of closed days, in order. Rows as the program's. */
  sql?: string;
}

const TOP = "ORDER BY visitors DESC, pageviews DESC, value LIMIT 10";

const questions: readonly Question[] = [
  { name: "stats", words: ["stats"] },
  {
    name: "stats of a page",
    words: ["stats", "--filter", "page=/page/7"],
    sql: `SELECT count(DISTINCT (day, visitor)) AS visitors, count(*) AS pageviews
      FROM hits WHERE visit > 0 AND path = '/page/7'`,
  },
  {
    name: "pages by browser",
    words: ["breakdown", "--dimension", "pages", "--filter", "browser=Chrome"],
    sql: `SELECT path AS value, count(DISTINCT (day, visitor)) AS visitors, count(*) AS pageviews
      FROM hits WHERE visit > 0 AND browser = 'Chrome' GROUP BY path ${TOP}`,
  },
  {
    name: "entry pages by a page of the visit",
    words: ["breakdown", "--dimension", "entry_pages", "--filter", "visit:page=/page/1*"],
    sql: `WITH visits AS (
        SELECT day, visitor, visit, arg_min(path, file_row_number) AS entry,
          bool_or(path LIKE '/page/1%') AS kept, count(*) AS views
        FROM hits WHERE visit > 0 GROUP BY day, visitor, visit)
      SELECT entry AS value, count(DISTINCT (day, visitor)) AS visitors, sum(views)::BIGINT AS pageviews
      FROM visits WHERE kept GROUP BY entry ${TOP}`,
  },
];

const DUCKDB = resolve(".cache/duckdb/node_modules/@duckdb/node-api");
const hasDuckDb = existsSync(DUCKDB);
const DUCKDB_SCRIPT = `const [path, query] = process.argv.slice(1);
  const { DuckDBInstance } = require(path);
  DuckDBInstance.create(":memory:", { threads: "1" })
    .then((database) => database.connect())
    .then((connection) => connection.runAndReadAll(query))
    .then((found) => console.log(JSON.stringify(found.getRowObjectsJson())));`;

/** What questions with a filter cost once the log is read. `--only` names shapes, by a part of their names. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      node: { type: "string", default: process.execPath },
      only: { type: "string", default: "" },
      installed: { type: "string" },
      trial: { type: "boolean", default: false },
    },
  });
  const folder = values.installed ?? installPackage().folder;
  const work = mkdtempSync(join(tmpdir(), "filters-"));
  try {
    const bare = await runMeasured(values.node, ["-e", "0"], {});
    const rows = [["`node -e 0`", "", ...show(bare, bare)]];
    for (const shape of shapes.filter(({ name }) => name.includes(values.only)))
      rows.push(...(await measure(values.node, folder, work, shape, bare)));
    const section = [
      `### Node ${process.versions.node.split(".")[0]}`,
      `\`npm run bench -- filters\`, ${describeMachine()}; one run of each. Times are processor time in seconds and, behind the slash, by the clock.`,
      table(["log", "question", "seconds", "times `node -e 0`", "MB"], rows),
    ].join("\n\n");
    publish(CHAPTER, section, values);
  } finally {
    rmSync(work, { recursive: true, force: true });
    if (values.installed === undefined) rmSync(folder, { recursive: true, force: true });
  }
  return 0;
}

const show = ({ cpuSeconds, milliseconds, peakMb }: Ran, bare: Ran): string[] => [
  `${cpuSeconds.toFixed(2)} / ${(milliseconds / 1_000).toFixed(2)}`,
  (milliseconds / bare.milliseconds).toFixed(0),
  peakMb.toFixed(0),
];

async function measure(
  node: string,
  folder: string,
  work: string,
  shape: Shape,
  bare: Ran,
): Promise<string[][]> {
  const place = mkdtempSync(join(work, "log-"));
  const path = join(place, "access.log");
  const end = Math.floor(Date.now() / 1_000) - 60;
  process.stderr.write(`${shape.name}\n`);
  writeLines(path, shape, end);
  const dateOf = (time: number) => new Date(time * 1_000).toISOString().slice(0, 10);
  const first = dateOf(end - (shape.days - 1) * DAY);
  const period = `${first}/${dateOf(end)}`;
  // A day is closed 24 hours after it ended, and has its file from then on.
  const closed = `${first}/${dateOf(end - 3 * DAY)}`;
  const ask = (words: readonly string[], days = period) =>
    runMeasured(
      node,
      [
        join(folder, "node_modules/analytics-mcp/bin/analytics-mcp.js"),
        ...words,
        ...["--period", days, "--json", "--logs", path, "--timezone", "UTC", "--site", "example.com"],
      ],
      { XDG_STATE_HOME: join(place, "state") },
    );
  await readAll(() => ask(["stats"]));
  const rows: string[][] = [];
  for (const { name, words, sql } of questions) {
    rows.push([shape.name, name, ...show(await ask(words), bare)]);
    if (sql === undefined || !hasDuckDb) continue;
    const [from, to] = closed.split("/");
    const source = `read_parquet('${place}/state/**/*.parquet', union_by_name = true, file_row_number = true)`;
    const query = `WITH hits AS (SELECT * FROM ${source} WHERE day BETWEEN '${from}' AND '${to}') ${sql.replace("WITH visits", ", visits")}`;
    const found = await runMeasured(node, ["-e", DUCKDB_SCRIPT, DUCKDB, query], {});
    assertSame(name, JSON.parse(found.stdout), JSON.parse((await ask(words, closed)).stdout));
    rows.push([shape.name, `${name}: DuckDB, 1 thread, closed days`, ...show(found, bare)]);
  }
  rmSync(place, { recursive: true });
  return rows;
}

type Counts = { value?: string | null; visitors: number | string; pageviews: number | string };

/** Throws if DuckDB counts something else. */
function assertSame(name: string, found: Counts[], answer: Counts & { rows?: Counts[] }): void {
  const show = ({ value = null, visitors, pageviews }: Counts) => [
    value,
    Number(visitors),
    Number(pageviews),
  ];
  const [ours, theirs] = [answer.rows ?? [answer], found].map((rows) => JSON.stringify(rows.map(show)));
  if (ours !== theirs) throw new Error(`${name}: DuckDB counts ${theirs}, and analytics-mcp ${ours}.`);
}

const MAX_ATTEMPTS = 10;

/** The first reading can take longer than a question may. */
async function readAll(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask();
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
