import type { Outcome } from "../counting/outcomes.ts";
import { splitTarget } from "../counting/request.ts";
import { readHost, withoutWww } from "../host-name.ts";
import type { LogLine } from "../reading/log-line.ts";
import { createTextTally } from "./text-tally.ts";

/** What the pages of a log call their site, by the requests for styles, scripts and images that come from them. */
export interface PageHosts {
  add(line: LogLine, outcome: Outcome): void;
  /**
   * The host whose pages sent nearly all of these requests; null if there is none.
   *
   * @param least How many it must have sent.
   */
  likely(least?: number): string | null;
}

/** The part of all pages from which a host is the site's own. */
const NEARLY_ALL = 0.8;

export function createPageHosts(): PageHosts {
  const hosts = createTextTally();
  return {
    add: (line, outcome) => {
      if (outcome !== "static" || !line.referrer) return;
      const host = readHost(splitTarget(line.referrer).host);
      if (host?.includes(".")) hosts.add(withoutWww(host));
    },
    likely: (least = 1) => {
      const found = hosts.top(Number.POSITIVE_INFINITY);
      const [first] = found;
      const all = found.reduce((sum, { count }) => sum + count, 0);
      return first !== undefined && first.count >= Math.max(least, NEARLY_ALL * all) ? first.text : null;
    },
  };
}
