import { answerRightly, type Fault } from "../support/fault-proxy.ts";
import type { NamedFault } from "./sending.ts";

/** Above the number of rows, so that the limit changes nothing else. */
const FIRST_LIMIT = 100;

/** The call that meets a fault, identified by its limit. */
export const questionOf = (index: number) => ({
  site: "example.com",
  dimension: "cities",
  days: 3,
  limit: FIRST_LIMIT + index,
});

/** Several faults on one server, so that one process meets them all at once. */
export function createSwitchboard(faults: readonly NamedFault[]): Fault {
  const counts = new Map<number, number>();
  return (wire) => {
    const index = Number(/[?&]limit=(\d+)/.exec(wire.path)?.[1]) - FIRST_LIMIT;
    const count = (counts.get(index) ?? 0) + 1;
    counts.set(index, count);
    return (faults[index]?.fault ?? answerRightly)({ ...wire, count });
  };
}
