/** What becomes of a line: each has exactly one of these, so that their counts add up to the lines. */
export const outcomes = {
  page_view: "page views",
  download: "downloads",
  bot: "bots, by their user agent",
  static: "styles, scripts, images, fonts",
  not_found: "answered 4xx",
  redirect: "redirects, answers without a page",
  server_error: "answered 5xx",
  method: "not GET: forms, HEAD",
  data: "data for pages, prefetches",
  feed: "feeds",
  excluded: "left out by your options",
  other_host: "hosts that are not sites",
  no_request: "no HTTP request",
  late: "too late: their day was closed",
} as const;

export type Outcome = keyof typeof outcomes;
export type Outcomes = Record<Outcome, number>;

export const createOutcomes = (): Outcomes => {
  const counts = Object.keys(outcomes).map((outcome) => [outcome, 0]);
  // The keys are those of `outcomes`.
  return Object.fromEntries(counts) as Outcomes;
};
