import { AnalyticsError } from "../errors.ts";

/** The error on a site that does not exist, or that is another organization's: they must not be told apart. */
export function createSiteNotFound(): AnalyticsError {
  return new AnalyticsError(
    "site_not_found",
    "No site of your organization has this id or domain: GET /sites lists its sites.",
    { status: 404 },
  );
}
