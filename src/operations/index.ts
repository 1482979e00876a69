import { breakdown } from "./breakdown.ts";
import { crawlers } from "./crawlers.ts";
import { notFound } from "./not-found.ts";
import { openapi } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import { realtime } from "./realtime.ts";
import { sites } from "./sites.ts";
import { stats } from "./stats.ts";
import { timeseries } from "./timeseries.ts";

export { breakdown, crawlers, notFound, openapi, realtime, sites, stats, timeseries };

/** The contract, in the order people see it. */
export const operations = [
  sites,
  stats,
  timeseries,
  breakdown,
  crawlers,
  notFound,
  realtime,
  openapi,
] as const;

export type AnyOperation = (typeof operations)[number];
export type OperationName = AnyOperation["name"];

/** The operations that a service may lack. */
export type OptionalOperation = Exclude<AnyOperation, { isOptional?: never }>;

/** The operations that count days. They take `days`; clients also ask them for any period. */
export type DaysOperation = Extract<AnyOperation, { params: { shape: { days: unknown } } }>;

/** Reads the declaration, which builds the schema of its parameters. */
export const takesDays = (operation: Operation): operation is DaysOperation =>
  "days" in operation.params.shape;
