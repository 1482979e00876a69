import type { Subject } from "./subject.ts";

/** `must`: clients rely on it. `should`: good practice from the contract; breaking it does not fail the run. */
export type Severity = "must" | "should";

/** One rule of the contract, with a check from outside that a service keeps it. */
export interface Rule {
  /** Stable: `<section>.<name>`. */
  id: string;
  severity: Severity;
  /** The rule in one sentence, for people who build services. */
  title: string;
  /** What to do if the rule is broken. */
  fix: string;
  /** Returns if the rule is kept. Otherwise throws Breach, Skip or Inconclusive. */
  check(subject: Subject): Promise<void>;
}

export interface Section {
  /** The first part of its rules' ids. */
  name: string;
  title: string;
  rules: readonly Rule[];
}

/** Rules by their ids, in the order in which they are checked. Each has its sentence under its severity. */
export type Rules = Readonly<
  Record<
    string,
    Pick<Rule, "fix" | "check"> &
      ({ must: string; should?: undefined } | { must?: undefined; should: string })
  >
>;

export function defineSection({ rules, ...section }: Omit<Section, "rules"> & { rules: Rules }): Section {
  const listed = Object.entries(rules).map(([id, { must, should, fix, check }]): Rule => {
    return { id, severity: should === undefined ? "must" : "should", title: must ?? should, fix, check };
  });
  return { ...section, rules: listed };
}
