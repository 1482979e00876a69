import type { Reply, Sent } from "./reply.ts";

/** A rule is broken: what was expected, what was seen, and the request that shows it. */
export class Breach extends Error {
  override readonly name: string = "Breach";
  readonly sent: Sent;
  readonly expected: string;
  readonly seen: string;
  constructor(sent: Sent, expected: string, seen: string, options?: ErrorOptions) {
    super(`expected ${expected}; seen ${seen}`, options);
    this.sent = sent;
    this.expected = expected;
    this.seen = seen;
  }
}

/** A rule cannot be checked; the message says why. */
export class Skip extends Error {
  override readonly name: string = "Skip";
}

/** No more requests are possible, so no remaining rule can be checked. */
export class Halt extends Skip {
  override readonly name = "Halt";
}

/** The data changed between two answers to be compared: the rule is checked again. */
export class Inconclusive extends Error {
  override readonly name = "Inconclusive";
}

/** Throws a breach unless the condition holds. */
export function demand(holds: boolean, reply: Reply, expected: string, seen: string): void {
  if (!holds) throw new Breach(reply.sent, expected, seen);
}
