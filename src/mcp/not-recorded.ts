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
  [
    /(next|previous|second)_?(page|path|step|url)|path_?(analysis|flow|report|to|from)|(user|page|visitor|traffic)_?(flow|path)|journey|navigation|click/,
    "The order of pages is not recorded. get_breakdown dimension=pages with filter visit:pages=/x has all pages of the visits with /x, not what came next; entry_pages and exit_pages are their first and last.",
  ],
  [
    /(time|duration|seconds?|minutes?)_?(spent_?)?(on|per|by|a)_?(the_?)?page|page_?(time|duration)|dwell|engage|time_?spent|read(ing)?_?time|scroll/,
    "Time on a page is not measured, only that of visits. get_breakdown dimension=entry_pages with=visits has it for the visits that begin on each page.",
  ],
  [
    /(os|browser|system|device)_?(major_?)?version|\bversions?\b|device_?model|screen|resolution_?(width|height)|viewport/,
    "Versions, models and screens are not recorded: get_breakdown has operating_systems, browsers and devices by name.",
  ],
  [
    /search_?(term|quer|word|phrase|keyword)|site_?search|internal_?search|keyword|searched/,
    "What people search for is not recorded. get_breakdown dimension=utm_terms has the terms of campaigns, and dimension=pages the address of a page of results, if it has one.",
  ],
  [
    /forecast|predict|projection|projected|expected|extrapolat/,
    "There are no forecasts. get_timeseries has the days so far, compare_periods how they changed.",
  ],
  [
    /un(read|visited|viewed|seen)|never_?(read|visited|viewed)|zero_?(views?|visits?|visitors?|traffic)|no_?(views|visits|visitors|traffic)\b|orphan|dead_?pages?/,
    "Only what somebody viewed is listed: a page that nobody read is in no answer. Compare a list of your pages with get_breakdown dimension=pages limit=1000.",
  ],
  [
    /(cross|across|between|both|multi|all)_?sites?\b|unique_?(people|persons?)|overlap|same_?(people|visitors?)/,
    "Visitors are counted for each site by itself: nobody is recognized on another one. list_sites with period has the visitors of each.",
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
