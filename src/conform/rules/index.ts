import { operations } from "../../operations/index.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Rule, Section } from "../rule.ts";
import { readUsual } from "../subject.ts";
import { authorization } from "./authorization.ts";
import { breakdownSection } from "./breakdown.ts";
import { dates } from "./dates.ts";
import { errors } from "./errors.ts";
import { headers } from "./headers.ts";
import { isolation } from "./isolation.ts";
import { openapiSection } from "./openapi.ts";
import { parameters } from "./parameters.ts";
import { periods } from "./periods.ts";
import { rateLimit } from "./rate-limit.ts";
import { realtimeSection } from "./realtime.ts";
import { series } from "./series.ts";
import { sitesSection } from "./sites.ts";
import { statsSection } from "./stats.ts";

/** In the order in which they are checked. */
const written: readonly Section[] = [
  authorization,
  parameters,
  sitesSection,
  periods,
  statsSection,
  series,
  breakdownSection,
  dates,
  realtimeSection,
  openapiSection,
];

/** The basic rule of every operation, from its declaration: it answers, with the members it must have. */
function buildAnswerRule(operation: Operation): Rule {
  const { path, conform } = operation;
  return {
    id: `${conform.section}.answer`,
    severity: "must",
    title: `${path} answers 200 with ${conform.members}.`,
    fix: `Send every member with the contract's type; ${conform.fix}.`,
    check: async (subject) => void (await readUsual(subject, operation)),
  };
}

/** Every rule, by section. An operation without rules of its own has a section for its basic rule. */
export const sections: readonly Section[] = [
  ...written.map((section) => {
    const own = operations.filter(({ conform }) => conform.section === section.name);
    return { ...section, rules: [...own.map(buildAnswerRule), ...section.rules] };
  }),
  ...operations
    .filter(({ conform }) => !written.some(({ name }) => name === conform.section))
    .map((operation): Section => {
      const { conform, tool } = operation;
      return { name: conform.section, title: tool.title, rules: [buildAnswerRule(operation)] };
    }),
  errors,
  headers,
  isolation,
  // Last, since the others may use the quota up.
  rateLimit,
];

export const rules: readonly Rule[] = sections.flatMap((section) => section.rules);
