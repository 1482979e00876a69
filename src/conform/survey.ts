import { hideKey } from "../client/hidden-key.ts";
import { readRedirectOrigin } from "../client/http-request.ts";
import { parseProblem } from "../client/problem-parser.ts";
import { AnalyticsError } from "../errors.ts";
import { openapi, sites, stats } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { normalizeSite } from "../operations/site-name.ts";
import { type Probe, Unanswered } from "./probe.ts";
import { items, type Key, member, type Reply } from "./reply.ts";

export type Site = ResultOf<typeof sites>["sites"][number];

/** What is known about the service before the first rule is checked. */
export interface Survey {
  sites: Site[];
  /** The site used for the checks; undefined if /sites returned no valid site. */
  site: Site | undefined;
  /** Whether the site had visits in the last 30 days. */
  isVisited: boolean;
  /** The sites that the other organization's key lists. */
  otherSites: Site[];
}

const SITES_LOOKED_AT = 20;

/**
 * Finds the sites that the rules need. Throws AnalyticsError if nothing can be checked: no connection, a refused key, a
 * wrong address, or no such site.
 */
export async function survey(
  probe: Probe,
  base: { url: string; apiKey: string },
  keys: { other: Key | undefined },
  wanted: string | undefined,
): Promise<Survey> {
  const list = await requestSites(probe, base);
  const own = list === undefined ? [] : readSites(list);
  const site = wanted === undefined ? undefined : findSite(own, wanted);
  const visited = await findVisited(probe, site === undefined ? own : [site]);
  const others = keys.other && (await tryListSites(probe, keys.other));
  return {
    sites: own,
    site: visited ?? site ?? own[0],
    isVisited: visited !== undefined,
    otherSites: others === undefined ? [] : readSites(others),
  };
}

/** The first request; undefined if the service answers something unreadable. */
async function requestSites(probe: Probe, base: { url: string; apiKey: string }): Promise<Reply | undefined> {
  const reply = await probe.ask(sites.path).catch((error: unknown) => {
    if (!(error instanceof Unanswered)) throw error;
    if (error.error.code === "too_large" || error.error.code === "bad_answer") return undefined;
    throw error.error;
  });
  if (reply === undefined) return undefined;
  const { origin } = new URL(base.url);
  const circumstances = { path: sites.path, origin, base: base.url, wait: undefined };
  if (reply.status === 401 || reply.status === 403)
    throw parseProblem(reply.status, hideKey(reply.text, base.apiKey), circumstances);
  if (reply.status >= 300 && reply.status < 400) {
    const target = readRedirectOrigin(reply.headers.get("location"), base.url, base.apiKey);
    throw new AnalyticsError(
      "redirected",
      `The service redirects${target === undefined ? "" : ` to ${target}`} (status ${reply.status}); the key is not sent on.`,
      { status: reply.status, hint: "If that address is right, use it as the base URL." },
    );
  }
  // An unfinished service may lack one path. If both are missing, the address is wrong.
  if (reply.status === 404 && (await probe.ask(openapi.path)).status === 404) {
    throw parseProblem(404, "", circumstances);
  }
  return reply;
}

async function tryListSites(probe: Probe, key: Key): Promise<Reply | undefined> {
  return probe.ask(sites.path, "", { key }).catch((error: unknown) => {
    if (error instanceof Unanswered) return undefined;
    throw error;
  });
}

/** The sites that match the contract. Whether all of them do is a separate rule. */
function readSites({ status, json }: Reply): Site[] {
  if (status !== 200) return [];
  const { element } = sites.result.shape.sites;
  return items(member(json, "sites")).flatMap((each) => element.safeParse(each).data ?? []);
}

function findSite(own: Site[], wanted: string): Site {
  const name = normalizeSite(wanted);
  const site = own.find(({ id, domain }) => id === name || domain === name);
  if (site) return site;
  throw new AnalyticsError("site_not_found", `The key has no site ${JSON.stringify(wanted)}.`, {
    hint: `Its sites are: ${own.map(({ domain }) => domain).join(", ") || "none"}.`,
  });
}

async function findVisited(probe: Probe, candidates: Site[]): Promise<Site | undefined> {
  for (const site of candidates.slice(0, SITES_LOOKED_AT)) {
    try {
      const { json } = await probe.ask(stats.path, { site: site.domain, days: 30 });
      if (Number(member(json, "visitors")) > 0) return site;
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
    }
  }
  return undefined;
}
