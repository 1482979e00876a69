import type { Dimension } from "../../operations/dimensions.ts";
import { escapeValue } from "../../operations/filter.ts";
import type { Subject } from "../subject.ts";
import { Skip } from "../verdict.ts";
import { type Ranking, rankEach, SAMPLE } from "./breakdown-ranking.ts";
import { type Chosen, chooseVisits, findParts } from "./filter-requests.ts";

/* Values, patterns and conditions that the rules about filtered numbers ask for. */

/** Every character as itself, whatever it means. */
export const escapeAll = (text: string) => [...text].map((character) => `\\${character}`).join("");

/** A value that needs escaping, in any of the rankings. */
export async function findSpecial(
  subject: Subject,
): Promise<{ dimension: Dimension; value: string } | undefined> {
  for (const { dimension, answer } of await rankEach(subject, SAMPLE)) {
    const row = answer.rows.find(({ value }) => value !== null && escapeValue(value) !== value);
    if (typeof row?.value === "string") return { dimension, value: row.value };
  }
  return undefined;
}

/** A dimension of which all rows are known, if possible with one of null. Throws Skip if there is none. */
export async function findWhole(subject: Subject, dimensions: readonly Dimension[]): Promise<Dimension> {
  const rankings = await rankEach(subject, dimensions);
  const isWhole = ({ rows, total_rows }: Ranking) =>
    rows.length === total_rows && !rows.some((row) => row.other);
  const whole = rankings.filter(({ answer }) => isWhole(answer));
  const found = whole.find(({ answer }) => answer.rows.some(({ value }) => value === null)) ?? whole[0];
  if (found === undefined) throw new Skip("the site has more rows than a breakdown can return");
  return found.dimension;
}

/** A text before and one after an asterisk. */
export type Pattern = readonly [start: string, end: string];

/** Patterns that a page matches, if possible one that other pages do not, and one that none does. */
export function choosePatterns({ rows }: Ranking): Pattern[] {
  const pages = rows.flatMap(({ value }) => (value === null ? [] : [[...value]]));
  const halves = pages.map((page): Pattern => {
    const middle = Math.ceil(page.length / 2);
    return [page.slice(0, middle).join(""), page.slice(middle).join("")];
  });
  const isPart = ([half]: Pattern) => pages.some((page) => !page.join("").startsWith(half));
  const [start, end] = halves.find(isPart) ?? halves[0] ?? ["", ""];
  return [
    ["", ""],
    [start, ""],
    ["", end],
    [start.slice(0, 1), end],
    [start, "/conform-no-such-end"],
  ];
}

/** Values that a letter case, a space, a character more or less, or one that means any other makes of a value. */
function listNearMisses(value: string, isWhole: boolean): string[] {
  const middle = value.search(/(?<=.)[a-z]/i);
  const replaced = ["?", "_", "%", "."].map((any) => value.slice(0, middle) + any + value.slice(middle + 1));
  const recased = [value.toLowerCase(), value.toUpperCase()].filter((other) => other !== value);
  return [
    `${value} `,
    ` ${value}`,
    ...(middle === -1 ? [] : replaced),
    // Where rows are cut off, these may be among them.
    ...(isWhole ? [...recased, value.slice(0, -1), `${value}x`] : []),
  ];
}

/** Dimensions in which a service may refuse what cannot exist: there, only another letter case is tried. */
export const CLOSED: readonly Dimension[] = ["countries", "regions", "languages", "devices", "channels"];

/** A longer value would be too long with all of its near misses. */
const MAX_NEAR = 60;

/** A condition that keeps nothing: values next to one that is there. */
export function findNearMisses({ dimension, answer: { rows, total_rows } }: Ranked): string | undefined {
  const known = new Set(rows.map(({ value }) => value));
  const value = rows.find(
    (row) => /[a-z]/i.test(row.value ?? "") && (row.value ?? "").length <= MAX_NEAR,
  )?.value;
  if (value === null || value === undefined) return undefined;
  const isClosed = CLOSED.includes(dimension);
  const recased = value === value.toUpperCase() ? value.toLowerCase() : value.toUpperCase();
  const near = isClosed ? [recased] : listNearMisses(value, rows.length === total_rows);
  const unknown = near.filter((other) => other !== "" && !known.has(other));
  return unknown.length === 0 ? undefined : `${dimension}=${unknown.map(escapeValue).join("|")}`;
}

type Ranked = Awaited<ReturnType<typeof rankEach>>[number];

const VISITS: readonly Dimension[] = ["devices", "browsers", "referrers", "countries"];

/** Two conditions, the second one with its complement. */
type Pair = [first: string, second: Pick<Chosen, "is" | "isNot">];

/** Pairs of conditions of every kind: on visits, on hits, and on visits by their hits; two of one dimension, too. */
export async function listPairs(subject: Subject): Promise<Pair[]> {
  const { dimension } = await chooseVisits(subject);
  const rankings = await rankEach(subject, [...SAMPLE, "browsers", "hostnames"]);
  const partsOf = (wanted: Dimension) =>
    rankings.flatMap((each) => (each.dimension === wanted ? findParts(wanted, each.answer) : []));
  const [visit, visit2] = partsOf(dimension);
  const [page, page2] = partsOf("pages");
  const others = VISITS.filter((each) => each !== dimension).flatMap((each) => partsOf(each).slice(0, 1));
  const hit = partsOf("hostnames")[0] ?? partsOf("events")[0];
  const ofVisit = (part: Chosen | undefined) =>
    part && { ...part, is: `visit:${part.is}`, isNot: `visit:${part.isNot}` };
  const pairs: [string | undefined, Pick<Chosen, "is" | "isNot"> | undefined][] = [
    ...others.map((other): [string | undefined, Chosen] => [visit?.is, other]),
    [visit?.is, visit2],
    [visit?.isNot, visit2],
    [visit?.is, page],
    [visit?.is, ofVisit(page)],
    [page?.is, visit],
    [page?.is, page2],
    [page?.isNot, page2],
    [page?.is, hit],
    [page?.is, ofVisit(page2)],
    [ofVisit(page)?.is, ofVisit(page2)],
  ];
  return pairs.flatMap(([first, second]) => (first && second ? [[first, second] satisfies Pair] : []));
}
