import type { LogContent, UnreadLines } from "./log-content.ts";

/** Beyond that, those closest together are joined. */
const MAX_SPANS = 200;
const HOUR = 3_600;
/** A line counts as no more bytes, so that nobody's long requests weigh as much as a hundred lines. */
const MAX_BYTES = 2_048;

/** What is read of a content: the time of the last line that could be, which need not be the latest. */
interface Read {
  content: LogContent;
  after: number;
}

/** Counts a line that could not be read, after the last one that could. */
export function addUnread({ content: { unread }, after }: Read, length: number, isFuture = false): void {
  const bytes = Math.min(length, MAX_BYTES);
  const last = unread.at(-1);
  const span = last?.before === null ? last : { after: finite(after), before: null, lines: 0, bytes: 0 };
  if (span !== last) unread.push(span);
  span.lines++;
  span.bytes += bytes;
  if (isFuture) span.future = (span.future ?? 0) + 1;
}

const finite = (time: number) => (Number.isFinite(time) ? time : null);

/** Notes that a line could be read. @param time Seconds since 1970. */
export function endUnread({ unread }: LogContent, time: number): void {
  const last = unread.at(-1);
  if (last?.before !== null) return;
  last.before = time;
  const before = unread.at(-2);
  const isSameHour = before !== undefined && hourOf(before.after ?? before.before ?? 0) === hourOf(time);
  if (isSameHour) joinSpans(unread, unread.length - 2);
  else if (unread.length > MAX_SPANS) joinSpans(unread, findClosest(unread));
}

const hourOf = (time: number): number => Math.floor(time / HOUR);

/** The span that makes the shortest one with the next. */
function findClosest(spans: readonly UnreadLines[]): number {
  // Where a log goes back in time, the next one is before it.
  const lengthAt = (at: number) => Math.abs((spans[at + 1]?.before ?? 0) - (spans[at]?.after ?? 0));
  let closest = 0;
  for (let at = 1; at < spans.length - 1; at++) if (lengthAt(at) < lengthAt(closest)) closest = at;
  return closest;
}

/** Joins a span and the next one. */
function joinSpans(spans: UnreadLines[], at: number): void {
  const [first, second] = spans.slice(at, at + 2);
  if (first === undefined || second === undefined) return;
  const future = (first.future ?? 0) + (second.future ?? 0);
  spans.splice(at, 2, {
    after: first.after,
    before: second.before,
    lines: first.lines + second.lines,
    bytes: first.bytes + second.bytes,
    ...(future > 0 && { future }),
  });
}
