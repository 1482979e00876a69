import * as z from "zod";
import { readMember } from "../member.ts";
import { askedDaysParam, filterParams } from "../operations/fields.ts";
import { takesDays } from "../operations/index.ts";
import { statusParam } from "../operations/not-found.ts";
import type { Operation } from "../operations/operation.ts";
import { periodParam } from "../operations/period-words.ts";
import { noteMissingVisits, rateVisits, withoutVisits } from "../operations/visit-rates.ts";
import { defineQuery, type Query } from "./query.ts";
import { askDays, callOffered } from "./site-period.ts";

export const withParam = () =>
  z.enum(["visits"]).optional().describe("visits: adds visits, bounce rate and time to each row.");

/** An answer without the visits of single rows, which few questions need, unless `added` asks for them. */
function omitVisits(
  { list }: Operation,
  result: Record<string, unknown>,
  added: unknown,
): Record<string, unknown> {
  if (added === "visits" || !list?.hasVisits) return result;
  const rows = readMember(result, list.key);
  return Array.isArray(rows) ? { ...result, [list.key]: rows.map(withoutVisits) } : result;
}

/** What a model gets as data: as `omitVisits`, and with the rates that its text has. */
export function compactVisits(
  operation: Operation,
  result: Record<string, unknown>,
  added: unknown,
): Record<string, unknown> {
  const shown = omitVisits(operation, result, added);
  const rows = operation.list && readMember(shown, operation.list.key);
  const rated = Array.isArray(rows) ? { [operation.list?.key ?? ""]: rows.map(addRates) } : {};
  return { ...addRates(shown), ...rated };
}

const addRates = <T extends object>(counts: T): T => ({ ...counts, ...rateVisits(counts) });

/** An answer and its table, with the visits of each row if `added` asks for them. */
export function showAnswer(
  operation: Operation,
  result: Record<string, unknown>,
  params: Record<string, unknown>,
  added: unknown,
) {
  const view = operation.view(omitVisits(operation, result, added), params);
  return { result, views: [added === "visits" ? noteMissingVisits(view, result) : view] };
}

/**
 * An operation as a query. One that counts days answers for `days` that end today and, computed if the service cannot, for
 * any `period`.
 */
export function queryOf(operation: Operation, added: { asksOfFirst?: true } = {}): Query {
  const { name, summary, tool, shell, list, isDescription } = operation;
  return defineQuery({
    name,
    summary,
    tool,
    shell,
    ...(list && { list }),
    ...(isDescription && { isDescription }),
    ...added,
    params: () =>
      operation.params.extend({
        ...(takesDays(operation) && { days: askedDaysParam, period: periodParam() }),
        ...("filter" in operation.allParams.shape && filterParams()),
        ...("status" in operation.allParams.shape && statusParam()),
        ...(list?.hasVisits && { with: withParam() }),
      }),
    result: () => operation.answer,
    reply: async (call, params, options) => {
      const { with: added, ...asked } = params;
      const { period: _, ...rest } = asked;
      const result = takesDays(operation)
        ? await askDays(call, operation, asked, options)
        : await callOffered(call, operation, rest, options);
      return showAnswer(operation, result, rest, added);
    },
    compact: (result, params) => {
      const shown = compactVisits(operation, result, params?.with);
      return operation.compact?.(shown) ?? shown;
    },
  });
}
