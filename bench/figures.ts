import { sortTimes } from "./measure.ts";

/** What happened in a run: how long each kind of request took, and what went wrong. */
export interface Figures {
  /** Times a step. Counts what it throws as a fault, and returns undefined then. */
  time<T>(kind: string, step: () => Promise<T>): Promise<T | undefined>;
  /** Counts an outcome that the run provoked, such as a refusal after a revocation. */
  expected(kind: string): void;
  /** Counts something that must not happen; the first of each kind is kept word for word. */
  fault(kind: string, example: string): void;
  read(): Summary;
}

export interface Summary {
  latencies: { kind: string; count: number; p50: number; p95: number; p99: number; most: number }[];
  expected: [kind: string, count: number][];
  faults: [kind: string, { count: number; example: string }][];
}

export function createFigures(): Figures {
  const times = new Map<string, number[]>();
  const asked = new Map<string, number>();
  const faults = new Map<string, { count: number; example: string }>();

  const fault: Figures["fault"] = (kind, example) => {
    const known = faults.get(kind);
    if (known) known.count++;
    else faults.set(kind, { count: 1, example: example.slice(0, 500) });
  };
  return {
    fault,
    expected: (kind) => void asked.set(kind, (asked.get(kind) ?? 0) + 1),
    time: async (kind, step) => {
      const start = performance.now();
      try {
        const result = await step();
        const known = times.get(kind) ?? [];
        known.push(performance.now() - start);
        times.set(kind, known);
        return result;
      } catch (error) {
        fault(`${kind}: ${error instanceof Error ? error.message : "failed"}`.slice(0, 120), String(error));
        return undefined;
      }
    },
    read: () => ({
      latencies: [...times].map(([kind, all]) => {
        const { count, at, most } = sortTimes(all);
        return { kind, count, p50: at(0.5), p95: at(0.95), p99: at(0.99), most };
      }),
      expected: [...asked],
      faults: [...faults],
    }),
  };
}
