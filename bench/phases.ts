import type { NamedFault, Outcome } from "../test/faults/sending.ts";
import { wireFaults } from "../test/faults/wire-faults.ts";
import { answerRightly, type Fault } from "../test/support/fault-proxy.ts";

/** The phases of failure, each with the outcomes that its faults must have. */
export const PHASES: [name: string, outcomes: Outcome[]][] = [
  ["cut off, or not HTTP", ["unreachable"]],
  ["5xx", ["unavailable", "internal_error"]],
  ["stalls", ["timeout"]],
  ["429", ["rate_limited"]],
  ["corrupt", ["bad_answer", "invalid_api_key", "invalid_parameter", "redirected"]],
  ["endless", ["too_large"]],
  ["odd but correct", ["right"]],
];

/** The share of a phase's requests that meet a fault. */
const SHARE = 0.7;
/** A request sent just before a phase ends may take until its deadline, and identical requests share its answer. */
const GRACE_MS = 31_000;

/** The service's faults, in phases; between them it answers correctly. */
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
        // Some faults end after a few requests.
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
    /** Whether a request that began then (`performance.now()`) and has ended can have met a fault. */
    mayFail: (began: number) => current.length > 0 || began < ended + GRACE_MS,
  };
}
