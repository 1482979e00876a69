import type { Subject } from "./subject.ts";

/** `must`: clients rely on it. `should`: good practice that the contract describes; its breach fails no run. */
export type Severity = "must" | "should";

/** One sentence of the contract, with the check that sees from outside whether a service keeps it. */
export interface Rule {
  /** Stable: `<section>.<name>`. */
  id: string;
  severity: Severity;
  /** The rule, as whoever runs a service reads it. */
  title: string;
  /** What to do where it is broken. */
  fix: string;
  /** Returns where the rule is kept; throws Breach, Skip or Inconclusive otherwise. */
  check(subject: Subject): Promise<void>;
}

export interface Section {
  /** The first part of its rules' ids. */
  name: string;
  title: string;
  rules: readonly Rule[];
}
