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

/** `must` if it does not say otherwise. */
export type RuleDefinition = Omit<Rule, "severity"> & { severity?: Severity };

export function defineRules(...rules: RuleDefinition[]): Rule[] {
  return rules.map((rule) => ({ severity: "must", ...rule }));
}

export function defineSection(
  section: Omit<Section, "rules"> & { rules: readonly RuleDefinition[] },
): Section {
  return { ...section, rules: defineRules(...section.rules) };
}
