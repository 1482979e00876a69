import type { Tool } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { type JsonSchema, toJsonSchema } from "../operations/json-schema.ts";
import type { Query } from "../reports/query.ts";
import { linkChart } from "./chart-link.ts";
import { openapiToolParams, openapiToolResult } from "./openapi-tool.ts";

/** Whether a tool is idempotent means nothing if it only reads. */
const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  openWorldHint: true,
} as const;

/** Deepest level of an output schema that clients get in full. */
const MAX_DEPTH = 3;

/** Members that explain themselves in an answer; their schemas would cost many tokens. */
const BRIEF = new Set([
  ...["site", "period", "warnings", "comparison", "excluded", "highest", "lowest"],
  ...["current", "previous", "change", "per_day", "bounds", "more", "hours"],
]);
/** The same for the entries of a list: those of a tool with the members of its totals, and points, which differ by the interval. */
const BRIEF_LISTS = new Map([
  ["get_conversions", "rows"],
  ["get_timeseries", "points"],
]);
/** `compact` leaves out one of these where it follows from the other, so neither is required. */
const OMITTED = new Set(["value", "label"]);

/** The other tools name fewer of them. */
const PERIODS =
  "Instead of days: yesterday, this_month, october, 2026-Q3, last_7_days (complete), 2026-11-01/today, all.";

/** Descriptions for models, where they are shorter than for people or say more. */
const descriptions = new Map([
  ["site", "Id or domain."],
  ["get_stats.site", "Id or domain; optional if one."],
  ["days", "Days including today."],
  ["get_overview.days", "Complete days."],
  ["compare_periods.days", "Complete days each."],
  ["limit", "Rows."],
  ["list_sites.period", "Adds visitors and change."],
  ["get_stats.period", PERIODS],
  ["period", "As in get_stats."],
  ["against", "Another period, or year_before."],
  [
    "get_breakdown.filter",
    "All must hold: countries=DE|AT, pages=/blog/*, a row's name (Google). pages!=/x leaves out views; visit:pages!=/x, the visits. visit:pages=/x keeps all pages of these visits.",
  ],
  ["filter", "As in get_breakdown."],
  ["with", "Adds visits to rows."],
  ["interval", "week_hour: by weekday and hour."],
  ["status", "5xx: the server failed."],
  ["compare_periods.dimension", "Only this one."],
  ["compare_periods.limit", "Rows a list."],
  ["compare_periods.order", "What comes first."],
  ["goal", "events=signup or pages=/thanks*."],
  ["steps", "Instead of goal: pages=/cart, then pages=/thanks."],
  ["by", "A dimension of visits: channels."],
]);

/** What a number means and what cannot be asked. Several hosts never forward the server's instructions. */
const MEANING = "Visitors: daily uniques, added up.";
const LACKING =
  "No revenue, cohorts, returning visitors, page speed, next page, time on a page, site search, forecasts.";
/** The tools for general questions say what no tool answers. */
const GENERAL = new Set(["get_stats", "get_overview"]);

/** Describes a query as a tool. */
export function defineTool({ params, result, tool, isDescription }: Query): Tool {
  const { name, title, description } = tool;
  // What counts requests cannot be filtered: they belong to no visit.
  const hasVisitors = "days" in params.shape && "filter" in params.shape;
  const definition = {
    name,
    title,
    description: [description, hasVisitors && MEANING, GENERAL.has(name) && LACKING]
      .filter(Boolean)
      .join(" "),
    inputSchema: describeParameters(name, toJsonSchema(isDescription ? openapiToolParams : params)),
    annotations,
    ...linkChart(name),
    outputSchema: buildOutputSchema(name, isDescription ? openapiToolResult : result),
  };
  // The SDK's type demands JSON values in every keyword, which `JsonSchema` does not promise. They are JSON.
  return definition as Tool;
}

/**
 * Some hosts strip bounds from a schema, so its descriptions have them in words too. They alone have the defaults: hosts
 * that fill in defaults would send `days` beside a period, which excludes it. Lengths of texts
 * are left out: they do not help a model.
 */
function describeParameters(tool: string, schema: JsonSchema): JsonSchema {
  const { properties: all = {}, required = [] } = schema;
  const properties = Object.entries(all).map(([name, property]) => {
    const { minLength: _, maxLength: __, default: __default, ...kept } = property;
    const { minimum, maximum, description } = kept;
    const standard = property.default === undefined ? [] : [`default ${property.default}`];
    const range = minimum === undefined ? [] : [`${minimum} to ${maximum}`];
    const facts = [...range, ...standard].join(", ");
    const bounds = facts === "" ? "" : ` ${facts.charAt(0).toUpperCase()}${facts.slice(1)}.`;
    const text = descriptions.get(`${tool}.${name}`) ?? descriptions.get(name) ?? description;
    // The list of dimensions is long, and get_breakdown has it. A refusal lists the operations.
    if ((name === "dimension" && tool !== "get_breakdown") || name === "by" || name === "operation")
      delete kept.enum;
    if (name === "filter" || name === "steps") {
      kept.items = { type: "string" };
      delete kept.maxItems;
    }
    const accepted = required.includes(name) ? kept : acceptLoosely(kept);
    return [name, { ...accepted, description: `${text}${bounds}` }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/**
 * What the server accepts for an optional parameter (`tool-arguments.ts`): digits as text, one text for a list, and null. Hosts check arguments
 * against the schema before they send them. Branches have one type each, because some clients know no lists of types.
 */
function acceptLoosely({ description: _, ...schema }: JsonSchema): JsonSchema {
  const texts = schema.type === "integer" || schema.type === "array" ? [{ type: "string" }] : [];
  return { anyOf: [schema, ...texts, { type: "null" }] };
}

/**
 * The schema of a tool's structured answer. It costs a model tokens, and the model sees the answer anyway. So it has only
 * names, types and what is required, and leaves out deep levels and the members of what is in every answer. The
 * descriptions are in the OpenAPI document.
 */
function buildOutputSchema(tool: string, result: z.ZodObject): JsonSchema {
  const json = strip(toJsonSchema(result), 0);
  const list = BRIEF_LISTS.get(tool);
  const brief = list === undefined ? {} : { [list]: { type: "array", items: { type: "object" } } };
  return {
    ...json,
    properties: { ...json.properties, ...brief, receipt: { type: "object" } },
    required: [...(json.required ?? []), "receipt"],
  };
}

function strip(schema: JsonSchema, depth: number): JsonSchema {
  const { type, anyOf, properties, required, items } = schema;
  // A client may know only one type for each schema, so a union has a schema for each.
  const union = Array.isArray(type) ? type.map((name) => ({ type: name })) : anyOf;
  if (Array.isArray(union)) return { anyOf: union.map((branch: JsonSchema) => strip(branch, depth)) };
  if (depth > MAX_DEPTH) return { ...(type && { type }) };
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) =>
    // The upper ends of ranges are rarely there.
    name.endsWith("_at_most") ? [] : [[name, strip(member, BRIEF.has(name) ? MAX_DEPTH + 1 : depth + 1)]],
  );
  const kept = (required ?? []).filter((name) => !OMITTED.has(name));
  return {
    ...(type && { type }),
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(kept.length > 0 && { required: kept }),
    ...(items && { items: strip(items, depth + 1) }),
  };
}
