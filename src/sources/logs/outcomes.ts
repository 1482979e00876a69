/** What becomes of a line: each has exactly one of these, so that their counts add up to the lines. */
export const outcomes = {
  page_view: "page views",
  download: "downloads",
  bot: "requests of bots, by their user agent",
  static: "files that belong to pages: styles, scripts, images, fonts",
  not_found: "requests answered 4xx, such as pages that are not there",
  redirect: "redirects and other answers without a page",
  server_error: "requests answered 5xx",
  method: "requests that are not GET: forms, HEAD, options",
  data: "data that a page fetches, and prefetches",
  feed: "feeds",
  excluded: "left out by --exclude-path or --exclude-address",
  other_host: "requests for hosts that are no site here",
  no_request: "connections without an HTTP request",
  late: "lines that came after their day was closed",
} as const;

export type Outcome = keyof typeof outcomes;
export type Outcomes = Record<Outcome, number>;

export const createOutcomes = (): Outcomes => {
  const counts = Object.keys(outcomes).map((outcome) => [outcome, 0]);
  // The keys are those of `outcomes`.
  return Object.fromEntries(counts) as Outcomes;
};
