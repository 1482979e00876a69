import { AnalyticsError } from "../errors.ts";
import { findNext } from "../operations/note.ts";
import { parseParams } from "../operations/parameters.ts";
import { assertNotDaysAndPeriod } from "../operations/period-words.ts";
import { usesDefaultDays } from "../reports/default-days.ts";
import { queries } from "../reports/queries.ts";
import type { Query } from "../reports/query.ts";
import { describePlacesSetup, findLackingPlaces, proposeCountries } from "../sources/country-package.ts";
import type { McpServerOptions } from "./server-options.ts";
import { buildAnswer, buildErrorAnswer, type ToolAnswer } from "./tool-answer.ts";
import { adviseOnArguments, readArguments } from "./tool-arguments.ts";

const byName = new Map(queries.map((query) => [query.tool.name, query]));

export const findTool = (name: string): Query | undefined => byName.get(name);

/** Answers a tool call. Never throws, because the client would see the error's message as it is. */
export async function answerTool(
  { call, admit, about, options, optionsWithSite }: McpServerOptions,
  query: Query,
  given: Record<string, unknown>,
  signal: AbortSignal,
): Promise<ToolAnswer> {
  const { name } = query.tool;
  const input = readArguments(name, given);
  try {
    await admit();
    if (query.isDescription) {
      const { answerOpenApi } = await import("./openapi-tool.ts");
      return await answerOpenApi(call, input, { signal }, { options });
    }
    const isGiven = (parameter: string) => Object.hasOwn(input, parameter);
    assertNotDaysAndPeriod(isGiven);
    const params = parseParams(query.params, input);
    const asked = await query.ask(call, params, { signal, usesDefaultDays: usesDefaultDays(isGiven) });
    // Callers over HTTP do not own the logs.
    const views = options ? proposeCountries(asked.views, options) : asked.views;
    const proposes = views.some(({ notes }) => notes.some(findNext));
    const shown = { ...asked, views };
    const answer = proposes ? (await import("./next-calls.ts")).nameCalls(query, shown, input) : shown;
    return buildAnswer(query, input, answer, { about, options, optionsWithSite });
  } catch (error) {
    if (error instanceof AnalyticsError) {
      const lacking = error.parameters.flatMap(({ detail }) => findLackingPlaces(detail) ?? []);
      const setup = options && lacking.slice(0, 1).map((places) => describePlacesSetup(places, options));
      const advice = [...adviseOnArguments(name, input, error.parameters), ...(setup ?? [])];
      if (error.parameters.length === 0) return buildErrorAnswer(error, advice);
      const [{ adviseOnRefusal }, { describeCall }] = await Promise.all([
        import("../reports/next-question.ts"),
        import("./next-calls.ts"),
      ]);
      const { message, parameters } = error;
      const { hint, next } = adviseOnRefusal(query, error, input);
      return buildErrorAnswer({ message, parameters, hint }, advice, next.map(describeCall));
    }
    return buildErrorAnswer(
      new AnalyticsError("internal_error", "analytics-mcp failed to answer: this is a bug."),
    );
  }
}
