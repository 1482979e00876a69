import type { Summary } from "./figures.ts";
import type { Pulse } from "./pulse.ts";
import { table } from "./results.ts";

export interface Reported {
  title: string;
  command: string;
  machine: string;
  date: string;
  /** The machine's load average over the last minute. */
  busy: number;
  /** The longest delay of the load generator itself, in milliseconds: no figure is more precise than that. */
  ownLagMs: number;
  sessions: number;
  /** Milliseconds. */
  pause: number;
  /** Seconds. */
  elapsed: number;
  summary: Summary;
  /** Readings of each process, at equal intervals. */
  pulses: Pulse[][];
  /** Live heap of each process in MB, at equal intervals; the last value is from after all sessions left. */
  heaps: number[][];
  /** One per process, after all sessions left. */
  after: Pulse[];
}

const round = (value: number, digits = 0) => value.toFixed(digits);

/** The section of one run in Markdown, without its heading. */
export function buildReport(run: Reported): string {
  const { summary, elapsed } = run;
  const requests = summary.latencies
    .filter(({ kind }) => kind !== "sign-in")
    .reduce((sum, { count }) => sum + count, 0);
  const faults = summary.faults.map(([kind, { count, example }]) => `- ${count} × ${kind}: \`${example}\``);
  return [
    `### ${run.title}`,
    `\`${run.command}\`, ${run.date}, ${run.machine}; the load, the service and the connector share these cores with other work (load average ${round(run.busy, 1)}; the load generator was up to ${round(run.ownLagMs)} ms late).`,
    `${run.sessions} sessions for ${round(elapsed)} s, each acting every ${run.pause} ms on average: ${requests} requests, ${round(requests / elapsed)} a second.`,
    summary.faults.length === 0 ? "Faults: none." : ["Faults:", "", ...faults].join("\n"),
    table(
      ["milliseconds", "requests", "p50", "p95", "p99", "most"],
      summary.latencies
        .toSorted((a, b) => b.count - a.count)
        .map(({ kind, count, ...times }) => [
          kind,
          count,
          ...[times.p50, times.p95, times.p99, times.most].map((each) => round(each)),
        ]),
    ),
    table(["expected outcome", "times"], summary.expected),
    ...run.pulses.map((pulses, index) => describeProcess(run, pulses, index)),
  ].join("\n\n");
}

function describeProcess(run: Reported, pulses: Pulse[], index: number): string {
  const second = pulses.slice(Math.floor(pulses.length / 2));
  const [first, last, after] = [second[0], second.at(-1), run.after[index]];
  if (!first || !last || !after) return "Too short to say anything about memory.";
  const most = (part: Pulse[]) => round(Math.max(...part.map((each) => each.residentMb)));
  const alive = run.heaps[index] ?? [];
  const heaps = alive.map((each) => round(each));
  const [halfway, end] = [Math.floor(heaps.length / 2), heaps.length - 1];
  const minutes = run.elapsed / 60 / (heaps.length - 1);
  const slope = fitSlope(alive.slice(halfway, end).map((each, part) => [part * minutes, each]));
  const lags = pulses.map(({ delayMostMs }) => delayMostMs).sort((a, b) => a - b);
  const cpu = pulses.reduce((sum, each) => sum + each.cpu, 0) / pulses.length;
  return table(
    [`process ${index + 1}, second half of the run`, ""],
    [
      ["live heap, MB, through the whole run", heaps.slice(0, -1).join(", ")],
      ["its slope, MB a minute", round(slope, 1)],
      ["the same, after all sessions left", heaps.at(-1) ?? ""],
      ["files and sockets, first → last", `${first.open} → ${last.open}`],
      ["the same, after all sessions left", after.open],
      ["resident memory, MB, first → last", `${round(first.residentMb)} → ${round(last.residentMb)}`],
      [
        "maximum, in the first half and in the second",
        `${most(pulses.slice(0, -second.length))}, ${most(second)}`,
      ],
      ["of one core, on average", `${round(cpu * 100)} %`],
      [
        "event loop delay within a second, ms, median and maximum",
        `${round(lags[lags.length >> 1] ?? 0)}, ${round(lags.at(-1) ?? 0)}`,
      ],
    ],
  );
}

/** The slope of the least-squares line through the points, per unit of x. */
export function fitSlope(points: [x: number, y: number][]): number {
  const mean = (of: (point: [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([each]) => each), mean(([, each]) => each)];
  const covariance = mean((point) => (point[0] - x) * (point[1] - y));
  return covariance / mean((point) => (point[0] - x) ** 2);
}
