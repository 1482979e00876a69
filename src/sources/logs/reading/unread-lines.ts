import type { LogContent, UnreadLines } from "./log-content.ts";

/** Beyond that, the oldest are put together. */
const MAX_SPANS = 200;
const HOUR = 3_600;

/** Counts lines that could not be read, after the last one that could. */
export function addUnread({ unread, latest }: LogContent, lines: number, bytes: number): void {
  const last = unread.at(-1);
  if (last?.before === null) {
    last.lines += lines;
    last.bytes += bytes;
  } else unread.push({ after: Number.isFinite(latest) ? latest : null, before: null, lines, bytes });
}

/** Notes that a line could be read. @param time Seconds since 1970. */
export function endUnread({ unread }: LogContent, time: number): void {
  const last = unread.at(-1);
  if (last?.before !== null) return;
  last.before = time;
  const before = unread.at(-2);
  const isSameHour = before !== undefined && hourOf(before.after ?? time) === hourOf(time);
  if (isSameHour) joinSpans(unread, unread.length - 2);
  else if (unread.length > MAX_SPANS) joinSpans(unread, 0);
}

const hourOf = (time: number): number => Math.floor(time / HOUR);

/** Joins a span and the next one. */
function joinSpans(spans: UnreadLines[], at: number): void {
  const [first, second] = spans.slice(at, at + 2);
  if (first === undefined || second === undefined) return;
  const { after } = first;
  const [lines, bytes] = [first.lines + second.lines, first.bytes + second.bytes];
  spans.splice(at, 2, { after, before: second.before, lines, bytes });
}
