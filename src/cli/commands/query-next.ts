import { formatNotes, forPeople } from "../../operations/note.ts";
import { formatCommand } from "../../operations/shell-command.ts";
import type { View } from "../../operations/view.ts";
import type { Answer, Query } from "../../reports/query.ts";
import { formatCountrySetup, PLACES_OPTION } from "../../sources/country-package.ts";

/**
 * Adds the commands to ask next.
 *
 * @param source The options that chose the source.
 * @param ranksByDefault Whether nobody said what to rank by.
 */
export function proposeNext(
  query: Query,
  given: Answer,
  source: readonly string[],
  ranksByDefault: boolean,
): Answer {
  const answer = proposeFilter(proposeLastDays(query, given, source), source);
  return proposeCountries(ranksByDefault ? proposeLists(answer) : answer, source);
}

/** Adds the command for the last days with data, if those asked for are after them. */
function proposeLastDays(query: Query, answer: Answer, source: readonly string[]): Answer {
  const { params, empty, lastDays } = answer;
  if (empty === undefined || lastDays === undefined) return answer;
  const { days: _, against: __, ...kept } = params;
  const asked = Object.entries({ ...kept, period: lastDays }).filter(([, value]) => value !== undefined);
  const command = formatCommand(query, Object.fromEntries(asked), source);
  return { ...answer, empty: `${empty} Its last days: ${command}` };
}

/** Adds the command that asks about the first row alone: the pages of a country, the referrers of a page. */
function proposeFilter(answer: Answer, source: readonly string[]): Answer {
  const { params, result, ofFirst, views } = answer;
  const [view, ...others] = views;
  if (ofFirst === undefined || view === undefined) return answer;
  const { limit: _, with: __, filter: ___, days, ...given } = params;
  const { site } = result as { site?: { domain: string } };
  const asked = {
    ...given,
    ...(site && { site: site.domain }),
    ...(given.period === undefined && { days }),
    ...ofFirst,
  };
  const known = Object.entries(asked).filter(([, value]) => value !== undefined);
  const command = formatCommand({ name: "breakdown" }, Object.fromEntries(known), source);
  const note = forPeople(`For the first row alone: ${command}`);
  return { ...answer, views: [{ ...view, notes: [...view.notes, note] }, ...others] };
}

/** Says how to choose another list, where none was named. */
function proposeLists(answer: Answer): Answer {
  const note = forPeople("For another list, name it: analytics-mcp breakdown referrers (all: --help)");
  return { ...answer, views: answer.views.map((view) => ({ ...view, notes: [note, ...view.notes] })) };
}

/** Adds the command line that adds countries, where an answer lacks them for want of a database. */
function proposeCountries(answer: Answer, source: readonly string[]): Answer {
  const lacks = ({ notes }: View) =>
    formatNotes(notes, "people").some((note) => note.includes(`without ${PLACES_OPTION}`));
  if (!answer.views.some(lacks)) return answer;
  const note = forPeople(`To add countries: ${formatCountrySetup(source)}`);
  const views = answer.views.map((view) => (lacks(view) ? { ...view, notes: [...view.notes, note] } : view));
  return { ...answer, views };
}
