import type * as z from "zod";
import { askForSite } from "../client/site-lookup.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { operations } from "../operations/index.ts";
import type { Operation, Presentation } from "../operations/operation.ts";
import { once } from "../operations/schemas.ts";
import type { View } from "../operations/view.ts";
import { compare } from "./compare.ts";
import { answerInTime } from "./deadline.ts";
import { overview } from "./overview.ts";
import { adviseOnQuota } from "./quota-advice.ts";
import type { Report } from "./report-definition.ts";

/** An answer, with the parameters of its query and the tables that show it. */
export interface Answer {
  params: Record<string, unknown>;
  result: Record<string, unknown>;
  views: View[];
}

/** What people and assistants can ask: an operation or a report. Each is a command and a tool. */
export interface Query extends Presentation {
  readonly name: string;
  /** `site` is optional: `ask` can find it. */
  readonly params: z.ZodObject;
  readonly result: z.ZodObject;
  readonly compact?: Operation["compact"];
  /** @param params Parsed with `params`. */
  ask(call: Call, params: Record<string, unknown>, options: CallOptions): Promise<Answer>;
}

export const queries: readonly Query[] = [
  ...operations.map(fromOperation),
  fromReport(overview),
  fromReport(compare),
];

/** Returns the query of that name. Throws TypeError if there is none. */
export function findQuery(name: string): Query {
  const query = queries.find((each) => each.name === name);
  if (query === undefined) throw new TypeError(`There is no query ${name}.`);
  return query;
}

function fromOperation(operation: Operation): Query {
  return createQuery(operation, async (call, params, options) => {
    const result = await call(operation, params, options);
    return { params, result, views: [operation.view(result, params)] };
  });
}

function fromReport(report: Report): Query {
  return createQuery(report, async (call, params, options) => {
    const result = await adviseOnQuota(call, params, (counted) => report.compute(counted, params, options));
    return { params, result, views: report.views(result) };
  });
}

function createQuery(
  source: Omit<Query, "ask">,
  ask: (call: Call, params: Record<string, unknown>, options: CallOptions) => Promise<Answer>,
): Query {
  const { name, summary, tool, shell, list, isDescription, compact } = source;
  const params = once(() =>
    "site" in source.params.shape ? source.params.partial({ site: true }) : source.params,
  );
  return {
    ...{
      name,
      summary,
      tool,
      shell,
      ...(list && { list }),
      ...(isDescription && { isDescription }),
      ...(compact && { compact }),
    },
    // Getters, because reading these members builds the schemas.
    get params() {
      return params();
    },
    get result() {
      return source.result;
    },
    ask: (call, given, limits) =>
      answerInTime(limits, (options) =>
        "site" in source.params.shape
          ? askForSite(call, given, options, (complete) => ask(call, complete, options))
          : ask(call, given, options),
      ),
  };
}
