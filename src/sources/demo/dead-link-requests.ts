import written from "../../../fixtures/dead-links.json" with { type: "json" };
import { readMember } from "../../member.ts";
import { addDays } from "../../operations/days.ts";
import type { Failure } from "../../operations/not-found.ts";
import { startOfDay } from "../calendar.ts";
import type { Fixtures, SiteProfile } from "./fixture-types.ts";
import { createChoice, createRandom, drawBetween, type Random } from "./random.ts";
import { dayFromAnchor } from "./visits.ts";

/** A request that was answered 404, because there is nothing at its path, or 500, because the server failed. */
export interface DeadLinkRequest {
  /** The sender's number within the day, apart from the numbers of visitors. */
  sender: number;
  isScanner: boolean;
  /** Seconds after the site's midnight. */
  at: number;
  path: string;
  /** The page that led there: the path of one of the site's own, else a host; null if there is none. */
  referrer: string | null;
}

/** The dead links of the fixtures. */
export const readDeadLinks = (): NonNullable<Fixtures["deadLinks"]> => written;

/** How many more or fewer requests a path gets on one day than on another. */
const NOISE = { from: 0.6, to: 1.4 };
/** Who reads that there is nothing often tries again. */
const RETRY_CHANCE = 0.15;
const RETRY_PAUSE = { from: 2, to: 40 };
/** So many requests that each of them is a scanner to everyone, see docs/log-rules.md. */
const PROBES = { from: 24, to: 60 };
const PROBED = ["/.env", "/.git/config", "/wp-login.php", "/xmlrpc.php", "/phpmyadmin/", "/backup.zip"];

/**
 * Makes up the requests of people for what is not there, and those of scanners; or those that the server fails to answer. A
 * day's random numbers depend only on seed, site, date and failure, and are not those of the visits.
 *
 * @param anchor The date from which the profile counts days.
 */
export function createDeadLinkRequests(
  { id, domain, timezone, data_since }: SiteProfile,
  { deadLinks = readDeadLinks() }: Fixtures,
  seed: string,
  anchor: string,
): (date: string, status?: Failure) => DeadLinkRequest[] {
  const { links, scanners, failing = [] } = readMember(deadLinks, domain) ?? { links: [], scanners: 0 };
  const choose = (some: typeof links) =>
    some.map((link) => ({ ...link, choose: createChoice(Object.entries(link.referrers)) }));
  const chosen = {
    "4xx": { name: "dead-links", links: choose(links), scanners },
    "5xx": { name: "failing", links: choose(failing), scanners: 0 },
  };
  return (date, status = "4xx") => {
    const { name, links, scanners } = chosen[status];
    const day = dayFromAnchor(date, anchor);
    if (data_since === null || day < -data_since) return [];
    const random = createRandom(`${seed}:${name}:${id}:${date}`);
    let senders = 0;
    const ofPeople = links.flatMap(({ path, requests, from = -Infinity, until = Infinity, choose }) => {
      const count =
        day < from || day > until ? 0 : roundByChance(requests * drawBetween(random, NOISE), random);
      return Array.from({ length: count }, () => {
        const referrer = choose(random);
        const request = { sender: ++senders, isScanner: false, path, referrer: referrer || null };
        const at = drawSecond(random);
        const again = at + Math.floor(drawBetween(random, RETRY_PAUSE));
        return [{ ...request, at }, ...(random() < RETRY_CHANCE ? [{ ...request, at: again }] : [])];
      }).flat();
    });
    const ofScanners = Array.from({ length: roundByChance(scanners, random) }, () => {
      const sender = ++senders;
      const start = drawSecond(random);
      return Array.from({ length: Math.floor(drawBetween(random, PROBES)) }, (_, index) => {
        const path = PROBED[Math.floor(random() * PROBED.length)] ?? "/";
        return { sender, isScanner: true, at: start + index, path, referrer: null };
      });
    }).flat();
    const [start, end] = [startOfDay(date, timezone), startOfDay(addDays(date, 1), timezone)];
    return [...ofPeople, ...ofScanners].filter(({ at }) => start + at * 1000 < end);
  };
}

/** Rounds by chance, so that half a request a day comes every other day. */
const roundByChance = (count: number, random: Random) => Math.floor(count + random());

const drawSecond = (random: Random) => Math.floor(random() * 86_000);
