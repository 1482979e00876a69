import type { Dimension } from "../../../operations/dimensions.ts";
import { createLookup } from "../../lookup.ts";
import { OTHER } from "../../measure/definition.ts";
import { hashText } from "../hashing.ts";
import { append, type Column, createColumn, growTo, increase, readColumn } from "./columns.ts";
import { createPairNumbers } from "./pair-numbers.ts";
import { createValues, type Values } from "./values.ts";

/*
 * Anyone who sends requests chooses their texts. These limits bound what they can make this program keep: of each text, of
 * different texts, and of all texts together. What is beyond them is folded at once and nothing is taken back, so that journals
 * only grow, and so that processes that read the same lines in other portions keep the same. docs/log-rules.md states the limits.
 */

/** In UTF-16 code units. */
const MAX_TEXT_LENGTH = 500;
/** How many values a dimension has on a day. */
export const MAX_VALUES = 100_000;
/** In bytes: what a day keeps of values, and of combinations of them, however few requests it has; */
const MAX_BYTES = 2 * 2 ** 20;
/** and for each request, if that is more. The request itself takes some 25. */
const BYTES_OF_REQUEST = 10;
/** In bytes, roughly: what a value and a combination of values take beside their texts. */
const OVERHEAD = { value: 18, combination: 60 };

/** What has a share of a day's bytes, in parts of them all, so that a flood of one kind of texts leaves the others alone. */
const SHARES = {
  pages: 12,
  /** Combinations of the values of origins. */
  origins: 8,
  /** Paths of requests that failed, and what led to them. */
  not_found: 8,
  server_errors: 4,
  referrers: 3,
  hostnames: 1,
  utm_sources: 1,
  utm_mediums: 1,
  utm_campaigns: 1,
  utm_terms: 1,
  utm_contents: 1,
  languages: 1,
  browsers: 1,
  operating_systems: 1,
} as const satisfies Partial<Record<Dimension | "origins" | "not_found" | "server_errors", number>>;

type Limited = keyof typeof SHARES;
const LIMITED = Object.keys(SHARES);
const ALL_SHARES = Object.values(SHARES).reduce((sum, share) => sum + share, 0);

/**
 * A network can add values as long as it has added less than this part of what is left of a share. So a few networks cannot use
 * it up: one stops at a fifth of it, four at half, and n together leave 4 / (4 + n) to those who come later.
 */
const PART_OF_NETWORK = 1 / 4;
/** When less than this part of a share is left, a value must be sent by two networks to be added. */
const SCARCE = 1 / 4;
/** Of how many values that came when little was left the first network is remembered. */
const MAX_SEEN = 2 ** 14;

/** Cuts a text to what is kept of it. Half of a surrogate pair has no form in UTF-8, so it becomes U+FFFD. */
export const limitText = (text: string): string => text.slice(0, MAX_TEXT_LENGTH).toWellFormed();

/** What the limits depend on beside the values. */
export interface Spenders {
  /** By sender: their address, and how many requests they sent. */
  senders: Record<"addresses" | "requests", Column>;
  /** By address, its network (`nameNetwork`). */
  networkOf: Column;
  /** By hashes of values that came when little was left: another hash, and who sent them last. 0 for none. */
  seen: Column;
}

/** The values of a day, by dimension, as far as visitors choose them. */
export interface LimitedValues {
  of(dimension: Limited): Values;
  /** The value itself; `OTHER` if it is new, and there is no room for one from this sender. */
  limit(dimension: Limited, value: string | null, sender: number): string | null;
  /** Adds a value that `limit` has returned. */
  add(dimension: Limited, value: string | null, sender: number): void;
  /** Whether there is room for a new combination of values from this sender. */
  admits(dimension: Limited, key: string, sender: number): boolean;
  /** Counts a new value, or combination of values, towards the limits. */
  charge(dimension: Limited, kind: keyof typeof OVERHEAD, text: string, sender: number): void;
  /** Tells that the day has another request. */
  addRequest(): void;
  /** Takes over the requests of earlier processes. */
  adopt(): void;
}

interface Spent {
  bytes: number;
  values: number;
}

export function createLimitedValues({ senders, networkOf, seen }: Spenders): LimitedValues {
  const { get: find } = createLookup<Limited, Values>(() => createValues());
  const { get: usedOf } = createLookup<Limited, Spent>(() => ({ bytes: 0, values: 0 }));
  /** What networks have added, by the place of a share and the number of a network. */
  const places = createPairNumbers();
  const spent = { bytes: createColumn(), values: createColumn() };
  let count = 0;
  const networkBy = (sender: number) => networkOf.values[senders.addresses.values[sender] ?? 0] ?? 0;
  const placeOf = (dimension: Limited, network: number) => places.find(LIMITED.indexOf(dimension), network);

  /** Whether a value that came before, when little was left, came from another network. Remembers it. */
  const isSeen = (dimension: Limited, key: string, network: number): boolean => {
    const hash = hashText(`${dimension} ${key}`);
    const place = hash % MAX_SEEN;
    const tag = ((Math.floor(hash / MAX_SEEN) & 0xffff) << 16) >>> 0;
    const [known, own] = [seen.values[place] ?? 0, (tag | (1 + (network % 0xffff))) >>> 0];
    growTo(seen, MAX_SEEN);
    seen.values[place] = own;
    return known !== 0 && (known & 0xffff0000) >>> 0 === tag && known !== own;
  };
  const admits = (dimension: Limited, key: string, sender: number): boolean => {
    const network = networkBy(sender);
    const place = placeOf(dimension, network) ?? -1;
    const max = {
      bytes: (Math.max(MAX_BYTES, BYTES_OF_REQUEST * count) * SHARES[dimension]) / ALL_SHARES,
      values: MAX_VALUES,
    };
    const used = usedOf(dimension);
    let isScarce = false;
    for (const measure of ["bytes", "values"] as const) {
      const left = max[measure] - used[measure];
      if (left <= 0 || (spent[measure].values[place] ?? 0) >= PART_OF_NETWORK * left) return false;
      isScarce ||= left < SCARCE * max[measure];
    }
    return !isScarce || isSeen(dimension, key, network);
  };
  const charge: LimitedValues["charge"] = (dimension, kind, text, sender) => {
    // As JSON: there, a control character takes six bytes.
    const bytes = Buffer.byteLength(JSON.stringify(text)) + OVERHEAD[kind];
    const network = networkBy(sender);
    let place = placeOf(dimension, network);
    if (place === undefined) {
      place = places.size;
      places.set(LIMITED.indexOf(dimension), network, place);
      append(spent.bytes, 0);
      append(spent.values, 0);
    }
    increase(spent.bytes, place, bytes);
    increase(spent.values, place, 1);
    const used = usedOf(dimension);
    used.bytes += bytes;
    used.values++;
  };
  return {
    of: find,
    limit: (dimension, value, sender) => {
      if (value === null || find(dimension).find(value) !== undefined) return value;
      return admits(dimension, value, sender) ? value : OTHER;
    },
    add: (dimension, value, sender) => {
      if (value === null || value === OTHER) return;
      const values = find(dimension);
      if (values.find(value) !== undefined) return;
      values.number(value);
      charge(dimension, "value", value, sender);
    },
    admits,
    charge,
    addRequest: () => void count++,
    adopt: () => {
      for (const requests of readColumn(senders.requests)) count += requests;
    },
  };
}
