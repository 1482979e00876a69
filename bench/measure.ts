import { cpus, loadavg } from "node:os";

/** Times in milliseconds, sorted. */
export interface Times {
  /** The quantile: this share of the times is no longer. */
  at(share: number): number;
  least: number;
  most: number;
  count: number;
}

export function sortTimes(times: readonly number[]): Times {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
  return { at, least: at(0), most: at(1), count: sorted.length };
}

/** Times each case, one after the other in each round, so that other load on the machine affects all of them alike. */
export async function compareCases(
  cases: Readonly<Record<string, () => Promise<number>>>,
  rounds: number,
): Promise<Record<string, Times>> {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, [] as number[]]));
  // The first of several only fills caches. A single round is a trial, whose times say nothing.
  for (let round = rounds > 1 ? -1 : 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(cases)) {
      const time = await measure();
      if (round >= 0) times[name]?.push(time);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, sortTimes(all)]));
}

/** The date and the machine, for the head of a section. */
export function describeMachine(): string {
  const [busy = 0] = loadavg();
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, ${cpus().length} cores (${cpus()[0]?.model.trim()}, load average ${busy.toFixed(1)})`;
}
