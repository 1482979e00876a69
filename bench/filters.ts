import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

const questions: readonly (readonly [name: string, words: string[]])[] = [
  ["stats", ["stats"]],
  ["stats of a page", ["stats", "--filter", "page=/page/7"]],
  ["pages by browser", ["breakdown", "--dimension", "pages", "--filter", "browser=Chrome"]],
  [
    "entry pages by a page of the visit",
    ["breakdown", "--dimension", "entry_pages", "--filter", "visit:page=/page/1*"],
  ],
];

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
  const period = `${dateOf(end - (shape.days - 1) * DAY)}/${dateOf(end)}`;
  const ask = (words: readonly string[]) =>
    runMeasured(
      node,
      [
        join(folder, "node_modules/analytics-mcp/bin/analytics-mcp.js"),
        ...words,
        ...["--period", period, "--json", "--logs", path, "--timezone", "UTC", "--site", "example.com"],
      ],
      { XDG_STATE_HOME: join(place, "state") },
    );
  await readAll(() => ask(["stats"]));
  const rows: string[][] = [];
  for (const [name, words] of questions) rows.push([shape.name, name, ...show(await ask(words), bare)]);
  rmSync(place, { recursive: true });
  return rows;
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
