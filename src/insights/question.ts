import type * as z from "zod";
import { askForSite } from "../client/site-lookup.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { operations } from "../operations/index.ts";
import type { Operation, Presentation } from "../operations/operation.ts";
import { parseParams } from "../operations/parameters.ts";
import type { View } from "../operations/view.ts";
import { compare } from "./compare.ts";
import { answerInTime } from "./deadline.ts";
import type { Insight } from "./insight.ts";
import { overview } from "./overview.ts";

/** An answer with the parameters as they were sent and what to show of it. */
export interface Answer {
  params: Record<string, unknown>;
  result: Record<string, unknown>;
  views: View[];
}

/** What a person or an assistant can ask: an operation or an insight, each a command and a tool. */
export interface Question extends Presentation {
  readonly name: string;
  readonly params: z.ZodObject;
  readonly result: z.ZodObject;
  readonly compact?: Operation["compact"];
  ask(call: Call, input: Record<string, unknown>, options: CallOptions): Promise<Answer>;
}

export const questions: readonly Question[] = [
  ...operations.map(fromOperation),
  fromInsight(overview as Insight),
  fromInsight(compare as Insight),
];

/** The question of that name, which must be one. */
export function findQuestion(name: string): Question {
  const question = questions.find((each) => each.name === name);
  if (question === undefined) throw new TypeError(`There is no question ${name}.`);
  return question;
}

function fromOperation(operation: Operation): Question {
  return createQuestion(operation, async (call, params, options) => {
    const result = await call(operation, params, options);
    return { params, result, views: [operation.view(result, params)] };
  });
}

function fromInsight(insight: Insight): Question {
  return createQuestion(insight, async (call, params, options) => {
    const result = await insight.compute(call, parseParams(insight.params, params), options);
    return { params, result, views: insight.views(result) };
  });
}

function createQuestion(
  source: Omit<Question, "ask">,
  ask: (call: Call, params: Record<string, unknown>, options: CallOptions) => Promise<Answer>,
): Question {
  const { name, summary, tool, shell, list, compact } = source;
  return {
    ...{ name, summary, tool, shell, ...(list && { list }), ...(compact && { compact }) },
    // Of those that nobody asks, the schemas are not built.
    get params() {
      return source.params;
    },
    get result() {
      return source.result;
    },
    ask: (call, input, given) =>
      answerInTime(given, (options) =>
        "site" in source.params.shape
          ? askForSite(call, input, options, (complete) => ask(call, complete, options))
          : ask(call, input, options),
      ),
  };
}
