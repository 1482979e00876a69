import { parseArgs } from "node:util";
import type { Conditions } from "../src/reports/check-conditions.ts";
import { type Sensitivity, sensitivities } from "../src/reports/usual-range.ts";
import { createRandom } from "../src/sources/demo/random.ts";
import { checkLast, drawDay, type Ordinary } from "../test/support/ordinary-days.ts";
import { describeMachine } from "./measure.ts";
import { publish, table } from "./results.ts";

const CHAPTER = "## What check notices";

const LEVELS = [20, 80, 200, 1_000];
const NOISES = [0, 0.1, 0.2, 0.3];
const CHANGES = [-20, -40, -60, 200];
const LONGEST_GROWTH = 0.05;

interface Measured extends Ordinary {
  sensitivity: Sensitivity;
  /** How many days a check knows. */
  known: number;
  seed: string;
}

/** How often `check` calls ordinary days unusual, and notices changes of visitors within two days. */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      days: { type: "string", default: "2400" },
      falls: { type: "string", default: "400" },
      seed: { type: "string", default: "1" },
      trial: { type: "boolean", default: false },
    },
  });
  const [days, cases] = [Number(values.days), Number(values.falls)];
  const measure = async (measured: Measured) => [
    await measureAlarms(measured, days),
    await measureAlarms({ ...measured, growth: LONGEST_GROWTH }, days),
    ...(await measureChanges(measured, cases)),
  ];
  const usual = { sensitivity: "normal", known: 56, seed: values.seed } as const;
  const [rows, others]: [string[][], string[][]] = [[], []];
  for (const visitors of LEVELS) {
    for (const noise of NOISES)
      rows.push([...describe(visitors, noise), ...(await measure({ ...usual, visitors, noise }))]);
  }
  for (const visitors of [80, 1_000]) {
    for (const other of [
      ...sensitivities.map((sensitivity) => ({ ...usual, sensitivity })),
      { ...usual, known: 28 },
    ]) {
      const name = other.known === 28 ? "normal, a site of four weeks" : other.sensitivity;
      const found = await measure({ ...other, visitors, noise: 0.1 });
      others.push([name, ...describe(visitors, 0.1), ...found]);
    }
  }
  const head = ["visitors a day", "noise", "false alarms", "growth of 5 % a week"];
  const changes = CHANGES.map((change) => `${change > 0 ? "+" : "−"}${Math.abs(change)} %`);
  const section = [
    "### By visitors a day and noise",
    `\`npm run bench -- check --days ${days} --falls ${cases} --seed ${values.seed}\`, ${describeMachine()}; \`check --unusual --dead-links 10 --server-errors 10\` of ${days} ordinary days and ${cases} changes for each number.`,
    table([...head, ...changes], rows),
    "The sensitivities, and a young site:",
    table(["sensitivity", ...head, ...changes], others),
  ].join("\n\n");
  publish(CHAPTER, section, values);
  return 0;
}

const describe = (visitors: number, noise: number) => [
  visitors.toLocaleString("en-US"),
  noise === 0 ? "chance alone" : `${100 * noise} %`,
];

const readConditions = ({ sensitivity }: Measured): Conditions => ({
  unusual: sensitivity,
  deadLinks: 10,
  serverErrors: 10,
});

const isMet = async (random: () => number, counts: readonly number[], measured: Measured) =>
  (await checkLast(random, counts, readConditions(measured))).some(({ state }) => state === "met");

const CHECKED_DAYS = 28;

/** Of how many ordinary days one is called unusual. */
async function measureAlarms(measured: Measured, days: number): Promise<string> {
  let [alarms, checked] = [0, 0];
  for (let site = 0; checked < days; site++) {
    const random = createRandom(`${measured.seed} ${measured.visitors} ${measured.noise} ${site}`);
    const counts = Array.from({ length: measured.known }, (_, day) => drawDay(random, day, measured));
    // A young site grows older with each day that is checked.
    const last = measured.known + (measured.known === 56 ? CHECKED_DAYS : 7);
    while (counts.length < last) {
      counts.push(drawDay(random, counts.length, measured));
      checked++;
      if (await isMet(random, counts, measured)) alarms++;
    }
  }
  return alarms === 0 ? `none in ${checked}` : `1 in ${Math.round(checked / alarms)}`;
}

/** How often each change that lasts is noticed within two days. */
async function measureChanges(measured: Measured, cases: number): Promise<string[]> {
  const found: string[] = [];
  for (const change of CHANGES) {
    let noticed = 0;
    for (let site = 0; site < cases; site++) {
      const random = createRandom(
        `${measured.seed} ${measured.visitors} ${measured.noise} ${change} ${site}`,
      );
      const length = measured.known + (site % 7);
      const counts = Array.from({ length }, (_, day) => drawDay(random, day, measured));
      for (let day = 0; day < 2; day++) {
        counts.push(drawDay(random, counts.length, measured, 1 + change / 100));
        if (!(await isMet(random, counts, measured))) continue;
        noticed++;
        break;
      }
    }
    found.push(`${Math.round((100 * noticed) / cases)} %`);
  }
  return found;
}
