import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyText } from "../../../../render/any-text.ts";
import { writtenFormats } from "../../../../support/log-formats.ts";
import { createLogFolder, FIREFOX, LOG_NOW, openTestLogs } from "../../../../support/logs.ts";
import { IS_LONG } from "../../../../support/seed.ts";

const request = {
  time: LOG_NOW / 1000 - 60,
  address: "192.0.2.1",
  host: "example.com",
  target: "/a?b=c",
  referrer: "https://google.com/",
  agent: FIREFOX,
  language: "de",
};

/** What breaks parsers. */
const nasty = fc.constantFrom(
  '"',
  "\\",
  '\\"',
  "\\x22",
  "[",
  "]",
  " ",
  "\t",
  "{",
  "}",
  ":",
  ",",
  "-",
  "#",
  "#Fields: date",
  "%",
  "%ff",
  "\0",
  "\r",
  "\u2028",
  "\ufeff",
  "\u202e",
  "é",
  "🚀",
  "\ud800",
  "GET ",
  " HTTP/1.1",
  " 200 ",
  "::",
  "1e999",
  "https://",
  "x".repeat(70_000),
  "null",
  '{"request":{}}',
  " [21/Nov/2026:",
  "__proto__",
  "utm_source=",
);

/** A line of some format, with some places damaged. */
const damaged = fc
  .tuple(
    fc.constantFrom(...Object.values(writtenFormats).map(({ write }) => write(request))),
    fc.array(fc.tuple(fc.nat(300), fc.nat(12), fc.oneof(nasty, anyText(8))), {
      maxLength: 4,
    }),
  )
  .map(([line, changes]) =>
    changes.reduce((text, [at, cut, added]) => text.slice(0, at) + added + text.slice(at + cut), line),
  );
const line = fc.oneof(
  { weight: 6, arbitrary: damaged },
  { weight: 1, arbitrary: anyText(200) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.constantFrom("", "#Fields: time", "#Fields: date time c-ip cs-method", "# x") },
);

/** Every line that a text has, empty ones apart: zeros and byte order marks in front are no part of a line. */
const countLines = (bytes: Buffer) =>
  bytes
    .toString()
    .split("\n")
    .filter((each) => each.replace(/^[\0\ufeff]+/, "").replace(/\r$/, "") !== "").length;

describe("whatever is in a log", () => {
  it.each(Object.entries(writtenFormats))(
    "no line of %s is lost uncounted",
    async (_, { header, write, flags }) => {
      const intact = [
        ...(header === undefined ? [] : [header]),
        ...Array.from({ length: 60 }, () => write(request)),
      ];
      await fc.assert(
        fc.asyncProperty(fc.array(line, { maxLength: 40 }), fc.boolean(), async (strange, ends) => {
          const bytes = Buffer.from([...intact, ...strange, ...(ends ? [""] : [])].join("\n"));
          const { path } = createLogFolder({ "access.log": bytes });
          const logs = openTestLogs({ logs: [path("access.log")], acceptProxyAddresses: true, ...flags });
          const site = await logs.findSite();
          const span = { site, from: "2026-11-20", to: "2026-11-21", now: LOG_NOW };
          await logs.source.days(span);
          for (const dimension of (await logs.source.dimensions?.(site)) ?? []) {
            await logs.source.breakdown(span, dimension, 10);
          }
          const [content] = logs.contents();
          const end = bytes.lastIndexOf(10) + 1;
          // The last line is incomplete, but may be too long already.
          const last = bytes.length - end > 65_536 ? 1 : 0;
          expect(content?.lines).toBe(countLines(bytes.subarray(0, end)) + last);
          const outcomes = Object.values(logs.outcomes()).reduce((sum, count) => sum + count, 0);
          const { comments = 0, unreadable = 0, tooLong = 0 } = content ?? {};
          expect(outcomes + comments + unreadable + tooLong).toBe(content?.lines);
        }),
        { numRuns: IS_LONG ? 50 : 5, examples: [[["\0", "\0\ufeff", "\ufeff\0\r"], true]] },
      );
    },
  );
});
