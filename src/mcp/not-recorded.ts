/*
 * What people ask of web analytics and this one does not record. A model that asks for it anyway gets a sentence that says
 * why, and what it can ask instead.
 */

const REASONS: readonly [RegExp, string][] = [
  [
    /revenue|turnover|sales|income|money|amount|(order|cart|basket|lifetime)_?value|\b(aov|ltv|arpu)\b/,
    "Revenue is not recorded: events have no amounts. Ask who bought: get_conversions with a goal such as events=purchase, by channels and so on.",
  ],
  [
    /cohort|retention|churn/,
    "There are no cohorts: nobody is recognized on another day. compare_periods compares two periods, get_timeseries has the days.",
  ],
  [
    /speed|load_?(ing_?)?time|performance|web_?vital|latency|\b(lcp|fcp|ttfb|cls|inp)\b/,
    "Page speed is not measured. What visits of a page are like is in get_breakdown: dimension=entry_pages with=visits has the bounce rate and the time of visits.",
  ],
  [
    /returning|new_(vs|or|and|visitor|user)|(visitor|user)_?type|first_?time|repeat|recurring|loyal/,
    "New and returning visitors are not told apart: nobody is recognized on another day, so visitors are counted anew each day. get_stats has visitors and visits.",
  ],
];

/** How much of a name is looked at: a model may send any text. */
const MAX_NAME = 80;

/** Says why a number or a dimension of this name does not exist; undefined if there is no reason but its name. */
export function explainNotRecorded(name: string): string | undefined {
  const words = name
    .slice(0, MAX_NAME)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  return REASONS.find(([pattern]) => pattern.test(words))?.[1];
}

/** The names in an argument: of the conditions of a filter or a goal, else its texts. */
export function listNames(parameter: string, value: unknown): string[] {
  const texts = [value].flat().filter((each) => typeof each === "string");
  const isCondition = parameter === "filter" || parameter === "goal";
  return texts.map((text) => (isCondition ? (text.slice(0, MAX_NAME).split(/!?=/)[0] ?? "") : text));
}
