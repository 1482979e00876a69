import { drawSparkline } from "../src/render/block-graphics.ts";
import type { Summary } from "./figures.ts";
import { describeMachine } from "./measure.ts";
import type { Pulse } from "./pulse.ts";
import { table } from "./results.ts";

export interface Watched {
  name: string;
  /** Before the first request. */
  idle: Pulse | undefined;
  /** At equal intervals through the whole run. */
  pulses: Pulse[];
  /** At the end of each rest; the last one after all requests. */
  rests: Pulse[];
  /** Live heap at those moments, in MB. */
  heaps: number[];
}

export interface Soaked {
  command: string;
  /** Seconds. */
  elapsed: number;
  sessions: number;
  /** Milliseconds. */
  pause: number;
  /** Requests that met a fault, by phase. */
  met: Map<string, number>;
  summary: Summary;
  watched: Watched[];
}

const WIDTH = 60;
/** How much a level value may still differ between two parts of a run. */
const TOLERANCE = 1.05;

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * Whether the last third of a run is as low as the middle third, which is after warming up. Compares the minimum of
 * each: requests in flight come and go, a leak stays.
 */
export function isLevel(values: readonly number[]): boolean {
  const [, before, last] = cutThirds(values);
  return Math.min(...last) <= Math.min(...before) * TOLERANCE + 1;
}

function cutThirds<T>(values: readonly T[]): [T[], T[], T[]] {
  const [first, second] = [Math.round(values.length / 3), Math.round((values.length * 2) / 3)];
  return [values.slice(0, first), values.slice(first, second), values.slice(second)];
}

/** The section of a run in Markdown, and whether everything that should be level was. */
export function buildSoakReport(run: Soaked): { report: string; isFlat: boolean } {
  const { summary, elapsed } = run;
  const requests = summary.latencies.reduce((sum, { count }) => sum + count, 0);
  const processes = run.watched.map(describeProcess);
  const major = process.versions.node.split(".")[0];
  const report = [
    `### Node ${major}`,
    `\`${run.command}\`, ${describeMachine()}, Node ${process.versions.node}; the load, the service and its proxy share these cores.`,
    `Two servers on stdio and the connector with ${run.sessions} sessions for ${elapsed.toFixed(0)} s: ${requests} requests, ${(requests / elapsed).toFixed(0)} a second. A session acts every ${run.pause} ms on average, a client on stdio every ${run.pause / 10} ms.`,
    summary.faults.length === 0
      ? "Faults: none."
      : [
          "Faults:",
          "",
          ...summary.faults.map(([kind, { count, example }]) => `- ${count} × ${kind}: \`${example}\``),
        ].join("\n"),
    ...processes.map(({ section }) => section),
    table(["requests to the service that met a fault", "times"], [...run.met]),
    table(
      ["milliseconds, failures of the service included", "requests", "p50", "p95", "p99", "most"],
      summary.latencies
        .toSorted((a, b) => b.count - a.count)
        .map(({ kind, count, p50, p95, p99, most }) => [
          kind,
          count,
          ...[p50, p95, p99, most].map((value) => value.toFixed(0)),
        ]),
    ),
    table(["expected outcome", "times"], summary.expected),
  ].join("\n\n");
  return { report, isFlat: processes.every(({ isFlat }) => isFlat) };
}

/** What a process may have open beyond its start: a kept connection, a file opened late. */
const SPARE = 8;

interface Row {
  what: string;
  values: readonly number[];
  idle?: number | undefined;
  after?: number | undefined;
  isFlat?: boolean;
}

function describeProcess({ name, idle, pulses, rests, heaps }: Watched) {
  const read = (from: readonly Pulse[], key: keyof Pulse) => from.map((pulse) => pulse[key]);
  const last = rests.at(-1);
  /** Connections come and go, so the comparison is from after all clients left. */
  const count = (what: string, key: keyof Pulse): Row => ({
    what,
    values: read(rests.slice(0, -1), key),
    idle: idle?.[key],
    after: last?.[key],
    isFlat: (last?.[key] ?? 0) <= (idle?.[key] ?? 0) + SPARE,
  });
  const level = (row: Row): Row => ({ ...row, isFlat: isLevel(row.values) });
  const rows: Row[] = [
    level({ what: "live heap, MB*", values: heaps.slice(0, -1), after: heaps.at(-1) }),
    count("files and sockets*", "open"),
    count("of these, sockets*", "sockets"),
    count("active handles and timers*", "handles"),
    level({
      what: "resident memory, MB",
      values: read(pulses, "residentMb"),
      idle: idle?.residentMb,
      after: last?.residentMb,
    }),
    { what: "files and sockets, faults included", values: read(pulses, "open") },
    { what: "event loop delay, median, ms", values: read(pulses, "delayMedianMs") },
    { what: "event loop delay, maximum, ms", values: read(pulses, "delayMostMs") },
  ];
  const format = (value: number | undefined) =>
    value === undefined ? "" : value.toFixed(value < 10 ? 1 : 0);
  const section = table(
    [
      name,
      "through the run, from 0",
      "before",
      "minimum of each third",
      "median",
      "maximum",
      "after all left",
      "",
    ],
    rows.map(({ what, values, idle, after, isFlat }) => {
      const thirds = cutThirds(values);
      return [
        what,
        `\`${drawSparkline(condense(values))}\``,
        format(idle),
        thirds.map((third) => format(Math.min(...third))).join(", "),
        thirds.map((third) => format(median(third))).join(", "),
        format(Math.max(...values)),
        format(after),
        isFlat === undefined ? "" : isFlat ? "level" : "GROWS",
      ];
    }),
  );
  return { section, isFlat: rows.every((row) => row.isFlat !== false) };
}

/** Reduces the values to at most WIDTH, each the median of its range. */
function condense(values: readonly number[]): number[] {
  const size = Math.max(1, Math.ceil(values.length / WIDTH));
  const count = Math.ceil(values.length / size);
  return Array.from({ length: count }, (_, index) =>
    Math.max(0, median(values.slice(index * size, (index + 1) * size))),
  );
}
