import { isIP } from "node:net";
import { readMember } from "../../../../member.ts";
import type { KnownFormat, LineParser, LogLine } from "../log-line.ts";
import { createTimestampReader } from "./timestamp.ts";

/**
 * NCSA's formats, common and combined, which nginx, Apache, Lighttpd and Traefik write:
 *
 *     [host[:port] ]address ident user [21/Nov/2026:05:05:10 +0100] "GET / HTTP/1.1" 200 512[ "referrer" "agent"[ …]]
 *
 * Lighttpd writes the host in place of ident. A third quoted text, as in nginx's `main`, is X-Forwarded-For.
 */
export const clf: KnownFormat = {
  name: "combined",
  title: "combined and common (nginx, Apache, Lighttpd, Traefik)",
  createParser: () => createParser(0),
  specialize: (lines) => {
    const texts = countUsualTexts(lines);
    return { ...clf, createParser: () => createParser(texts) };
  },
};

/** The number of quoted texts after the status that most lines have: lines with fewer are cut off. */
function countUsualTexts(lines: readonly string[]): number {
  const counts = [0, 1, 2, 3].map((texts) => {
    const parse = createParser(texts);
    return lines.filter((line) => parse(line) !== undefined).length;
  });
  // The most that at least half of the lines have.
  return Math.max(
    0,
    counts.findLastIndex((count) => count > 0 && 2 * count >= (counts[0] ?? 0)),
  );
}

/** @param texts How many quoted texts a line has after its status, at least. */
function createParser(texts: number): LineParser {
  const readTimestamp = createTimestampReader();
  return (line) => {
    const open = findTimestamp(line);
    if (open < 0) return undefined;
    const time = readTimestamp(line, open + 2);
    if (Number.isNaN(time)) return undefined;
    const request = line.indexOf('"', open + 28);
    const end = request < 0 ? -1 : findClosingQuote(line, request + 1);
    const status = end < 0 ? 0 : readStatus(line, end + 2);
    if (status === 0) return undefined;
    // One object, filled for each line: there are millions of lines.
    const parsed: LogLine = {
      time,
      address: "",
      host: undefined,
      method: "",
      target: "",
      status,
      referrer: undefined,
      agent: undefined,
      forwarded: undefined,
    };
    if (!readSender(line, open, parsed)) return undefined;
    const read = line.includes("\\") ? readEscaped : readPlain;
    readRequest(line, request + 1, end, read, parsed);
    return readQuoted(line, end + 5, read, parsed) >= texts ? parsed : undefined;
  };
}

/** Reads a part of a line and undoes its escapes. Most lines have none. */
type ReadText = (line: string, from: number, to: number) => string;

const readPlain: ReadText = (line, from, to) => line.slice(from, to);
const readEscaped: ReadText = (line, from, to) => unescapeLog(line.slice(from, to));

/** The position of a timestamp such as ` [21/Nov/2026:…`. A user name may contain brackets, too. */
function findTimestamp(line: string): number {
  for (let open = line.indexOf(" ["); open >= 0; open = line.indexOf(" [", open + 1)) {
    if (line.charCodeAt(open + 4) === SLASH && line.charCodeAt(open + 13) === COLON) return open;
  }
  return -1;
}

const SLASH = 47;
const COLON = 58;
const BACKSLASH = 92;

/** Reads address and host. False if the text before `end` has no sender, or if something unknown comes before it. */
function readSender(line: string, end: number, into: LogLine): boolean {
  const first = line.indexOf(" ");
  if (first <= 0 || first >= end) return false;
  const second = line.indexOf(" ", first + 1);
  if (second < 0 || second > end) return false;
  const word = line.slice(0, first);
  into.address = word;
  if (line.startsWith("-", first + 1) && second === first + 2) return true;
  const next = line.slice(first + 1, second);
  if (isAddress(word)) {
    // Lighttpd writes the host in place of ident, which nobody has used for decades.
    if (next !== "-" && next.includes(".")) into.host = next;
    return true;
  }
  return readPrefixed(line.slice(0, Math.min(end, MAX_SENDER_LENGTH)).split(" "), into);
}

/** Reads the words before a timestamp of which the first is no address: a host or a prefix. */
function readPrefixed(words: readonly string[], into: LogLine): boolean {
  // Before ident and user. The last one: a prefix, as of syslog, may begin with the address of a machine.
  const at = words.findLastIndex((each, index) => index <= words.length - 3 && isIP(each) !== 0);
  if (at < 0) {
    const [, ident = "-"] = words;
    // A host name in place of an address, unless something comes before it.
    if (words.length >= 5 && words.some((each) => each.endsWith(":"))) return false;
    if (ident !== "-" && ident.includes(".")) into.host = ident;
    return true;
  }
  into.address = words[at] ?? "";
  const host = words[at - 1] ?? "";
  // After a prefix, the word before the address is a host if a tag such as `nginx:` comes before it.
  if (at === 1 || (words[at - 2]?.endsWith(":") && host.includes("."))) into.host = host;
  return true;
}

/** Addresses, a host, a prefix and a user. */
const MAX_SENDER_LENGTH = 1_000;

/** Whether a word can be an IP address, by its characters alone. */
const isAddress = (word: string) =>
  word.length <= MAX_ADDRESS_LENGTH &&
  /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*:[\da-f.]*(?:%\w+)?)$/i.test(word);

/** An IPv6 address (RFC 4291, section 2.2) and the name of an interface. */
const MAX_ADDRESS_LENGTH = 64;

/** The next quote without a backslash that escapes it. */
export function findClosingQuote(line: string, from: number): number {
  let at = line.indexOf('"', from);
  while (at >= 0 && isEscapedAt(line, at)) at = line.indexOf('"', at + 1);
  return at;
}

function isEscapedAt(line: string, at: number): boolean {
  let backslashes = 0;
  while (line.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** Three digits between spaces or before the end; 0 for anything else. */
function readStatus(line: string, at: number): number {
  const digit = (index: number) => line.charCodeAt(at + index) - 48;
  const [a, b, c] = [digit(0), digit(1), digit(2)];
  const isNumber = a >= 1 && a <= 9 && b >= 0 && b <= 9 && c >= 0 && c <= 9;
  const next = line.charCodeAt(at + 3);
  return isNumber && (next === 32 || line.length === at + 3) ? a * 100 + b * 10 + c : 0;
}

/** `GET /path HTTP/1.1`. Anything else, such as the beginning of a TLS handshake, has no method. */
function readRequest(line: string, from: number, to: number, read: ReadText, into: LogLine): void {
  const space = line.indexOf(" ", from);
  const last = line.lastIndexOf(" ", to - 1);
  if (space < 0 || space >= to || !isMethod(line, from, space)) {
    into.target = read(line, from, to);
    return;
  }
  const hasProtocol = last > space && line.startsWith("HTTP/", last + 1);
  into.method = line.slice(from, space);
  into.target = read(line, space + 1, hasProtocol ? last : to);
}

function isMethod(line: string, from: number, to: number): boolean {
  if (to - from < 3 || to - from > 20) return false;
  for (let at = from; at < to; at++) {
    const code = line.charCodeAt(at);
    if ((code < 65 || code > 90) && code !== 45 && code !== 95) return false;
  }
  return true;
}

/**
 * Reads up to three quoted texts, starting at a position: referrer and user agent, and X-Forwarded-For. Returns how many there
 * are; less than none if the line ends within one of the first two.
 */
function readQuoted(line: string, from: number, read: ReadText, into: LogLine): number {
  const first = line.indexOf('"', from);
  if (first < 0) return 0;
  const firstEnd = findClosingQuote(line, first + 1);
  const second = firstEnd < 0 ? -1 : line.indexOf('"', firstEnd + 1);
  const secondEnd = second < 0 ? -1 : findClosingQuote(line, second + 1);
  if (firstEnd < 0 || (second >= 0 && secondEnd < 0)) return -1;
  if (secondEnd < 0) return 1;
  const [referrer, agent] = [read(line, first + 1, firstEnd), read(line, second + 1, secondEnd)];
  into.referrer = referrer === "-" ? "" : referrer;
  into.agent = agent === "-" ? "" : agent;
  const third = line.indexOf('"', secondEnd + 1);
  const thirdEnd = third < 0 ? -1 : findClosingQuote(line, third + 1);
  if (thirdEnd < 0) return 2;
  const forwarded = read(line, third + 1, thirdEnd);
  if (forwarded !== "-") into.forwarded = forwarded;
  return 3;
}

const SIMPLE: Record<string, string> = { n: "\n", r: "\r", t: "\t", v: "\v", b: "\b", f: "\f" };

/** Undoes what nginx (`\xC3\xA4`) and Apache (`\"`, `\\`, `\t`) write in place of quotes, controls and UTF-8. */
export function unescapeLog(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/(?:\\x[\da-f]{2})+|\\(.)/gi, (found: string, character: string | undefined) => {
    if (character === undefined) return Buffer.from(found.replaceAll(/\\x/gi, ""), "hex").toString();
    return readMember(SIMPLE, character) ?? character;
  });
}
