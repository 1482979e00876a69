import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpResponse, http } from "msw";
import { afterAll, describe, expect, it } from "vitest";
import { addDays } from "../../src/operations/days.ts";
import { createTestApi, toResponse } from "../support/api.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { withoutSpans } from "../support/period-service.ts";
import { runShell } from "../support/shell.ts";

const { network } = fakeNetwork();

const state = mkdtempSync(join(tmpdir(), "state-"));
afterAll(() => rmSync(state, { recursive: true }));

/** A Friday: the day before LOG_NOW. */
const YESTERDAY = "2026-11-20";

/** The lines of a day: visitors who view a page each, and so many of them a second one. */
const listDay = (date: string, visitors: number, readers = 0) =>
  Array.from({ length: visitors }, (_, index) => {
    const at = Date.parse(`${date}T01:00:00Z`) + index * 1000;
    const person = { address: `10.0.${index >> 8}.${index & 255}` };
    return [
      combined({ ...person, at }),
      ...(index < readers ? [combined({ ...person, at: at + 60_000, target: "/pricing" })] : []),
    ];
  }).flat();

/** A log with so many visitors on each day until today, the last days last. */
const writeLog = (
  counts: readonly (number | readonly [visitors: number, readers: number])[],
  last = "2026-11-21",
) => {
  const days = counts.map((given, index) => {
    const [visitors, readers] = typeof given === "number" ? [given, 0] : given;
    return listDay(addDays(last, index + 1 - counts.length), visitors, readers);
  });
  return createLogFolder({ "access.log": joinLines(...days.flat()) }).path("access.log");
};

/** Days of 40 visitors, and Fridays that differ a little, before yesterday and today. */
const usual = (days: number) =>
  Array.from({ length: days }, (_, index) => {
    const ago = days - index;
    return ago % 7 === 0 ? 40 + ((ago / 7) % 3) * 2 : 40;
  });

const checkLog = (log: string, words: string) =>
  runShell(["check", "example.com", "--logs", log, "--timezone", "UTC", ...words.split(" ")], {
    clock: () => LOG_NOW,
    environment: { XDG_STATE_HOME: state },
  });

describe("of a log whose last day is low", () => {
  const log = writeLog([...usual(60), [9, 3], 5]);

  it.each([
    ["--below 10", "example.com had 9 visitors on Friday, 2026-11-20: below 10."],
    ["--above 8", "example.com had 9 visitors on Friday, 2026-11-20: above 8."],
    ["--metric pageviews --above 11", "example.com had 12 page views on Friday, 2026-11-20: above 11."],
    ["--above 4 --period today", "example.com had 5 visitors on Saturday, 2026-11-21, so far: above 4."],
    [
      "--below 1000 --period last-week",
      "example.com had 282 visitors from 2026-11-09 to 2026-11-15: below 1,000.",
    ],
    // Today is left out, as compare does.
    [
      "--below 1000 --period this-week",
      "example.com had 169 visitors from 2026-11-16 to 2026-11-20: below 1,000.",
    ],
    [
      "--unusual",
      "example.com had 9 visitors on Friday, 2026-11-20, unusually low: after the 8 weeks before, 23 to 82 would be usual (about 43 expected).",
    ],
    [
      "--change 50",
      "example.com had 9 visitors on Friday, 2026-11-20: down 78.6% from 42 on Friday, 2026-11-13.",
    ],
    [
      "--change -50%",
      "example.com had 9 visitors on Friday, 2026-11-20: down 78.6% from 42 on Friday, 2026-11-13.",
    ],
    [
      "--change 50 --against monday",
      "example.com had 9 visitors on Friday, 2026-11-20: down 77.5% from 40 on Monday, 2026-11-16.",
    ],
    [
      "--change 50 --against last_week",
      "example.com had 9 visitors on Friday, 2026-11-20: down 77.7% from 282 in 7 days from 2026-11-09 to 2026-11-15.",
    ],
    [
      "--filter page=/pricing --below 10",
      "example.com, only pages=/pricing, had 3 visitors on Friday, 2026-11-20: below 10.",
    ],
  ])("%s is met: one sentence, and the exit code 7", async (words, sentence) => {
    const { code, stdout } = await checkLog(log, words);
    expect([code, stdout]).toEqual([7, `${sentence}\n`]);
  });

  it("compares the complete days of this week with the same days of last week", async () => {
    const { stdout, stderr } = await checkLog(log, "--change 10 --period this-week --explain");
    expect(`${stdout}${stderr}`).toContain(
      "example.com had 169 visitors from 2026-11-16 to 2026-11-20: down 16.3% from 202 from 2026-11-09 to 2026-11-13, which may be chance.",
    );
  });

  it.each([
    "--below 9",
    "--above 9",
    "--change +50",
    "--change 90",
    // 3 visitors after none may be chance.
    "--filter page=/pricing --change 50",
    "--filter page=/pricing --unusual",
    "--unusual --period 2026-11-19",
    "--dead-links 1",
  ])("%s is not met: silence, and 0", async (words) => {
    expect(await checkLog(log, words)).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it.each([
    ["--above 100", 0, ""],
    ["--unusual", 0, ""],
    ["--below 1", 7, "example.com, only pages=/pricng, had 0 visitors on Friday, 2026-11-20: below 1.\n"],
  ])("%s of a mistyped page says so, except with -q", async (words, code, stdout) => {
    const asked = `${words} --filter page=/pricng`;
    const says = await checkLog(log, asked);
    expect(says).toMatchObject({ code, stdout });
    expect(says.stderr).toMatch(/^Nothing in these days has pages=\/pricng. Nearest: \/pricing.$/m);
    expect(says.stderr).toMatch(
      /^No visitor matched --filter in the four weeks before either: check its spelling.$/m,
    );
    const quiet = await checkLog(log, `${asked} -q`);
    expect(quiet).toMatchObject({ code, stdout });
    expect(quiet.stderr).not.toMatch(/Nothing|Nobody/);
  });

  it("a page that nobody saw on the day, but before, is no mistake", async () => {
    const seen = writeLog([...usual(20), [40, 3], 40, 5]);
    const asked = "--filter page=/pricing";
    expect(await checkLog(seen, `${asked} --above 100`)).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stderr } = await checkLog(seen, `${asked} --below 1`);
    expect([code, stderr]).toEqual([7, expect.not.stringContaining("mistyped")]);
  });

  it("several conditions are several sentences, and --explain adds those that are not met", async () => {
    const { code, stdout, stderr } = await checkLog(log, "--below 100 --above 100 --change -50 --explain");
    expect([code, stdout.split("\n").slice(0, 3)]).toEqual([
      7,
      [
        "example.com had 9 visitors on Friday, 2026-11-20: below 100.",
        "example.com had 9 visitors on Friday, 2026-11-20: down 78.6% from 42 on Friday, 2026-11-13.",
        "ok: example.com had 9 visitors on Friday, 2026-11-20: not above 100.",
      ],
    ]);
    expect(stderr).toContain("2026-11-20 can still grow a little");
  });
});

describe("two days that are low together", () => {
  it("are told, if neither is by itself", async () => {
    const { code, stdout } = await checkLog(writeLog([...usual(59), 27, 28, 5]), "--unusual");
    expect([code, stdout]).toEqual([
      7,
      "example.com had 55 visitors from 2026-11-19 to 2026-11-20, unusually low: after the 8 weeks before, 60 to 139 would be usual (about 82 expected).\n",
    ]);
  });

  it.each([
    ["the second alone is not", [40, 28]],
    ["nor if the first was low by itself", [5, 28]],
  ])("%s", async (_, last) => {
    expect((await checkLog(writeLog([...usual(59), ...last, 5]), "--unusual")).code).toBe(0);
  });
});

describe("the sensitivity", () => {
  const log = writeLog([...usual(60), 20, 5]);

  it.each([
    ["low", 0],
    ["normal", 7],
    ["high", 7],
  ])("%s exits with %i", async (level, expected) => {
    expect((await checkLog(log, `--unusual --sensitivity ${level}`)).code).toBe(expected);
  });

  it("is that of --unusual alone", async () => {
    const { code, stderr } = await checkLog(log, "--below 5 --sensitivity high");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--sensitivity needs --unusual.")]);
  });
});

it("the bounce rate changes by percentage points, of which one is a point", async () => {
  const log = writeLog([[100, 50], ...Array.from({ length: 6 }, () => 100), [100, 49], 5]);
  const { stdout } = await checkLog(log, "--metric bounce_rate --change 1");
  expect(stdout).toContain("51% on Friday, 2026-11-20: up 1 percentage point from 50% on Friday");
});

it("collecting numbers by cron mails only problems", async () => {
  const words = ["timeseries", "example.com", "--period", "yesterday", "--output", "ndjson", "--quiet"];
  const log = writeLog([40, 40, 5]);
  const { code, stdout, stderr } = await runShell([...words, "--logs", log, "--timezone", "UTC"], {
    clock: () => LOG_NOW,
    environment: { XDG_STATE_HOME: state },
  });
  expect([code, stdout, stderr]).toEqual([
    0,
    '{"date":"2026-11-20","visitors":40,"pageviews":40,"partial":null}\n',
    "",
  ]);
});

describe("without enough data nothing is found, and nothing is silent", () => {
  it.each<[string, string, string, string]>([
    [
      "days after the end of a log",
      writeLog(usual(20), "2026-11-15"),
      "--below 1000",
      "example.com has no data on Friday, 2026-11-20.",
    ],
    [
      "a week in which a log ends",
      writeLog(usual(20), "2026-11-12"),
      "--below 1000 --period last_week",
      "example.com has data of only 4 of the 7 days from 2026-11-09 to 2026-11-15.",
    ],
    [
      "a day without a line",
      writeLog([...usual(20), 0, 5]),
      "--below 1000",
      "example.com has no data on Friday, 2026-11-20.",
    ],
    [
      "a site with a long gap",
      writeLog([...usual(60), 40, 5].map((count, index) => (index > 18 && index < 54 ? 0 : count))),
      "--unusual",
      "example.com has data of only 3 of the 8 Fridays before, too few to tell what is usual.",
    ],
    [
      "a rate without visits",
      writeLog([40, 40, 40, 5]),
      "--metric bounce_rate --above 50 --filter visit:page=/missing --quiet",
      "example.com, only visit:pages=/missing, had no visits on Friday, 2026-11-20, so there is no bounce_rate.",
    ],
  ])("%s", async (_, log, words, sentence) => {
    const { code, stdout, stderr } = await checkLog(log, words);
    expect([code, stdout, stderr]).toEqual([3, "", `warning: Not checked: ${sentence}\n`]);
  });

  describe("while a site is young, nothing is mailed", () => {
    const young = writeLog([...usual(26), 9, 5]);
    it.each([
      ["--unusual", young, "data only since 2026-10-25: what is usual is known from 2026-11-22 on."],
      [
        "--change 50",
        writeLog([40, 40, 40, 5]),
        "no data on Friday, 2026-11-13, so there is nothing to compare",
      ],
      ["--unusual --dead-links 10 --server-errors 10", writeLog([5]), "no data on Friday, 2026-11-20."],
    ])("%s", async (words, log, sentence) => {
      expect(await checkLog(log, words)).toEqual({ code: 0, stdout: "", stderr: "" });
      const { code, stdout } = await checkLog(log, `${words} --explain`);
      expect([code, stdout]).toEqual([0, expect.stringContaining("learning: example.com has ")]);
      expect(stdout).toContain(sentence);
      const shown = await runShell(["check", "example.com", "--logs", log, ...words.split(" ")], {
        clock: () => LOG_NOW,
        environment: { XDG_STATE_HOME: state, TZ: "UTC" },
        isTTY: true,
      });
      expect([shown.code, shown.stderr]).toEqual([0, expect.stringContaining("learning: example.com has ")]);
    });

    it("what is known is told", async () => {
      const { code, stdout } = await checkLog(young, "--unusual --below 10");
      expect([code, stdout]).toEqual([7, "example.com had 9 visitors on Friday, 2026-11-20: below 10.\n"]);
    });

    it("days that somebody names are missed", async () => {
      const { code } = await checkLog(writeLog([5]), "--below 10 --period 2026-11-20");
      expect(code).toBe(3);
    });
  });

  it("four weeks are enough", async () => {
    const { code, stdout } = await checkLog(writeLog([...usual(28), 9, 5]), "--unusual");
    expect([code, stdout]).toEqual([7, expect.stringContaining("unusually low: after the 4 weeks before")]);
  });

  it("a gap of two weeks leaves six to tell what is usual", async () => {
    const counts = [...usual(60), 9, 5].map((count, index) => (index > 20 && index < 35 ? 0 : count));
    const { code, stdout } = await checkLog(writeLog(counts), "--unusual");
    expect([code, stdout]).toEqual([7, expect.stringContaining("after the 6 weeks before")]);
  });
});

describe("dead links", () => {
  const missing = (count: number, target: string, referrer: string) =>
    Array.from({ length: count }, (_, index) =>
      combined({
        ...{ target, referrer, status: 404, at: `${YESTERDAY}T12:00:${String(index).padStart(2, "0")}Z` },
        address: `10.1.0.${index}`,
      }),
    );
  const log = createLogFolder({
    "access.log": joinLines(
      ...listDay("2026-11-19", 5),
      ...listDay(YESTERDAY, 5),
      ...missing(12, "/old", "https://example.com/blog"),
      ...missing(11, `/${"x".repeat(80)}`, "-"),
      ...missing(3, "/rare", "https://example.org/"),
      ...listDay("2026-11-21", 5),
    ),
  }).path("access.log");

  it("that people asked for often are named, with the pages that lead there", async () => {
    const { code, stdout } = await checkLog(log, "--dead-links 10");
    expect([code, stdout]).toEqual([
      7,
      `example.com had 2 dead links on Friday, 2026-11-20 that people asked for at least 10 times: "/old" (12 requests, most from "/blog"), "/${"x".repeat(58)}…" (11 requests).\n`,
    ]);
    expect((await checkLog(log, "--dead-links 3")).stdout).toContain(
      ', "/rare" (3 requests, most from "example.org").',
    );
  });

  it("rarer ones are not", async () => {
    expect((await checkLog(log, "--dead-links 13")).code).toBe(0);
  });
});

describe("pages that the server fails to answer", () => {
  const failing = (count: number, target: string) =>
    Array.from({ length: count }, (_, index) =>
      combined({
        ...{ at: Date.parse(`${YESTERDAY}T06:00:00Z`) + index * 1000, address: `10.9.0.${index}` },
        ...{ target, referrer: "https://example.com/pricing", status: 502 },
      }),
    );
  const log = createLogFolder({
    "access.log": joinLines(
      ...listDay(YESTERDAY, 5),
      ...failing(6, "/signup"),
      ...failing(2, "/a"),
      ...listDay("2026-11-21", 5),
    ),
  }).path("access.log");

  it.each([
    [
      "--server-errors 5",
      7,
      'example.com answered 1 path with a server error (5xx) on Friday, 2026-11-20 at least 5 times: "/signup" (6 requests, most from "/pricing").\n',
    ],
    [
      "--server-errors 1",
      7,
      'example.com answered 2 paths with a server error (5xx) on Friday, 2026-11-20: "/signup" (6 requests, most from "/pricing"), "/a" (2 requests, most from "/pricing").\n',
    ],
    [
      "--server-errors 7 --explain",
      0,
      "ok: example.com had fewer than 7 server errors (5xx) on each path on Friday, 2026-11-20.\n",
    ],
    ["--dead-links 1", 0, ""],
  ])("%s exits with %i", async (words, expected, sentence) => {
    const { code, stdout } = await checkLog(log, words);
    expect([code, stdout]).toEqual([expected, sentence]);
  });

  it("cannot be chosen by a filter", async () => {
    const { code, stderr } = await checkLog(log, "--server-errors 1 --filter page=/");
    expect([code, stderr]).toEqual([2, expect.stringContaining("--server-errors cannot be combined")]);
  });
});

describe("every source is checked by the same rules", () => {
  const old = withoutSpans(createTestApi().reference);
  const ask = async (words: readonly string[], environment = {}) => {
    const { code, stdout } = await runShell(["check", "example.com", ...words, "--explain"], { environment });
    return [code, stdout];
  };

  it.each(["visitors", "events", "bounce_rate"])("%s", async (metric) => {
    const words = ["--metric", metric, "--above", "1", "--unusual", "--change", "3"];
    const expected = await ask([...words, "--demo"]);
    expect(expected).toEqual([7, expect.stringContaining("after the 8 weeks before, ")]);
    expect(await ask(words, service)).toEqual(expected);
    network.use(http.all(`${BASE}/*`, async ({ request }) => toResponse(await old(request))));
    expect(await ask(words, service)).toEqual(expected);
  });

  it.each([
    // Of the eight weeks before, four are enough.
    ["--unusual --period 2026-01-15 --explain", 0, "after the 7 weeks before"],
    [
      "--unusual --sensitivity high --period 2025-12-15",
      2,
      "--unusual needs the 4 weeks before, which begin on 2025-11-17, and this service reaches back only to 2025-11-22.",
      "The first day that can be checked: analytics-mcp check --site example.com --period 2025-12-20 --unusual --sensitivity high",
    ],
    [
      "--change -20 --period 2025-11-27",
      2,
      "--change compares with days that begin on 2025-11-20, and this service reaches back only to 2025-11-22.",
      "The first day that can be checked: analytics-mcp check --site example.com --period 2025-11-29 --change -20",
    ],
    [
      "--below 1 --period 2025-11-01/2025-11-02",
      2,
      "--period must not begin before 2025-11-22: this service reaches back no further.",
      "The first 2 days that can be checked: analytics-mcp check --site example.com --period 2025-11-22/2025-11-23 --below 1",
    ],
  ])("says what a service does not reach, and what it does: %s", async (words, expected, ...sentences) => {
    network.use(http.all(`${BASE}/*`, async ({ request }) => toResponse(await old(request))));
    const ask = (given: string) =>
      runShell(["check", "--site", "example.com", ...given.split(" ")], { environment: service });
    const { code, stdout, stderr } = await ask(words);
    expect(code).toBe(expected);
    for (const sentence of sentences) expect(`${stdout}${stderr}`).toContain(sentence);
    const [, next] = / analytics-mcp check --site example.com (.*)$/m.exec(stderr) ?? [];
    if (next !== undefined) expect((await ask(next)).code).not.toBe(2);
  });

  it("keeps the conditions in a command to try", async () => {
    const { stderr } = await runShell(["check", "--below", "1", "--unusual"], { environment: service });
    expect(stderr).toMatch(/analytics-mcp check --below 1 --unusual \S+\.\w+$/m);
  });

  it("a failure has its own exit code, and a sentence on stderr", async () => {
    network.use(http.all(`${BASE}/*`, () => HttpResponse.error()));
    const { code, stdout, stderr } = await runShell(["check", "example.com", "--below", "1"], {
      environment: service,
    });
    expect([code, stdout, stderr]).toEqual([5, "", expect.stringMatching(/^error: /)]);
  });
});
