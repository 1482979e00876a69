import type { Dimension } from "../../../operations/dimensions.ts";
import { createLookup } from "../../lookup.ts";
import { OTHER } from "../../measure/definition.ts";
import { type Column, createColumn, growTo, increase, readColumn } from "./columns.ts";
import { createValues, type Values } from "./values.ts";

/*
 * Anyone who sends requests chooses their texts. These limits bound what they can make this program keep: of each text, of
 * different texts, and of all texts together. docs/logs.md states them.
 */

/** In UTF-16 code units. */
const MAX_TEXT_LENGTH = 500;
/** How many values a dimension has on a day. */
export const MAX_VALUES = 100_000;
/** How many values, and combinations of them, one sender can add to a day. */
const MAX_VALUES_OF_SENDER = 2_000;
/** In bytes: what a day keeps of values, and of combinations of them, however few requests it has; */
const MAX_BYTES = 2 * 2 ** 20;
/** and for each request, if that is more. The request itself takes some 25. */
const BYTES_OF_REQUEST = 10;
/** One address can add this share of it, whatever user agents it sends, and leaves the rest to others. */
const SHARE_OF_ADDRESS = 1 / 4;
/** In bytes, roughly: what a value takes beside its text, and what a combination takes. */
const OVERHEAD = { value: 18, combination: 60 };

/** Cuts a text to what is kept of it. Half of a surrogate pair has no form in UTF-8, so it becomes U+FFFD. */
export const limitText = (text: string): string => text.slice(0, MAX_TEXT_LENGTH).toWellFormed();

/** What has values: a dimension, or the paths of requests that failed. */
type Space = Dimension | "not_found" | "server_errors";

/** By sender: their address, their requests, and the values that they have added, with the bytes of these. */
export type Spending = Record<"addresses" | "requests" | "added" | "bytes", Column>;

/** The values of a day, by dimension, as far as visitors choose them. */
export interface LimitedValues {
  of(dimension: Space): Values;
  /** The value itself; `OTHER` if it is new, and the sender, their address, or the day has too many. */
  limit(dimension: Space, value: string | null, sender: number): string | null;
  /** Adds a value that `limit` has returned. */
  add(dimension: Space, value: string | null, sender: number): void;
  /** Adds a combination of values; false if the sender, their address, or the day has too many. */
  addCombination(sender: number): boolean;
  /** Tells that the day has another request. */
  addRequest(): void;
  /** Takes over what earlier processes have noted of the senders. */
  adopt(): void;
}

export function createLimitedValues({ addresses, requests, added, bytes }: Spending): LimitedValues {
  const { get: find } = createLookup<Space, Values>(() => createValues());
  const total = { bytes: 0, requests: 0 };
  /** By address, the bytes that its senders have added. */
  let spent = createColumn();
  const addressOf = (sender: number) => addresses.values[sender] ?? 0;
  const hasTooMany = (sender: number) => {
    if ((added.values[sender] ?? 0) >= MAX_VALUES_OF_SENDER) return true;
    const max = Math.max(MAX_BYTES, BYTES_OF_REQUEST * total.requests);
    return total.bytes >= max || (spent.values[addressOf(sender)] ?? 0) >= SHARE_OF_ADDRESS * max;
  };
  const spend = (sender: number, size: number) => {
    const address = addressOf(sender);
    growTo(spent, address + 1);
    increase(spent, address, size);
    increase(bytes, sender, size);
    increase(added, sender, 1);
    total.bytes += size;
  };
  return {
    of: find,
    limit: (dimension, value, sender) => {
      if (value === null) return null;
      const values = find(dimension);
      if (values.find(value) !== undefined) return value;
      return values.size > MAX_VALUES || hasTooMany(sender) ? OTHER : value;
    },
    add: (dimension, value, sender) => {
      if (value === null || value === OTHER) return;
      const values = find(dimension);
      if (values.find(value) !== undefined) return;
      values.number(value);
      // As JSON: there, a control character takes six bytes.
      spend(sender, Buffer.byteLength(JSON.stringify(value)) + OVERHEAD.value);
    },
    addCombination: (sender) => {
      if (hasTooMany(sender)) return false;
      spend(sender, OVERHEAD.combination);
      return true;
    },
    addRequest: () => void total.requests++,
    adopt: () => {
      spent = createColumn();
      for (let sender = 0; sender < bytes.length; sender++) {
        const size = bytes.values[sender] ?? 0;
        growTo(spent, addressOf(sender) + 1);
        increase(spent, addressOf(sender), size);
        total.bytes += size;
      }
      for (const count of readColumn(requests)) total.requests += count;
    },
  };
}
