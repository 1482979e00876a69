import { copyText } from "../../copy-text.ts";

const MONTHS = "JanFebMarAprMayJunJulAugSepOctNovDec";
const WIDTH = "21/Nov/2026:05:05:10 +0100".length;

/**
 * Creates a reader of Apache's timestamps, `21/Nov/2026:05:05:10 +0100`, that start at a position of a line. It returns
 * seconds since 1970, or NaN. Most lines have the same date as the line before, so it is cached.
 */
export function createTimestampReader(): (line: string, start: number) => number {
  let date = "";
  let zone = "";
  let midnight = Number.NaN;
  return (line, start) => {
    const lineDate = line.slice(start, start + 11);
    const lineZone = line.slice(start + 20, start + WIDTH);
    if (lineDate !== date || lineZone !== zone) {
      midnight = readMidnight(lineDate, lineZone);
      // A sliced string would keep the whole block of text alive.
      date = copyText(lineDate);
      zone = copyText(lineZone);
    }
    const hours = readTwoDigits(line, start + 12);
    const minutes = readTwoDigits(line, start + 15);
    const seconds = readTwoDigits(line, start + 18);
    // A leap second is written as 60.
    if (!(hours < 24 && minutes < 60 && seconds <= 60)) return Number.NaN;
    return midnight + hours * 3600 + minutes * 60 + seconds;
  };
}

/** Seconds since 1970 at which a date begins at the UTC offset `zone`. */
function readMidnight(date: string, zone: string): number {
  const [, day = "", month = "", year = ""] = /^(\d\d)\/(\w{3})\/(\d{4})$/.exec(date) ?? [];
  const [, sign, hours, minutes] = /^ ([+-])(\d\d)(\d\d)$/.exec(zone) ?? [];
  const index = MONTHS.indexOf(month) / 3;
  if (sign === undefined || month.length < 3 || !Number.isInteger(index)) return Number.NaN;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 * (sign === "-" ? -1 : 1);
  const instant = new Date(Date.UTC(Number(year), index, Number(day)));
  if (instant.getUTCDate() !== Number(day)) return Number.NaN;
  return instant.getTime() / 1000 - offset;
}

function readTwoDigits(line: string, at: number): number {
  const tens = line.charCodeAt(at) - 48;
  const ones = line.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/**
 * Reads the times of JSON and W3C logs: seconds or milliseconds since 1970 as a number or digits, RFC 3339, or Apache's
 * format. Returns seconds since 1970, or NaN. Without an offset, a time is UTC.
 */
export function readTime(value: unknown): number {
  if (typeof value === "number") return scaleToSeconds(value);
  if (typeof value !== "string" || value.length > MAX_TIME_LENGTH) return Number.NaN;
  if (/^\d{9,19}(\.\d+)?$/.test(value)) return scaleToSeconds(Number(value));
  if (/^\d\d\/\w{3}\/\d{4}:/.test(value)) return createTimestampReader()(value, 0);
  const text = value
    .replace(/^(\d{4})\/(\d\d)\/(\d\d)/, "$1-$2-$3")
    .replace(" ", "T")
    // Before the offset.
    .replace(/ (?=[+-]\d\d:?\d\d$)/, "");
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text);
  return Math.floor(Date.parse(hasZone ? text : `${text}Z`) / 1000);
}

const MAX_TIME_LENGTH = 64;

/** A time in seconds, milliseconds, microseconds or nanoseconds: those of our century do not overlap. NaN for any other. */
function scaleToSeconds(time: number): number {
  const scale = [1, 1e3, 1e6, 1e9].find((unitsPerSecond) => time / unitsPerSecond <= 100_000_000_000);
  return scale === undefined ? Number.NaN : Math.floor(time / scale);
}
