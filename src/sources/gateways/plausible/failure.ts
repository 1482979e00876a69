import type { Target } from "../../../client/http-client.ts";
import type { Explain } from "../../../client/http-request.ts";
import { formatWait } from "../../../client/problem-parser.ts";
import { formatSiteTimezones } from "../../../config/services.ts";
import { AnalyticsError, quote, quoteIfNeeded } from "../../../errors.ts";
import { readJson, readMember } from "../../../member.ts";
import { createFilterError } from "../../../operations/filter.ts";
import { formatLogin } from "../login-command.ts";

const MAX_SHOWN = 300;

/** What Plausible means by an error; undefined if the answer is not one of its own. */
export function explainFailure(
  target: Target,
  ...[status, text, wait]: Parameters<Explain>
): AnalyticsError | undefined {
  const error = readMember(readJson(text), "error");
  if (typeof error !== "string") return undefined;
  const said = error.slice(0, MAX_SHOWN);
  switch (status) {
    case 400:
      return explainRefusal(said);
    case 401:
      return new AnalyticsError(
        "invalid_api_key",
        "Plausible does not accept the API key, or the key may not see this site.",
        { status, hint: `Look up how the site is written in Plausible. ${adviseOnKey(target)}` },
      );
    case 402:
      return new AnalyticsError(
        "invalid_api_key",
        /locked/i.test(said)
          ? "Plausible has locked this site, because its subscription has ended."
          : "The plan of this Plausible account has no Stats API.",
        {
          status,
          hint: "See the account's settings under Subscription: plausible.io has the Stats API in its Business plan.",
        },
      );
    case 429:
      return new AnalyticsError("rate_limited", "Plausible's limit of requests an hour is used up.", {
        status,
        hint: `Try again ${wait === undefined ? "in an hour at the latest" : formatWait(wait)}. plausible.io allows 600 an hour, together with all other programs of the key.`,
      });
    default:
      return undefined;
  }
}

function adviseOnKey(target: Target): string {
  // A profile has its timezones already.
  const { loginOptions, siteTimezones } = target;
  const isGiven = loginOptions !== undefined && siteTimezones !== undefined;
  const given = isGiven ? ["--site-timezones", formatSiteTimezones(siteTimezones)] : [];
  return `For a new key: the account's settings, API Keys, New API Key, Stats API. Then log in again: ${formatLogin("Plausible", target, ...given)}`;
}

function explainRefusal(said: string): AnalyticsError {
  if (/goal .* is not configured/is.test(said))
    return createFilterError("names an event that is no goal of this site in Plausible");
  return new AnalyticsError("bad_answer", `Plausible refused the query, and said ${quote(said)}.`, {
    status: 400,
    hint: "Check that its version has the Stats API v2. If it has, report it to analytics-mcp.",
  });
}

/** The error about a site that the key may not see, although the key itself is right. */
export const createHiddenSiteError = (domain: string, target: Target) =>
  new AnalyticsError("site_not_found", `This key may not see ${quoteIfNeeded(domain)} in Plausible.`, {
    status: 404,
    hint: `It was removed or renamed there, or belongs to another team than the key. ${adviseOnKey(target)}`,
  });
