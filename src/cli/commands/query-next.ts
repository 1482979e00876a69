import { findNext, forPeople, type Note, propose } from "../../operations/note.ts";
import { formatCommand } from "../../operations/shell-command.ts";
import { completeNext } from "../../reports/next-question.ts";
import type { Answer, Query } from "../../reports/query.ts";
import { proposeCountries } from "../../sources/country-package.ts";

/**
 * Adds the commands to ask next.
 *
 * @param source The options that chose the source.
 * @param defaults Whether nobody said what to rank by, or which days: a service may not even take days.
 */
export function proposeNext(
  query: Query,
  given: Answer,
  source: readonly string[],
  { ranksByDefault, usesDefaultDays }: { ranksByDefault: boolean; usesDefaultDays?: boolean },
): Answer {
  const asked = usesDefaultDays ? { ...given, params: { ...given.params, days: undefined } } : given;
  const listed = ranksByDefault ? proposeLists(asked) : asked;
  const answer = proposeFilter(proposeInstead(query, nameCommands(query, listed, source), source), source);
  return { ...answer, views: proposeCountries(answer.views, source), params: given.params };
}

/** What was asked, to be asked again: of the site that was found, and without days where a period says them. */
function readAsked({ params, result }: Answer): Record<string, unknown> {
  const { days, ...given } = params;
  const { site } = result as { site?: { domain: string } };
  return { ...given, ...(site && { site: site.domain }), ...(given.period === undefined && { days }) };
}

const format = (name: string, params: Record<string, unknown>, source: readonly string[]) =>
  formatCommand(
    { name },
    Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)),
    source,
  );

/** Completes the questions that an answer proposes: as commands that ask the same source. */
function nameCommands(query: Query, answer: Answer, source: readonly string[]): Answer {
  const asked = readAsked(answer);
  const complete = (note: Note): Note => {
    const next = findNext(note);
    if (next === undefined) return note;
    const { why, name, params } = completeNext(query, next, asked);
    return forPeople(`${why}: ${formatCommand({ name }, params, source)}`);
  };
  const views = answer.views.map((view) => ({ ...view, notes: view.notes.map(complete) }));
  return { ...answer, views };
}

/** Adds the command for days that have data. */
function proposeInstead(query: Query, answer: Answer, source: readonly string[]): Answer {
  const { params, empty, instead } = answer;
  if (empty === undefined || instead === undefined) return answer;
  const { days: _, against: __, ...kept } = params;
  const command = format(query.name, { ...kept, period: instead.period }, source);
  return { ...answer, empty: `${empty} ${instead.name}: ${command}` };
}

/** Adds the command that asks about the first row alone: the pages of a country, the referrers of a page. */
function proposeFilter(answer: Answer, source: readonly string[]): Answer {
  const { ofFirst, views } = answer;
  const [view, ...others] = views;
  if (ofFirst === undefined || view === undefined) return answer;
  const { limit: _, with: __, filter: ___, ...asked } = readAsked(answer);
  const command = format("breakdown", { ...asked, ...ofFirst }, source);
  const note = forPeople(`For the first row alone: ${command}`);
  return { ...answer, views: [{ ...view, notes: [...view.notes, note] }, ...others] };
}

/** Proposes another list, where none was named. */
function proposeLists(answer: Answer): Answer {
  const note = propose({
    why: "For another list (all: --help)",
    name: "breakdown",
    params: { dimension: "referrers", limit: undefined },
  });
  return { ...answer, views: answer.views.map((view) => ({ ...view, notes: [note, ...view.notes] })) };
}
