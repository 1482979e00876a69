import { AnalyticsError, quote } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { findNearest } from "../../suggest.ts";
import { type Found, keepFound, type Reading } from "./field-mapping.ts";
import { namesOf, type Pointer } from "./json-pointer.ts";
import {
  DESCRIBED,
  type Field,
  findMetric,
  isAside,
  isBeside,
  isNoCount,
  isOtherMetric,
  rankName,
  rankText,
  splitName,
} from "./words.ts";

/** A place that could be a field. */
export interface Candidate {
  pointer: Pointer;
  /** How well its words fit: 0 is best. */
  rank: number;
  /** What is there, to tell two places with one number from two with different ones. */
  sample: unknown;
}

/** Which field is sought in which answer, for errors. */
export interface Sought {
  /** As a mapping calls it: `stats`, `breakdown`. */
  operation: string;
  path: string;
  field: string;
  /** What the mapping chose: a place that is another field is not this one. */
  chosen: Readonly<Record<string, Pointer | null | undefined>>;
}

/** What a mapping file would say of fields that cannot be told: for each, the places that it could name, the likeliest first. */
export interface Choice {
  operation: string;
  places: Readonly<Record<string, readonly Pointer[]>>;
}

/** Fields that cannot be told. A mapping file can name their places. */
export class UnclearFieldError extends AnalyticsError {
  /** What is known about the places, without the line of a mapping. */
  readonly about: string;
  readonly choice: Choice;

  constructor(message: string, about: string, { operation, places }: Choice) {
    // A long name is a stranger's, and nothing to paste.
    const short = Object.entries(places).map(([field, known]) => [
      field,
      known.filter(({ length }) => length <= MAX_SHOWN),
    ]);
    const choice = { operation, places: Object.fromEntries(short) };
    super("bad_answer", message, { status: 200, hint: `${about} ${adviseOnMapping(choice)}`.trim() });
    this.about = about;
    this.choice = choice;
  }
}

/**
 * Finds fields one after the other. Throws what is wrong with the first, with what a mapping would say of all.
 *
 * @param finds By the field, with what is chosen or proposed for the others.
 */
export function findFields(
  { operation, chosen }: Pick<Sought, "operation" | "chosen">,
  finds: Readonly<Record<string, (chosen: Sought["chosen"]) => Found | undefined>>,
): Reading {
  const unclear: UnclearFieldError[] = [];
  let taken = chosen;
  const found = Object.entries(finds).map(([field, find]) => {
    try {
      return [field, find(taken)] as const;
    } catch (error) {
      if (!(error instanceof UnclearFieldError)) throw error;
      unclear.push(error);
      taken = { ...taken, [field]: readMember(error.choice.places, field)?.[0] };
      return [field, undefined] as const;
    }
  });
  const [first, ...others] = unclear;
  if (first === undefined) return keepFound(Object.fromEntries(found));
  if (others.length === 0) throw first;
  const about = [first.about, ...others.flatMap((error) => [error.message, error.about])].join(" ");
  const places = Object.fromEntries(unclear.flatMap(({ choice }) => Object.entries(choice.places)));
  throw new UnclearFieldError(first.message, about, { operation, places });
}

/** How well a place fits a field: by the names on the way to it, else by what the description says of it. */
export function rankPlace(
  names: readonly string[],
  text: string | undefined,
  field: Field,
): number | undefined {
  const named = rankName(names, field);
  return named !== undefined || text === undefined || isAside(names) ? named : rankText(text, field);
}

/**
 * The best of some places. Undefined if there is none. Between two of the same rank with different numbers nobody can choose:
 * throws AnalyticsError `bad_answer` with both, and the line of a mapping that would choose.
 */
export function choose(candidates: readonly Candidate[], sought: Sought): Found | undefined {
  const best = Math.min(...candidates.map(({ rank }) => rank));
  // In the same order in all answers, so that a person who follows two hints chooses one word.
  const [first, ...others] = candidates.filter(({ rank }) => rank === best).toSorted(compareWords);
  if (first === undefined) return undefined;
  const other = others.find(({ sample }) => JSON.stringify(sample) !== JSON.stringify(first.sample));
  if (other !== undefined) throw createAmbiguousError([first, other], sought);
  return { pointer: first.pointer, by: best >= DESCRIBED ? "description" : "name" };
}

/** The name of a place, without case and separators. */
export const wordOf = (pointer: Pointer): string => splitName(namesOf(pointer).at(-1) ?? "").join("");
const compareWords = (a: Candidate, b: Candidate) =>
  Number(wordOf(a.pointer) > wordOf(b.pointer)) - Number(wordOf(a.pointer) < wordOf(b.pointer));

function createAmbiguousError(both: readonly [Candidate, Candidate], sought: Sought): AnalyticsError {
  const [first, second] = both.map(
    ({ pointer, sample }) => `${namePlace(pointer)} (${describeSample(sample)})`,
  );
  const { operation, field } = sought;
  return new UnclearFieldError(
    `Two fields of the answer to ${sought.path} could be ${field}: ${first} and ${second}.`,
    "",
    { operation, places: { [field]: both.map(({ pointer }) => pointer) } },
  );
}

/**
 * The error for a field that an answer must have.
 *
 * @param places Where the answer has something that the field could be, by its form alone.
 */
export function createMissingError(
  sought: Sought,
  {
    reason = "has no field that is clearly",
    places = [],
    near,
  }: { reason?: string; places?: readonly Pointer[]; near?: Pointer | undefined } = {},
): AnalyticsError {
  const message = `The answer to ${sought.path} ${reason} ${sought.field}.`;
  if (near === undefined && places.length === 0) {
    const hint = `If it has one, a mapping file can name the place. ${SEE_MAPPING}`;
    return new AnalyticsError("bad_answer", message, { status: 200, hint });
  }
  const { operation, field } = sought;
  const likely = near === undefined ? listLikely(places, sought) : [near];
  const others = likely.length === 0 ? listOthers(places, sought) : [];
  const [only, another] = others;
  const list = (pointers: readonly Pointer[]) => pointers.slice(0, MAX_PLACES).map(namePlace).join(", ");
  const describe = () => {
    if (near !== undefined) return `Did you mean ${namePlace(near)}?`;
    if (likely.length > 0) return `It may be ${likely.length > 1 ? "one of " : ""}${list(likely)}.`;
    const none = `No number in it looks like ${field}`;
    if (only !== undefined && another === undefined) return `${none}, unless ${namePlace(only)} is it.`;
    return `${none}: it has ${list(only === undefined ? places : others)}.`;
  };
  const known = likely.length > 0 || another === undefined ? [...likely, ...others] : [];
  return new UnclearFieldError(message, describe(), { operation, places: { [field]: known } });
}

/**
 * The error for a place that the mapping names and that will not do.
 *
 * @param there What is there.
 * @param places Where the field could be, by its form alone.
 */
export function createGivenError(
  sought: Sought,
  given: Pointer,
  there: unknown,
  places: readonly Pointer[],
): AnalyticsError {
  const reason = `has ${describeValue(there)} at ${namePlace(given)}, where the mapping has its`;
  const known = listLikely(places, sought)
    .filter(({ length }) => length <= MAX_SHOWN)
    .slice(0, MAX_COMPARED);
  const last = namesOf(given).at(-1);
  const sameName = known.find((place) => namesOf(place).at(-1) === last);
  const near = findNearest(given, known) ?? sameName ?? (known.length === 1 ? known[0] : undefined);
  return createMissingError(sought, { reason, places, near });
}

/** Places that can be proposed as a field, the likeliest first: as a count, none that is known to be something else. */
function listLikely(places: readonly Pointer[], sought: Sought): Pointer[] {
  const { operation, field } = sought;
  if (!PROPOSED.has(field)) return [...places];
  const words = operation === "realtime" ? "active" : (field as Field);
  const ranked = listOthers(places, sought).flatMap((pointer) => {
    const names = namesOf(pointer);
    const last = names.at(-1) ?? "";
    if (isOtherMetric(last)) return [];
    const isLike = splitName(last).some((part) => rankName([part], words) !== undefined);
    return [{ pointer, rank: Number(!isLike) + 2 * Number(isBeside(names)) }];
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ pointer }) => pointer);
}

/** Places of counts that are not known to be another field, or to be of other days. */
function listOthers(places: readonly Pointer[], { field, chosen }: Sought): Pointer[] {
  const taken = new Set(Object.entries(chosen).flatMap(([other, place]) => (other === field ? [] : [place])));
  return places.filter((pointer) => {
    const names = namesOf(pointer);
    const last = names.at(-1) ?? "";
    const metric = findMetric(...names);
    const isTaken = taken.has(pointer) || (field !== "count" && metric !== undefined && metric !== field);
    // A star is the name of a row.
    return !isTaken && last !== "*" && !isNoCount(last) && !isAside(names);
  });
}

const PROPOSED: ReadonlySet<string> = new Set(["visitors", "pageviews", "events", "count"]);

/** What is at a place where there is no value: an object, if there are places below it. */
export const findBelow = (place: Pointer, known: readonly Pointer[]): object | undefined =>
  known.some((pointer) => pointer.startsWith(`${place}/`)) ? {} : undefined;

function describeValue(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? quote(describeSample(value)) : describeSample(value);
}

const MAX_COMPARED = 1_000;
const MAX_PLACES = 8;
const SEE_MAPPING = '"analytics-mcp mapping" shows what can be read.';

/** The line of a mapping that would choose, as it can be pasted: only if it leaves no place open. */
function adviseOnMapping({ operation, places }: Choice): string {
  const chosen = Object.entries(places).flatMap(([field, [place]]) =>
    place === undefined ? [] : [[field, place]],
  );
  if (chosen.length < Object.keys(places).length)
    return '"analytics-mcp mapping" prints a mapping file for all answers, to name the place in.';
  const line = JSON.stringify({ [operation]: Object.fromEntries(chosen) });
  return `Choose in a mapping file, and name it by --mapping or ANALYTICS_MAPPING: ${line}. "analytics-mcp mapping" prints one for all answers.`;
}

const MAX_SHOWN = 100;

/** A place for a message: the service's words, quoted and cut. */
const namePlace = (pointer: Pointer): string =>
  pointer === ""
    ? 'the whole answer ("")'
    : quote(pointer.length > MAX_SHOWN ? `${pointer.slice(0, MAX_SHOWN)}…` : pointer);

const describeSample = (sample: unknown): string =>
  (Array.isArray(sample) ? sample.slice(0, 3).join(", ") : String(sample)).slice(0, MAX_SHOWN);

/** A count: a whole number of 0 or more, also as digits. Undefined if it is none. */
export function readCount(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
