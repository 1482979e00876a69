import { describe, expect, it } from "vitest";
import { createLineObserver } from "../../../src/sources/logs/command/line-observer.ts";
import { createCollector } from "../../../src/sources/logs/counting/collector.ts";
import { readLogSettings } from "../../../src/sources/logs/open.ts";
import { createLineParser, logFormats } from "../../../src/sources/logs/reading/formats/index.ts";
import { createContent } from "../../../src/sources/logs/reading/log-content.ts";
import { type LoggedRequest, writtenFormats } from "../../support/log-formats.ts";
import { FIREFOX, LOG_NOW } from "../../support/logs.ts";
import { share } from "../../support/seed.ts";

const request: LoggedRequest = {
  time: LOG_NOW / 1000 - 60,
  address: "192.0.2.1",
  host: "example.com",
  target: "/a?b=c",
  referrer: "https://google.com/",
  agent: FIREFOX,
  language: "de",
};

/** Texts that make a careless expression start again at each of their characters. */
const patterns = [
  "a",
  "A1",
  "0",
  "0.",
  "1.1.",
  ":",
  "::",
  "a:",
  "1:",
  "%",
  "%2",
  "%25",
  "<",
  "bot",
  "bot ",
  "compatible; ",
  "-",
  "-a",
  ".",
  "!.",
  "_",
  "@",
  "a@",
  "http://",
  "http://a ",
  "+",
  "=",
  "&",
  "utm_source=",
  "?",
  "#",
  "/",
  "/feed",
  "//",
  "..",
  "../",
  "\\",
  "\\x",
  "\\xC3",
  "[",
  "]",
  "(",
  "(X11; ",
  "{",
  ",",
  ", ",
  ";q=",
  " ",
  " [",
  " HTTP/",
  " HTTP/1.1 ",
  "\t",
  "de,",
  "aa-",
  "Mozilla/5.0 ",
  "rv:1",
  "é",
  "\ud83d\ude80",
]; // prettier-ignore

const fields = ["address", "host", "target", "referrer", "agent", "language"] as const;

const SHORT = 1_500;
/** A quadratic expression is found before it takes minutes. */
const LONGER = [6_000, 24_000];
/** How many times dearer than its length a longer text may be. */
const MAX_GROWTH = 3;
/** CPU time in µs. What takes less is noise. */
const MIN_COST = 100;

/** A line with a text in one of its fields, or cut there: quotes are never closed. */
const ways: Record<string, (write: (request: LoggedRequest) => string, text: string) => string[]> = {
  ...Object.fromEntries(
    fields.map((field) => [
      field,
      (write: (request: LoggedRequest) => string, text: string) => [
        write({ ...request, [field]: `${request[field].slice(0, 12)}${text}` }),
        write({ ...request, [field]: text }),
      ],
    ]),
  ),
  "X-Forwarded-For": (write, text) => [
    `${write(request)} "${text}"`,
    `${write(request)} "192.0.2.1, ${text}"`,
  ],
  "the first word": (write, text) => [`${text} ${write(request)}`, `192.0.2.1, ${text} ${write(request)}`],
  "an open end": (write, text) => [
    `${write(request).slice(0, -1)}${text}`,
    write(request).slice(0, 90) + text,
  ],
};

/** Reads and counts lines as `logs` does, and returns the CPU time of it in µs. */
function createCounting({ header, flags = {} }: (typeof writtenFormats)[string]) {
  const settings = readLogSettings({
    logs: ["access.log"],
    site: ["example.com"],
    trustForwarded: "2",
    excludePath: ["/x*a*b*c"],
    excludeAddress: ["203.0.113.0/24"],
    keepQuery: ["b"],
    logFormat: flags.logFormat,
  });
  const content = createContent(
    { path: "access.log" } as never,
    { fingerprint: "", hasHosts: false },
    "combined",
  );
  const described = settings.format === undefined ? [] : [settings.format];
  const parsers = [...logFormats, ...described].map((format) => {
    const parse = createLineParser(format);
    for (const line of header?.split("\n") ?? []) parse(line);
    return parse;
  });
  return (lines: readonly string[]): number => {
    const collector = createCollector(settings);
    const observer = createLineObserver(settings);
    const before = process.cpuUsage();
    for (const line of lines) {
      for (const parse of parsers) {
        const parsed = parse(line);
        if (typeof parsed !== "object") continue;
        observer.observe(parsed, collector.add(parsed, content), content);
      }
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}

/** Whether lines with a long text cost more than their length explains. */
function isSlow(costOf: (length: number) => number, times: number): boolean {
  // The least of some, since garbage is collected at any time.
  const least = (length: number) => Math.min(...Array.from({ length: times }, () => costOf(length)));
  const short = Math.max(MIN_COST, least(SHORT));
  return LONGER.some((length) => least(length) > MAX_GROWTH * (length / SHORT) * short);
}

describe("the cost of a line grows no faster than its length", () => {
  it.each(Object.keys(writtenFormats))("%s", async (name) => {
    const format = writtenFormats[name];
    if (format === undefined) expect.unreachable();
    const count = createCounting(format);
    const { write } = format;
    for (const [field, place] of Object.entries(ways)) {
      for (const pattern of share(patterns, 8, `${name}${field}`.length)) {
        const costOf = (length: number) => count(place(write, pattern.repeat(length / pattern.length)));
        if (!isSlow(costOf, 1) || !isSlow(costOf, 5)) continue;
        // The time is that of all threads: V8's own may still be at work on what was before.
        await new Promise((resolve) => setTimeout(resolve, 300));
        // Stops at the first, since each takes seconds.
        if (isSlow(costOf, 20)) expect.fail(`${field} of ${JSON.stringify(pattern)}`);
      }
    }
  });
});
