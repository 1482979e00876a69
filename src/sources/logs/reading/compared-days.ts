import { LATENESS, type LogCalendar } from "../day-span.ts";
import { createSalt, hashSalted } from "../hashing.ts";

/** A day whose lines are compared, with the salt of their hashes, which is destroyed when the day is closed. */
interface SaltedDay {
  /** Seconds since 1970. */
  start: number;
  end: number;
  salt: Uint8Array;
}

/** A day's lines in a form that another process can compare. */
export interface KeptMarks extends SaltedDay {
  /** Returns two numbers for each line: its mark, and the index of its content. */
  readMarks(): Float64Array;
}

/** The lines that were compared since they were last kept. */
export interface NewMarks extends SaltedDay {
  /** As `readMarks` returns them. */
  marks: Float64Array;
  /** To be called once they are kept. */
  confirm(): void;
}

export interface ComparedDay extends KeptMarks {
  /** By hash, the index of the content that had the line first; without the lines that were kept earlier. */
  seen: Map<number, number>;
  /** How many of them are kept. */
  kept: number;
  /** The same by mark for lines that were kept earlier, read when the first line is looked up: most runs find no new line. */
  known?: Map<number, number>;
}

export interface ComparedDays {
  /** @param time Seconds since 1970. */
  find(time: number): ComparedDay;
  add(day: ComparedDay, hash: number, place: number): void;
  /** What to keep of the days that are not closed by an instant, in seconds since 1970. The others are forgotten. */
  keep(now: number): NewMarks[];
}

/** Enough for the newest lines of a large log; earlier ones were compared when they were read. */
const MAX_SEEN = 200_000;

export function createComparedDays(calendar: LogCalendar, kept: readonly KeptMarks[]): ComparedDays {
  let days: ComparedDay[] = kept.map((day) => ({ ...day, seen: new Map(), kept: 0 }));
  let current: ComparedDay | undefined;
  let count = 0;

  const open = (time: number): ComparedDay => {
    const { start, end } = calendar.find(time);
    const day = {
      start,
      end,
      salt: createSalt(),
      readMarks: () => new Float64Array(0),
      seen: new Map(),
      kept: 0,
    };
    days.push(day);
    return day;
  };
  const forget = (isGone: (day: ComparedDay) => boolean) => {
    days = days.filter((day) => {
      if (!isGone(day)) return true;
      count -= day.seen.size;
      return false;
    });
    current = undefined;
  };
  const forgetOldest = () => {
    const oldest = days.reduce((a, b) => (b.start < a.start ? b : a));
    if (days.length > 1) forget((day) => day === oldest);
  };

  return {
    find: (time) => {
      const isIn = ({ start, end }: ComparedDay) => time >= start && time < end;
      if (current === undefined || !isIn(current)) current = days.find(isIn) ?? open(time);
      return current;
    },
    add: (day, hash, place) => {
      if (count >= MAX_SEEN) forgetOldest();
      if (count >= MAX_SEEN) return;
      day.seen.set(hash, place);
      count++;
    },
    keep: (now) => {
      forget(({ end }) => end + LATENESS <= now);
      return days.map(markNew);
    },
  };
}

/** The index of the content that had a line first; undefined if none had it. */
export function findPlace(day: ComparedDay, hash: number): number | undefined {
  const place = day.seen.get(hash);
  if (place !== undefined) return place;
  day.known ??= numberMarks(day.readMarks());
  return day.known.size === 0 ? undefined : day.known.get(markLine(day.salt, hash));
}

function markNew(day: ComparedDay): NewMarks {
  const { start, end, salt, seen, kept } = day;
  const fresh = [...seen].slice(kept);
  const marks = Float64Array.from(fresh.flatMap(([hash, place]) => [markLine(salt, hash), place]));
  const confirm = () => {
    day.kept = kept + fresh.length;
  };
  return { start, end, salt, marks, confirm };
}

function numberMarks(marks: Float64Array): Map<number, number> {
  const numbers = new Map<number, number>();
  for (let at = 0; at < marks.length; at += 2) {
    const [mark = 0, place = 0] = [marks[at], marks[at + 1]];
    if (!numbers.has(mark)) numbers.set(mark, place);
  }
  return numbers;
}

/** 48 bits, as a number. */
const markLine = (salt: Uint8Array, hash: number): number =>
  Buffer.from(hashSalted(salt, String(hash)), "latin1").readUIntBE(0, 6);
