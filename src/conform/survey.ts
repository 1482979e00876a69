import { hideKey } from "../client/hidden-key.ts";
import { readRedirectOrigin } from "../client/http-request.ts";
import { parseProblem } from "../client/problem-parser.ts";
import { AnalyticsError, quoteIfNeeded, quoteWord } from "../errors.ts";
import { openapi, sites, stats } from "../operations/index.ts";
import type { ResultOf } from "../operations/operation.ts";
import { normalizeSite } from "../operations/site-name.ts";
import { type Probe, Unanswered } from "./probe.ts";
import { describeReply, items, type Key, member, type Reply } from "./reply.ts";
import { Halt } from "./verdict.ts";

export type Site = ResultOf<typeof sites>["sites"][number];

/** So many sites are looked at, whatever the number that a key lists. */
export const MAX_SITES = 20;

/** What is known about the service before the first rule is checked. */
export interface Survey {
  /** The sites that the key lists and that match the contract. Whether all of them do is a separate rule. */
  sites: Site[];
  /** The site used for the checks, or why there is none. */
  site: Site | string;
  /** Why rules that need visits cannot be checked; undefined if the site had visits in the last 30 days. */
  whyNoVisits: string | undefined;
  /** The sites that the other organization's key lists, or why there are none; undefined without such a key. */
  otherSites: Site[] | string | undefined;
}

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
  const list = readSites(await requestSites(probe, base), "the key");
  const chosen = wanted === undefined ? undefined : findSite(list, wanted);
  const candidates = chosen === undefined ? list.sites : [chosen].filter((site) => typeof site !== "string");
  const whyNoSite = typeof chosen === "string" ? chosen : list.whyNone;
  const visited =
    candidates.length === 0 ? whyNoSite : await findVisited(probe, candidates, chosen !== undefined);
  const other =
    keys.other && readSites(await tryListSites(probe, keys.other), "the key in ANALYTICS_OTHER_API_KEY");
  return {
    sites: list.sites,
    site: typeof visited === "string" ? (candidates[0] ?? whyNoSite) : visited,
    whyNoVisits: typeof visited === "string" ? visited : undefined,
    otherSites: other?.sites.length === 0 ? other.whyNone : other?.sites,
  };
}

/** The first request; the reason if the service answers something unreadable or asks for too long a wait. */
async function requestSites(probe: Probe, base: { url: string; apiKey: string }): Promise<Reply | string> {
  const reply = await tryAsk(probe, sites.path);
  if (reply instanceof Halt) return reply.message;
  if (reply instanceof Unanswered) {
    if (reply.error.code === "too_large" || reply.error.code === "bad_answer") return BROKEN_LIST;
    throw reply.error;
  }
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
  if (reply.status === 404) {
    const document = await tryAsk(probe, openapi.path);
    if (!(document instanceof Error) && document.status === 404) throw parseProblem(404, "", circumstances);
  }
  return reply;
}

async function tryListSites(probe: Probe, key: Key): Promise<Reply | string> {
  const reply = await tryAsk(probe, sites.path, "", { key });
  return reply instanceof Error ? `the key in ANALYTICS_OTHER_API_KEY: ${reply.message}` : reply;
}

const tryAsk = async (probe: Probe, ...request: Parameters<Probe["ask"]>) =>
  probe.ask(...request).catch((error: unknown) => {
    if (error instanceof Unanswered || error instanceof Halt) return error;
    throw error;
  });

const BROKEN_LIST = "/sites returns no valid list: see sites.answer";

interface SiteList {
  sites: Site[];
  /** Whether every listed site matches the contract. */
  isValid: boolean;
  /** Why there are no sites, if there are none. */
  whyNone: string;
}

function readSites(reply: Reply | string, key: string): SiteList {
  const none = { sites: [], isValid: false };
  if (typeof reply === "string") return { ...none, whyNone: reply };
  if (reply.status !== 200) return { ...none, whyNone: `${key} gets ${describeReply(reply)} from /sites` };
  const listed = member(reply.json, "sites");
  if (!Array.isArray(listed)) return { ...none, whyNone: BROKEN_LIST };
  const { element } = sites.result.shape.sites;
  const valid = items(listed).flatMap((item) => element.safeParse(item).data ?? []);
  const isValid = valid.length === listed.length;
  return { sites: valid, isValid, whyNone: isValid ? `${key} lists no sites` : BROKEN_LIST };
}

/** The site that was asked for, or why there is none if the list is not valid. */
function findSite({ sites: own, isValid, whyNone }: SiteList, wanted: string): Site | string {
  const name = normalizeSite(wanted);
  const site = own.find(({ id, domain }) => id === name || domain === name);
  if (site) return site;
  if (!isValid)
    return own.length === 0
      ? whyNone
      : `/sites has no valid entry for ${quoteWord(wanted)}: see sites.answer`;
  throw new AnalyticsError("site_not_found", `The key has no site ${quoteWord(wanted)}.`, {
    hint: `Its sites are: ${own.map(({ domain }) => domain).join(", ") || "none"}.`,
  });
}

/** The first site with visits in the last 30 days, or why there is none. */
async function findVisited(probe: Probe, candidates: Site[], isChosen: boolean): Promise<Site | string> {
  let isCounted = true;
  for (const site of candidates.slice(0, MAX_SITES)) {
    const reply = await tryAsk(probe, stats.path, { site: site.domain, days: 30 });
    if (reply instanceof Halt) return reply.message;
    const visitors = reply instanceof Unanswered ? undefined : member(reply.json, "visitors");
    if (Number(visitors) > 0) return site;
    isCounted &&= visitors === 0;
  }
  if (!isCounted) return "/stats returns no usable answer: see stats.answer";
  const [first] = candidates;
  if (isChosen && first) return `the site ${quoteIfNeeded(first.domain)} has no visits in the last 30 days`;
  const which = candidates.length > MAX_SITES ? `none of the first ${MAX_SITES} sites has` : "no site has";
  return `${which} visits in the last 30 days`;
}
