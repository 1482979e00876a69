/** The version of the contract, as `info.version` of the OpenAPI document. */
export const CONTRACT_VERSION = "1.0.0";
/** Every path of the contract stands below this one. */
export const BASE_PATH = "/api/v1";

/** One line for people on each operation, in the order in which they meet them: help, OpenAPI summary, llms.txt. */
export const summaries = {
  sites: "List the sites of your organization",
  stats: "Visitors, page views and events of a site over a number of days",
  timeseries: "Visitors and page views of a site, day by day",
  breakdown: "Top pages, referrers, countries, browsers and other dimensions of a site",
  realtime: "Visitors active on a site in the last five minutes",
  openapi: "The API's own description, as an OpenAPI 3.1 document",
} as const;
