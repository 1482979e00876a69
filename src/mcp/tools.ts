import { AnalyticsError } from "../errors.ts";
import { type Question, questions } from "../insights/question.ts";
import { openapi } from "../operations/index.ts";
import { buildAnswer, buildErrorAnswer, type ToolAnswer } from "./answer.ts";
import type { McpServerOptions } from "./server.ts";

const byName = new Map(questions.map((question) => [question.tool.name, question]));

export const findTool = (name: string): Question | undefined => byName.get(name);

/** What a tool answers. A thrown error's message would reach the client word for word, so none is thrown. */
export async function answerTool(
  { call, admit, about, options }: McpServerOptions,
  question: Question,
  input: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  try {
    admit();
    if (question.name === openapi.name) {
      const { answerOpenApi } = await import("./openapi-tool.ts");
      return await answerOpenApi(call, input, { signal }, { about, options });
    }
    return buildAnswer(question, await question.ask(call, input, { signal }), { about, options });
  } catch (error) {
    if (error instanceof AnalyticsError) return buildErrorAnswer(error);
    return buildErrorAnswer(
      new AnalyticsError("internal_error", "analytics-mcp failed to answer: this is a bug."),
    );
  }
}
