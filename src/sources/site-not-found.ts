import { AnalyticsError } from "../errors.ts";

/** The error about a site that does not exist or belongs to another organization: callers must not be able to tell which. */
export function createSiteNotFound(): AnalyticsError {
  return new AnalyticsError(
    "site_not_found",
    "No site of your organization has this id or domain: GET /sites lists its sites.",
    { status: 404 },
  );
}
