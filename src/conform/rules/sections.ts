import { operations } from "../../operations/index.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Rule, Section } from "../rule.ts";
import { readBasic } from "../subject.ts";
import { authorization } from "./authorization-rules.ts";
import { breakdownSection } from "./breakdown-rules.ts";
import { crawlersSection } from "./crawlers-rules.ts";
import { dates } from "./dates-rules.ts";
import { errors } from "./errors-rules.ts";
import { filtersSection } from "./filters-rules.ts";
import { headers } from "./headers-rules.ts";
import { hoursSection } from "./hours-rules.ts";
import { isolation } from "./isolation-rules.ts";
import { notFoundSection } from "./not-found-rules.ts";
import { openapiSection } from "./openapi-rules.ts";
import { parameters } from "./parameters-rules.ts";
import { periods } from "./periods-rules.ts";
import { rateLimit } from "./rate-limit-rules.ts";
import { realtimeSection } from "./realtime-rules.ts";
import { series } from "./series-rules.ts";
import { sitesSection } from "./sites-rules.ts";
import { statsSection } from "./stats-rules.ts";
import { visitsSection } from "./visits-rules.ts";

/** The hand-written rules of operations, in the order in which they are checked. */
const written: readonly Section[] = [
  authorization,
  parameters,
  sitesSection,
  periods,
  statsSection,
  series,
  breakdownSection,
  visitsSection,
  dates,
  filtersSection,
  hoursSection,
  realtimeSection,
  crawlersSection,
  notFoundSection,
  openapiSection,
];

/** The basic rule of an operation, from its declaration: it answers with the required members. */
function buildAnswerRule(operation: Operation): Rule {
  const { path, conform } = operation;
  return {
    id: `${conform.section}.answer`,
    severity: "must",
    title: `${path} answers 200 with ${conform.members}.`,
    fix: `Send every member with the contract's type; ${conform.fix}.`,
    check: async (subject) => void (await readBasic(subject, operation)),
  };
}

/** All rules by section. An operation without hand-written rules has a section for its basic rule. */
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
  // Last, because the other rules may use up the quota.
  rateLimit,
];

export const rules: readonly Rule[] = sections.flatMap((section) => section.rules);
