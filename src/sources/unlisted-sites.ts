import { listSites } from "../operations/site-name.ts";
import { NOT_LISTED, type Warning } from "../operations/warning.ts";
import type { UnlistedSite } from "./data-source.ts";

/** Each reason is a sentence or two. */
const MAX_REASONS = 5;

/** Says which sites a list lacks, and what to do about the first of them. */
export function warnOfUnlisted(sites: readonly UnlistedSite[]): Warning[] {
  const rest = sites.slice(MAX_REASONS);
  return [
    ...sites.slice(0, MAX_REASONS).map(({ domain, reason: { message, hint } }) => ({
      code: NOT_LISTED,
      detail: [`${domain} is not listed: ${message}`, hint].filter(Boolean).join(" "),
      values: { site: domain },
    })),
    ...(rest.length > 0
      ? [
          {
            code: NOT_LISTED,
            detail: `${rest.length} more are not listed either. Ask about one to see why.`,
            values: { sites: rest.length },
          },
        ]
      : []),
  ];
}

/** Says that data has none of the sites that a key is for. Which it has is not for whoever has the key. */
export const warnOfNone = (selected: readonly string[]): Warning => ({
  code: NOT_LISTED,
  detail: `The data has no visit to the sites of this key: ${listSites(selected, MAX_REASONS)}. Whoever runs this service sees which sites the data has with \`analytics-mcp sites\`, and which each key is for with \`analytics-mcp keys list\`.`,
});
