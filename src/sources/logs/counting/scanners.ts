import { classifyPath } from "../../measure/path-kinds.ts";
import { readColumn } from "./columns.ts";
import { isView, type OpenDay } from "./open-day.ts";
import { countProbes, findServedKinds, isUnmistakable, MIN_PROBES } from "./probes.ts";

/**
 * A sender with this many requests, of which this share was refused, is a scanner, and so is one with `MIN_PROBES` probes, or with
 * one that is unmistakable and without a page view,
 */
const SCANNER = { requests: 20, errors: 0.8 };
/** unless the address has more than this share of the day's visitors: then it is a proxy. */
const PROXY_SHARE = 0.05;

/**
 * The senders that are scanners by their requests and not behind a proxy.
 *
 * @param until Seconds since 1970: the visitors up to and including then count.
 * @param senders The senders to judge; all if absent.
 */
export function findScanners(
  day: OpenDay,
  until: number,
  senders: Iterable<number> = readColumn(day.senders.requests).keys(),
): Set<number> {
  const { addresses } = day.senders;
  const suspects: number[] = [];
  // Nearly no day needs its pages looked at.
  let served: ReadonlySet<number> | undefined;
  const isServed = (kind: number) => {
    served ??= findServedKinds(listPages(day, until - day.start));
    return served.has(kind);
  };
  let viewers: Uint8Array | undefined;
  const hasViewed = (sender: number) => {
    viewers ??= findViewers(day, until - day.start);
    return viewers[sender] === 1;
  };
  const refused: number[] = [];
  for (const sender of senders) {
    if (isProbing(day, sender, isServed, hasViewed)) suspects.push(sender);
    else if (isMostlyRefused(day, sender)) refused.push(sender);
  }
  if (refused.length > 0) {
    const broken = countBrokenFiles(day, new Set(refused));
    for (const sender of refused) if (isMostlyRefused(day, sender, broken.get(sender))) suspects.push(sender);
  }
  if (suspects.length === 0) return new Set();
  const asked = new Set(suspects.map((sender) => addresses.values[sender] ?? 0));
  const { visitors, total } = countVisitors(day, asked, until - day.start);
  const isProxy = (address: number) => {
    const found = visitors.get(address) ?? 0;
    // A single visitor is not a proxy, however few visitors the day has.
    return found > 1 && found > PROXY_SHARE * total;
  };
  return new Set(suspects.filter((sender) => !isProxy(addresses.values[sender] ?? 0)));
}

function isProbing(
  { senders: { probes } }: OpenDay,
  sender: number,
  isServed: (kind: number) => boolean,
  hasViewed: (sender: number) => boolean,
): boolean {
  const asked = probes.values[sender] ?? 0;
  if (countProbes(asked) >= MIN_PROBES && countProbes(asked, isServed) >= MIN_PROBES) return true;
  const isDoubtful = (kind: number) => !isUnmistakable(kind);
  return (
    countProbes(asked, isDoubtful) > 0 &&
    !hasViewed(sender) &&
    countProbes(asked, (kind) => isDoubtful(kind) || isServed(kind)) > 0
  );
}

/** By sender: 1 for those who viewed a page. */
function findViewers(day: OpenDay, until: number): Uint8Array {
  const { hits, senders } = day;
  const viewers = new Uint8Array(senders.requests.length);
  for (let hit = 0; hit < hits.sender.length; hit++) {
    if ((hits.second.values[hit] ?? 0) <= until && isView(day, hit))
      viewers[hits.sender.values[hit] ?? 0] = 1;
  }
  return viewers;
}

/** @param broken How many of the refused requests the site caused itself: they count neither as requests nor as refused. */
function isMostlyRefused({ senders: { requests, errors } }: OpenDay, sender: number, broken = 0): boolean {
  const all = (requests.values[sender] ?? 0) - broken;
  return all >= SCANNER.requests && (errors.values[sender] ?? 0) - broken >= SCANNER.errors * all;
}

/**
 * By sender, the refused requests for static files that a page led to which they viewed on this day. Of those who were served
 * files, also those that a file led to: styles ask for fonts and images, scripts for other scripts.
 */
function countBrokenFiles({ brokenFiles, hits, senders, values }: OpenDay, asking: ReadonlySet<number>) {
  const { at } = values.of("pages");
  const isFile = (page: number) => classifyPath((at(page) ?? "").split("?", 1)[0] ?? "", "") === "static";
  /** By sender: by page, how many requests it would explain. */
  const led = new Map<number, { pages: Map<number, number>; files: number }>();
  for (const [row, count] of readColumn(brokenFiles.requests).entries()) {
    const sender = brokenFiles.sender.values[row] ?? 0;
    if (!asking.has(sender)) continue;
    const known = led.get(sender) ?? { pages: new Map(), files: 0 };
    led.set(sender, known);
    const page = brokenFiles.link.values[row] ?? 0;
    if (!isFile(page)) known.pages.set(page, count);
    else if ((senders.files.values[sender] ?? 0) > 0) known.files += count;
  }
  const broken = new Map<number, number>();
  if (led.size === 0) return broken;
  for (let hit = 0; hit < hits.sender.length; hit++) {
    const sender = hits.sender.values[hit] ?? 0;
    const page = hits.page.values[hit] ?? 0;
    const known = led.get(sender);
    if (known === undefined || (page & 1) === 1) continue;
    broken.set(sender, (broken.get(sender) ?? known.files) + (known.pages.get(page >>> 1) ?? 0));
    known.pages.delete(page >>> 1);
  }
  return broken;
}

/** The paths that were answered with a page. */
function listPages({ hits, values }: OpenDay, until: number): string[] {
  const numbers = new Set<number>();
  for (let hit = 0; hit < hits.page.length; hit++) {
    const page = hits.page.values[hit] ?? 0;
    if ((page & 1) === 0 && (hits.second.values[hit] ?? 0) <= until) numbers.add(page >>> 1);
  }
  const { at } = values.of("pages");
  return [...numbers].map((number) => at(number) ?? "");
}

/** Counts the senders with a page view, scanners included: by address for some addresses, and in total. */
function countVisitors(day: OpenDay, asked: ReadonlySet<number>, until: number) {
  const { addresses } = day.senders;
  const visitors = new Map<number, number>();
  let total = 0;
  for (const [sender, viewed] of findViewers(day, until).entries()) {
    if (viewed === 0) continue;
    total++;
    const address = addresses.values[sender] ?? 0;
    if (asked.has(address)) visitors.set(address, (visitors.get(address) ?? 0) + 1);
  }
  return { visitors, total };
}
