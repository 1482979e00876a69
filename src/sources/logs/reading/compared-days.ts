import { createPairNumbers, type PairNumbers } from "../counting/columns.ts";
import { findDaySpan, LATENESS } from "../day-span.ts";
import { createSalt, hashSalted } from "../hashing.ts";

/** A day's lines in a form that another process can compare: hashes under a salt that is destroyed when the day is closed. */
export interface KeptMarks {
  /** Seconds since 1970. */
  start: number;
  end: number;
  salt: Uint8Array;
  /** Three numbers for each line: the upper and lower bits of its mark, and the index of its content. */
  marks: Uint32Array;
}

export interface ComparedDay extends KeptMarks {
  /** By hash, the index of the content that had the line first; without the lines of `marks`. */
  seen: PairNumbers;
  /** The same for `marks`, built when the first line is looked up: most runs find no new line. */
  known?: PairNumbers;
}

export interface ComparedDays {
  /** @param time Seconds since 1970. */
  find(time: number): ComparedDay;
  add(day: ComparedDay, hash: number, place: number): void;
  /** What to keep of the days that are not closed by an instant, in seconds since 1970. The others are forgotten. */
  keep(now: number): KeptMarks[];
}

/** Enough for the newest lines of a large log; earlier ones were compared when they were read. */
const MAX_SEEN = 200_000;

export function createComparedDays(timezone: string, kept: readonly KeptMarks[]): ComparedDays {
  let days: ComparedDay[] = kept.map((day) => ({ ...day, seen: createPairNumbers() }));
  let current: ComparedDay | undefined;
  let count = 0;

  const open = (time: number): ComparedDay => {
    const { start, end } = findDaySpan(time, timezone);
    const day = { start, end, salt: createSalt(), marks: new Uint32Array(0), seen: createPairNumbers() };
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
    add: ({ seen }, hash, place) => {
      if (count >= MAX_SEEN) forgetOldest();
      if (count >= MAX_SEEN) return;
      seen.set(upperBits(hash), lowerBits(hash), place);
      count++;
    },
    keep: (now) => {
      days = days.filter(({ end }) => end + LATENESS > now).map(markSeen);
      current = undefined;
      count = 0;
      return days.map(({ start, end, salt, marks }) => ({ start, end, salt, marks }));
    },
  };
}

/** The index of the content that had a line first; -1 if none had it. */
export function findPlace(day: ComparedDay, hash: number): number {
  const place = day.seen.find(upperBits(hash), lowerBits(hash));
  if (place >= 0 || day.marks.length === 0) return place;
  day.known ??= numberMarks(day.marks);
  const mark = markLine(day.salt, hash);
  return day.known.find(upperBits(mark), lowerBits(mark));
}

/** Adds what a day has seen to its marks. */
function markSeen({ start, end, salt, marks, seen }: ComparedDay): ComparedDay {
  const all = new Uint32Array(marks.length + 3 * seen.size);
  all.set(marks);
  let at = marks.length;
  seen.forEach((place, upper, lower) => {
    const mark = markLine(salt, 2 ** 32 * upper + lower);
    all[at++] = upperBits(mark);
    all[at++] = lowerBits(mark);
    all[at++] = place;
  });
  return { start, end, salt, marks: all, seen: createPairNumbers() };
}

function numberMarks(marks: Uint32Array): PairNumbers {
  const numbers = createPairNumbers();
  for (let at = 0; at < marks.length; at += 3) {
    const [upper = 0, lower = 0, place = 0] = [marks[at], marks[at + 1], marks[at + 2]];
    if (numbers.find(upper, lower) < 0) numbers.set(upper, lower, place);
  }
  return numbers;
}

/** 48 bits, as a number. */
const markLine = (salt: Uint8Array, hash: number): number =>
  Buffer.from(hashSalted(salt, String(hash)), "latin1").readUIntBE(0, 6);

const upperBits = (bits: number) => Math.floor(bits / 2 ** 32);
const lowerBits = (bits: number) => bits >>> 0;
