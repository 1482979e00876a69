import { hash as hashBytes } from "node:crypto";
import { addDays } from "../../operations/days.ts";
import { dateAt, startOfDay } from "../calendar.ts";
import { createSalt } from "./known-senders.ts";
import type { LogContent } from "./log-book.ts";
import { LATENESS } from "./site-log.ts";

/** A day's lines as another process can compare them: hashes under a salt that is destroyed when the day is closed. */
export interface KeptMarks {
  /** Seconds since 1970. */
  start: number;
  end: number;
  salt: Uint8Array;
  /** By mark, the place of the line's content among all. */
  marks: Map<number, number>;
}

export interface ComparedDay extends KeptMarks {
  /** By hash, the content that had the line first; those of `marks` are not among them. */
  seen: Map<number, LogContent>;
}

export interface ComparedDays {
  /** @param time Seconds since 1970. */
  find(time: number): ComparedDay;
  add(day: ComparedDay, hash: number, content: LogContent): void;
  /** What to keep of the days that are not closed by an instant, in seconds since 1970. The others are forgotten. */
  keep(now: number, placeOf: (content: LogContent) => number | undefined): KeptMarks[];
}

/** Enough for the newest lines of a large log; those of before were compared when they were read. */
const MOST_SEEN = 200_000;

export function createComparedDays(timezone: string, kept: readonly KeptMarks[]): ComparedDays {
  let days: ComparedDay[] = kept.map((day) => ({ ...day, seen: new Map() }));
  let current: ComparedDay | undefined;
  let count = 0;

  const open = (time: number): ComparedDay => {
    const date = dateAt(time * 1000, timezone);
    const [start = 0, end = 0] = [date, addDays(date, 1)].map((each) => startOfDay(each, timezone) / 1000);
    const day = { start, end, salt: createSalt(), marks: new Map(), seen: new Map() };
    days.push(day);
    return day;
  };
  const forgetOldest = () => {
    const [oldest, ...others] = days.sort((a, b) => a.start - b.start);
    if (oldest === undefined || others.length === 0) return;
    days = others;
    count -= oldest.seen.size;
  };

  return {
    find: (time) => {
      const isIn = ({ start, end }: ComparedDay) => time >= start && time < end;
      if (current === undefined || !isIn(current)) current = days.find(isIn) ?? open(time);
      return current;
    },
    add: ({ seen }, hash, content) => {
      if (count >= MOST_SEEN) forgetOldest();
      if (count >= MOST_SEEN) return;
      seen.set(hash, content);
      count++;
    },
    keep: (now, placeOf) => {
      days = days.filter(({ end }) => end + LATENESS > now);
      current = undefined;
      count = 0;
      for (const { seen, salt, marks } of days) {
        for (const [hash, content] of seen) marks.set(markLine(salt, hash), placeOf(content) ?? 0);
        seen.clear();
      }
      return days.map(({ start, end, salt, marks }) => ({ start, end, salt, marks }));
    },
  };
}

/** 48 bits, as a number. */
export const markLine = (salt: Uint8Array, hash: number): number =>
  hashBytes("sha256", Buffer.concat([salt, Buffer.from(String(hash))]), "buffer").readUIntBE(0, 6);
