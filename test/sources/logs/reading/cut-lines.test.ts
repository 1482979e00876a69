import { describe, expect, it } from "vitest";
import { dryRun } from "../../../../src/sources/logs/command/dry-run.ts";
import { readLogSettings } from "../../../../src/sources/logs/open.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../../support/logs.ts";

const REFERRER = "https://search.example/?q=logs";
const line = (n: number) => combined({ address: `192.0.2.${n}`, referrer: REFERRER });
const common = (n: number) => line(n).replace(/ "[^"]*" "[^"]*"$/, "");
const main = (n: number) => `${line(n)} "203.0.113.${n}"`;
const times = (count: number, create: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => create(n + 1));

/** Where a line may end: the text up to its nth quote, or some characters after it. */
function cutAt(text: string, quote: number, more = 0): string {
  let at = -1;
  for (let n = 0; n < quote; n++) at = text.indexOf('"', at + 1);
  return text.slice(0, at + 1 + more);
}

const open = (lines: readonly string[], flags = {}) => {
  const { path } = createLogFolder({ "access.log": joinLines(...lines) });
  return { path: path("access.log"), logs: openTestLogs({ logs: [path("access.log")], ...flags }) };
};

describe("a line that was cut off is no line of another format", () => {
  const whole = line(99);
  it.each([
    ["in the request", cutAt(whole, 1, 6)],
    ["after the status", cutAt(whole, 2, 4)],
    ["in the bytes", cutAt(whole, 2, 6)],
    ["after the bytes", cutAt(whole, 2, 8)],
    ["before the referrer", cutAt(whole, 3)],
    ["in the referrer", cutAt(whole, 3, 10)],
    ["after the referrer", cutAt(whole, 4)],
    ["before the user agent", cutAt(whole, 5)],
    ["in the user agent", cutAt(whole, 5, 20)],
    ["before its last quote", whole.slice(0, -1)],
  ])("%s", async (_, cut) => {
    for (const lines of [
      [...times(5, line), cut],
      [cut, ...times(5, line)],
    ]) {
      const { logs, path } = open(lines);
      expect(await logs.count()).toEqual({ visitors: 5, pageviews: 5, events: 0 });
      expect(logs.contents()).toMatchObject([{ lines: 6, unreadable: 1 }]);
      expect(await logs.warnings()).not.toContain("no_user_agent");
      const { outcomes } = await dryRun(
        readLogSettings({ logs: [path], site: ["example.com"] }),
        () => LOG_NOW,
      );
      expect(outcomes).toContainEqual({ outcome: "unreadable", lines: 1, examples: [] });
    }
  });

  it("in a file with X-Forwarded-For", async () => {
    const whole = main(99);
    for (const cut of [line(99), cutAt(whole, 7), cutAt(whole, 7, 5)]) {
      const { logs } = open([...times(5, main), cut], { trustForwarded: "1" });
      expect(await logs.count()).toMatchObject({ visitors: 5 });
      expect(logs.contents()).toMatchObject([{ unreadable: 1 }]);
    }
  });

  it("in ALB's format", async () => {
    const entry = (agent: string) =>
      `https 2026-11-21T04:04:10.000000Z app/lb/1 192.0.2.1:2817 10.0.0.1:80 0 0 0 200 200 34 366 "GET https://example.com:443/ HTTP/1.1" ${agent}`;
    const { logs } = open([...times(3, () => entry('"Mozilla/5.0 Firefox/145.0" -')), entry('"Mozilla/5.0')]);
    expect(await logs.count()).toEqual({ visitors: 1, pageviews: 3, events: 0 });
    expect(logs.contents()).toMatchObject([{ unreadable: 1 }]);
  });
});

describe("the format of a file is that of most of its first lines", () => {
  it.each([
    ["common", times(6, common), 6, 0],
    ["common, with a line that was cut in the request", [...times(5, common), cutAt(common(9), 1, 3)], 5, 1],
    ["common, and some combined", [...times(4, common), line(8), line(9)], 6, 0],
    ["combined, and then with X-Forwarded-For", [...times(4, line), main(8)], 5, 0],
  ])("%s", async (_, lines, pageviews, unreadable) => {
    const { logs } = open(lines);
    expect(await logs.count()).toMatchObject({ pageviews });
    expect(logs.contents()).toMatchObject([{ unreadable }]);
  });

  it("also for lines that come later, and with --log-format", async () => {
    const { path, write } = createLogFolder({ "access.log": joinLines(...times(3, line)) });
    for (const flags of [{}, { logFormat: "combined" }]) {
      write("access.log", joinLines(...times(3, line)));
      const logs = openTestLogs({ logs: [path("access.log")], ...flags });
      await logs.count();
      write("access.log", joinLines(...times(3, line), common(7), line(8)));
      expect(await logs.count()).toMatchObject({ visitors: 4 });
      expect(logs.contents()).toMatchObject([{ unreadable: 1 }]);
    }
  });
});
