import type { Rule, Section } from "../rule.ts";
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

/** Every rule, in the order in which they are looked at; the quota last, since the others may use it up. */
export const sections: readonly Section[] = [
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
  errors,
  headers,
  isolation,
  rateLimit,
];

export const rules: readonly Rule[] = sections.flatMap((section) => section.rules);
