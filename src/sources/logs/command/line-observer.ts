import { createLookup } from "../../lookup.ts";
import { createOutcomes, type Outcome, type Outcomes } from "../counting/outcomes.ts";
import { cleanPath } from "../counting/page-path.ts";
import { findLineDomain, listNamed, splitTarget } from "../counting/request.ts";
import { readHost } from "../host-name.ts";
import type { LogContent } from "../reading/log-content.ts";
import type { LogLine } from "../reading/log-line.ts";
import type { LogSettings } from "../settings.ts";
import { createPageHosts, type PageHosts } from "./page-hosts.ts";
import { createTextTally, type TextTally } from "./text-tally.ts";

/** The lines about one domain. */
export interface DomainLines {
  outcomes: Outcomes;
  /** Paths by outcome. */
  examples: { get(outcome: Outcome): TextTally };
  bots: TextTally;
}

/** What a report needs to know about each line. */
export interface LineObserver {
  observe(line: LogLine, outcome: Outcome, content: LogContent): void;
  domains: ReadonlyMap<string, DomainLines>;
  /** The seconds since 1970 of each file's first and last line. */
  spans: ReadonlyMap<LogContent, { first: number; last: number }>;
  /** The hosts of lines that are about no domain. */
  hosts: TextTally;
  pageHosts: PageHosts;
  /** Connections without a request have no host. */
  noRequest: { lines: number };
}

/** Lines that name no host are about `onlySite`. */
export function createLineObserver(
  settings: Pick<LogSettings, "onlySite" | "named" | "files">,
): LineObserver {
  const named = listNamed(settings);
  const domains = createLookup<string, DomainLines>(() => ({
    outcomes: createOutcomes(),
    examples: createLookup<Outcome, TextTally>(() => createTextTally()),
    bots: createTextTally(),
  }));
  const spans = createLookup<LogContent, { first: number; last: number }>(() => ({
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
  }));
  const hosts = createTextTally();
  const pageHosts = createPageHosts();
  const noRequest = { lines: 0 };

  const observe: LineObserver["observe"] = (line, outcome, content) => {
    const span = spans.get(content);
    span.first = Math.min(span.first, line.time);
    span.last = Math.max(span.last, line.time);
    if (outcome === "no_request") {
      noRequest.lines++;
      return;
    }
    pageHosts.add(line, outcome);
    const domain = findLineDomain(
      line,
      content.site,
      content.hasHosts ? undefined : settings.onlySite,
      named,
    );
    if (outcome === "other_host" || domain === undefined)
      hosts.add(readHost(splitTarget(line.target).host ?? line.host) ?? NO_NAME);
    else tally(domains.get(domain), line, outcome);
  };
  return { observe, domains: domains.all, spans: spans.all, hosts, pageHosts, noRequest };
}

/** For people: a host that is an address, or not a valid name. */
const NO_NAME = "(no host name)";

function tally({ outcomes, examples, bots }: DomainLines, line: LogLine, outcome: Outcome): void {
  outcomes[outcome]++;
  if (outcome === "bot") bots.add(nameBot(line.agent ?? ""));
  else if (outcome !== "page_view") examples.get(outcome).add(describeRequest(line, outcome));
}

function describeRequest({ method, target }: LogLine, outcome: Outcome): string {
  const path = cleanPath(splitTarget(target).path);
  return outcome === "method" ? `${method} ${path}` : path;
}

/** The words that say what a program is. */
const ROLE = /bot|crawl|spider|slurp|preview|monitor|scan|fetch|check|index|search|archive|feed|client/i;

/** No program has a longer name. */
const MAX_NAME_LENGTH = 100;

/** The name by which a bot is known, as its user agent says. */
function nameBot(userAgent: string): string {
  if (userAgent === "") return "(no user agent)";
  // Addresses of pages and of people contain such words, too.
  const words = userAgent
    .split(/\s/)
    .map((word) => (word.indexOf("@", 1) > 0 ? "" : word.split(/https?:\/\//, 1)[0]))
    .join(" ")
    .split(/[^\w.!-]+/);
  const role = words.find((word) => ROLE.test(word))?.slice(0, MAX_NAME_LENGTH);
  if (role !== undefined) return role.replace(/^[.!-]+|[.!-]+$/g, "");
  const [, compatible] = /compatible; {0,9}([\w.-]{1,100})/.exec(userAgent) ?? [];
  const [product = ""] = userAgent.slice(0, MAX_NAME_LENGTH).split(/[/ (;]/);
  return compatible ?? (product === "" ? userAgent : product);
}
