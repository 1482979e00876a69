import type { LogLine } from "../log-line.ts";

type TextField = {
  [Field in keyof LogLine]-?: NonNullable<LogLine[Field]> extends string ? Field : never;
}[keyof LogLine];

/**
 * The longest sensible value of each field, in characters. Anyone who sends a request chooses its texts, and an expression
 * that is quadratic in a text of 64 kB holds a server up for seconds.
 */
const MAX_LENGTH: Readonly<Record<TextField, number>> = {
  /** Also a host name, where a server looks names up (RFC 1035, section 2.3.4). */
  address: 253,
  /** Longer than any host, so that a cut one is none. */
  host: 300,
  forwarded: 1_000,
  method: 20,
  /** The line of a request that servers accept by default. */
  target: 8_192,
  /** From this length on, browsers send the origin alone (Referrer Policy, section 8.3). */
  referrer: 4_096,
  agent: 1_024,
  language: 200,
  contentType: 200,
  purpose: 200,
};

const LENGTHS = Object.entries(MAX_LENGTH).map(([field, length]) => ({ field: field as TextField, length }));

/** In seconds since 1970. A day more on both ends, since the day at the site depends on its timezone. */
const MIN_TIME = 86_400;
const MAX_TIME = Date.UTC(9999, 11, 30) / 1_000;

/** CloudFront and load balancers write 0 if there was no answer. */
const MAX_STATUS = 999;

/** Cuts the fields of a line to sensible lengths; undefined if its time, sender or status is not sensible. */
export function boundLine(line: LogLine): LogLine | undefined {
  // A time that is not a number is not within either.
  const isTimely = line.time >= MIN_TIME && line.time < MAX_TIME;
  if (!isTimely || line.address.length > MAX_LENGTH.address) return undefined;
  if (line.status < 0 || line.status > MAX_STATUS) return undefined;
  // A server's own proxies add to the end.
  if (line.forwarded !== undefined && line.forwarded.length > MAX_LENGTH.forwarded)
    line.forwarded = line.forwarded.slice(-MAX_LENGTH.forwarded);
  for (const { field, length } of LENGTHS) {
    const text = line[field];
    if (text !== undefined && text.length > length) line[field] = text.slice(0, length);
  }
  return line;
}
