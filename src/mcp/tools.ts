import type { CallOptions } from "../client/client.ts";
import { AnalyticsError } from "../errors.ts";
import { type Question, questions } from "../insights/question.ts";
import { openapi } from "../operations/index.ts";
import type { Source } from "../operations/operation.ts";
import { buildAnswer, buildErrorAnswer, type ToolAnswer } from "./answer.ts";
import type { McpServerOptions } from "./server.ts";

const byName = new Map(questions.map((question) => [question.tool.name, question]));

export const findTool = (name: string): Question | undefined => byName.get(name);

/** What a tool answers. A thrown error's message would reach the client word for word, so none is thrown. */
export async function answerTool(
  { call, admit, demo, profile }: McpServerOptions,
  question: Question,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  try {
    admit();
    const [options, source]: [CallOptions, Source] = [{ signal }, { demo, profile }];
    if (question.name === openapi.name) {
      const { answerOpenApi } = await import("./openapi-tool.ts");
      return await answerOpenApi(call, input, options, source);
    }
    return buildAnswer(question, await question.ask(call, input, options), source);
  } catch (error) {
    if (error instanceof AnalyticsError) return buildErrorAnswer(error);
    return buildErrorAnswer(
      new AnalyticsError("internal_error", "analytics-mcp failed to answer: this is a bug."),
    );
  }
}
