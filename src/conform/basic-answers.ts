import type { Reply } from "./reply.ts";
import type { Rule } from "./rule.ts";
import { type allOperations, read } from "./subject.ts";

type Operations = readonly (typeof allOperations)[number][];

/** Checks the basic answer of each operation. */
export function ofEachAnswer(operations: Operations, check: (reply: Reply) => void): Rule["check"] {
  return async (subject) => {
    for (const operation of operations) check((await read(subject, operation)).reply);
  };
}
