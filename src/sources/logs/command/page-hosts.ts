import type { Outcome } from "../counting/outcomes.ts";
import { splitTarget } from "../counting/request.ts";
import { readHost, withoutWww } from "../host-name.ts";
import type { LogLine } from "../reading/log-line.ts";
import { createTextTally, type TextTally } from "./text-tally.ts";

/** What the pages of a log call their site. */
export interface PageHosts {
  add(line: LogLine, outcome: Outcome): void;
  /**
   * The host whose pages sent nearly all requests for styles, scripts and images; null if there is none.
   *
   * @param least How many it must have sent.
   */
  likely(least?: number): string | null;
  /**
   * The same. If there is none, the host of nearly all links from what is a page of the log, too: somebody must confirm it, since
   * pages of other sites can have the same path.
   */
  proposed(): string | null;
}

/** The part of all requests from which a host is the site's own. */
const NEARLY_ALL = 0.8;
/** From how many links on they are worth a proposal. */
const ENOUGH_LINKS = 5;
const MAX_PATH_LENGTH = 200;

export function createPageHosts(): PageHosts {
  const hosts = createTextTally();
  const pages = createTextTally();
  /** By path, the hosts of links from there. */
  const links = createTextTally();
  const likely = (least = 1) => pickMain(hosts, least);
  return {
    add: (line, outcome) => {
      if (outcome !== "static" && outcome !== "page_view") return;
      const isPage = outcome === "page_view";
      if (isPage) pages.add(splitTarget(line.target).path.slice(0, MAX_PATH_LENGTH));
      if (!line.referrer) return;
      const from = splitTarget(line.referrer);
      const host = readHost(from.host);
      if (!host?.includes(".")) return;
      if (!isPage) hosts.add(withoutWww(host));
      // Every site has a start page.
      else if (from.path.length > 1 && from.path.length <= MAX_PATH_LENGTH)
        links.add(`${withoutWww(host)}${from.path}`);
    },
    likely,
    proposed: () => {
      const known = new Set(pages.top(Number.POSITIVE_INFINITY).map(({ text }) => text));
      const own = createTextTally();
      for (const { text, count } of links.top(Number.POSITIVE_INFINITY)) {
        const slash = text.indexOf("/");
        if (known.has(text.slice(slash))) own.add(text.slice(0, slash), count);
      }
      return likely() ?? pickMain(own, ENOUGH_LINKS);
    },
  };
}

/** The text that has nearly all of the counts. */
function pickMain(tally: TextTally, least: number): string | null {
  const found = tally.top(Number.POSITIVE_INFINITY);
  const [first] = found;
  const all = found.reduce((sum, { count }) => sum + count, 0);
  return first !== undefined && first.count >= Math.max(least, NEARLY_ALL * all) ? first.text : null;
}
