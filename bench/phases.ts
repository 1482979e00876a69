import type { NamedFault, Outcome } from "../test/faults/sending.ts";
import { wireFaults } from "../test/faults/wire-faults.ts";
import { answerRightly, type Fault } from "../test/support/fault-proxy.ts";

/** What the service does to its clients in turn, by what must come of it. */
export const PHASES: [name: string, outcomes: Outcome[]][] = [
  ["cut off, or no HTTP", ["unreachable"]],
  ["5xx", ["unavailable", "internal_error"]],
  ["stalls", ["timeout"]],
  ["429", ["rate_limited"]],
  ["corrupt", ["bad_answer", "invalid_api_key", "invalid_parameter", "redirected"]],
  ["without end", ["too_large"]],
  ["odd, but right", ["right"]],
];

/** Of the requests in a phase, so many meet a fault. */
const SHARE = 0.7;
/** What was asked just before a phase ended may take its deadline, and whoever asks the same meanwhile shares it. */
const GRACE_MS = 31_000;

/** The faults of the service, in phases; between them it answers rightly. */
export function createPhases() {
  const met = new Map<string, number>();
  let current: NamedFault[] = [];
  let name = "";
  let ended = Number.NEGATIVE_INFINITY;
  return {
    met,
    /** @param without Outcomes that would end the run: a sign-in does not outlive a 401. */
    createFault:
      (without: Outcome[] = []): Fault =>
      (wire) => {
        const possible = current.filter(({ outcome }) => !without.includes(outcome));
        const fault = possible[Math.floor((Math.random() / SHARE) * possible.length)]?.fault;
        if (!fault) return answerRightly(wire);
        met.set(name, (met.get(name) ?? 0) + 1);
        // Some faults are over after a request or more.
        return fault({ ...wire, count: 1 + Math.floor(Math.random() * 5) });
      },
    begin: ([title, outcomes]: (typeof PHASES)[number]) => {
      name = title;
      current = wireFaults.filter(({ outcome }) => outcomes.includes(outcome));
    },
    end: () => {
      current = [];
      ended = performance.now();
    },
    /** Whether what began then, by `performance.now()`, and is over now, can have met a fault. */
    mayFail: (began: number) => current.length > 0 || began < ended + GRACE_MS,
  };
}
