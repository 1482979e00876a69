import { findNext, forModels, type Note } from "../operations/note.ts";
import { type CompleteQuestion, completeNext } from "../reports/next-question.ts";
import { findQuery } from "../reports/queries.ts";
import type { Answer, Query } from "../reports/query.ts";

/* What to ask next, as calls of tools. Loaded only where something is proposed. */

/** A question as the call of a tool, with its arguments. */
export const describeCall = ({ why, name, params }: CompleteQuestion): string =>
  `${why}: ${findQuery(name).tool.name} ${JSON.stringify(params)}`;

/** Completes the questions that an answer proposes. */
export function nameCalls(query: Query, answer: Answer, given: Record<string, unknown>): Answer {
  const { site } = answer.result as { site?: { domain: string } };
  const asked = { ...given, ...(site && { site: site.domain }) };
  const complete = (note: Note): Note => {
    const next = findNext(note);
    return next === undefined ? note : forModels(describeCall(completeNext(query, next, asked)));
  };
  return { ...answer, views: answer.views.map((view) => ({ ...view, notes: view.notes.map(complete) })) };
}
