import { afterEach, describe, expect, it, vi } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { showProgress } from "../../src/cli/output/progress-line.ts";
import type { Source } from "../../src/sources/source-types.ts";
import { fakeNetwork, service } from "../support/network.ts";
import { runShell, type ShellOptions, stopAfter } from "../support/shell.ts";

fakeNetwork();
const shell = (command: string, { environment, ...options }: ShellOptions = {}) =>
  runShell(command.split(" "), { ...options, environment: { ...service, ...environment } });

const REPORTS = [
  "overview example.com",
  "overview example.com --period this_month",
  "compare example.com",
  "compare example.com --period 2026-10",
];
const lines = (text: string) => text.trimEnd().split("\n");

describe("--output", () => {
  it("takes md for markdown", async () => {
    const print = async (format: string) => runShell(["stats", "example.com", "--demo", "--output", format]);
    expect(await print("md")).toEqual(await print("markdown"));
  });

  it.each([
    [
      "--output table",
      /^example\.com, .*\n\nvisitors {2}page views {2}events {2}visits {2}bounce rate .*\n +[\d,]+ /,
    ],
    [
      "--output tsv",
      /^visitors\tpageviews\tevents\tvisits\tbounce_rate\tviews_per_visit\tseconds_per_visit\n\d+\t/,
    ],
    ["--output csv", /^visitors,pageviews,events,visits,bounce_rate,views_per_visit,seconds_per_visit\n\d+,/],
    ["--csv", /^visitors,pageviews,events,visits,bounce_rate,views_per_visit,seconds_per_visit\n\d+,/],
    ["--output json", /^\{\n {2}"site": /],
    ["--json", /^\{\n {2}"site": /],
    ["--json --output json", /^\{\n {2}"site": /],
    [
      "--output ndjson",
      /^\{"visitors":\d+,"pageviews":\d+,"events":\d+,"visits":\d+,"bounce_rate":[\d.]+,"views_per_visit":[\d.]+,"seconds_per_visit":\d+\}\n$/,
    ],
    ["--output ndjson --fields events", /^\{"events":\d+\}\n$/],
    [
      "--output markdown",
      /^\*\*example\.com, .*\*\*\n\n\| visitors \| page views \| events \| visits \| bounce rate \| views\/visit \| time\/visit \|\n(?:\| ---: ){7}\|\n\| [\d,]+ \| /,
    ],
  ])("%s is the same at a terminal and in a pipe", async (option, form) => {
    const [piped, shown] = await Promise.all(
      [false, true].map((isTTY) =>
        shell(`stats example.com ${option}`, { isTTY, environment: { NO_COLOR: "1" } }),
      ),
    );
    expect(piped?.stdout).toMatch(form);
    expect(shown?.stdout).toBe(piped?.stdout);
  });

  it("without it, --color always is a table in a pipe, and FORCE_COLOR is not", async () => {
    const painted = await shell("stats example.com --color always");
    expect(painted.stdout.startsWith("\u001b[1mexample.com, ")).toBe(true);
    const forced = await shell("stats example.com", { environment: { FORCE_COLOR: "1" } });
    expect(forced.stdout).toMatch(/^visitors\tpageviews/);
  });

  it.each(REPORTS)("%s is one table, with as many cells in each row", async (command) => {
    const [tsv, csv, fields] = await Promise.all(
      ["--output tsv", "--csv", "--output tsv --fields label,current"].map((option) =>
        shell(`${command} ${option}`),
      ),
    );
    const [header = "", ...rows] = lines(tsv?.stdout ?? "");
    expect(header).toMatch(/^table\tvalue\tlabel\tcurrent\tprevious\tchange/);
    expect(new Set(rows.map((row) => row.split("\t").length))).toEqual(new Set([header.split("\t").length]));
    expect(lines(csv?.stdout ?? "")).toHaveLength(rows.length + 1);
    // The same label in two tables is no lookalike.
    expect(tsv?.stdout).not.toContain("(2)");
    expect(lines(fields?.stdout ?? "")[0]).toMatch(/^(table\t)?label\tcurrent$/);
  });

  it("the column that names the table can be asked for, beside others", async () => {
    const csv = await shell("overview example.com --csv --fields table,current");
    expect(lines(csv.stdout).slice(0, 2)).toEqual(["table,current", expect.stringMatching(/^totals,\d+$/)]);
    const { code, stderr } = await shell("overview example.com --csv --fields table");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/name others beside table.*\n.*label, current/),
    ]);
  });

  it.each(REPORTS)(
    "%s names the table of each row of ndjson, which has its columns only",
    async (command) => {
      const [ndjson, tsv] = await Promise.all(
        ["ndjson", "tsv"].map((format) => shell(`${command} --output ${format}`)),
      );
      const rows = lines(ndjson?.stdout ?? "").map((line) => JSON.parse(line));
      const [header = "", ...cells] = lines(tsv?.stdout ?? "").map((line) => line.split("\t"));
      expect(rows).toHaveLength(cells.length);
      for (const [index, row] of rows.entries()) {
        const filled = [...header].flatMap((key, at) =>
          cells[index]?.[at] ? [[key, cells[index][at]]] : [],
        );
        const known = Object.entries(row).flatMap(([key, value]) =>
          value === null ? [] : [[key, `${value}`]],
        );
        expect(Object.fromEntries(known)).toEqual(Object.fromEntries(filled));
      }
    },
  );

  it("names the unit of a change between periods of different lengths, in every format", async () => {
    const ask = async (option: string) =>
      (await shell(`compare example.com --period 2026-10 ${option}`)).stdout;
    expect(await ask("--csv")).toMatch(
      /^table,value,label,current,previous,change,percent,current_per_day,previous_per_day,change_per_day,change_per_day_percent\n/,
    );
    const table = await ask("--output table");
    expect(table).toMatch(/^visitors a day +969\.8 +856\.5 +\+113\.3 /m);
    expect(table).toMatch(/^pages +current a day +previous a day +change a day +percent/m);
    expect(await ask("--output markdown")).toContain(
      "| current a day | previous a day | change a day | percent |",
    );
    const { change, per_day } = JSON.parse(await ask("--json"));
    expect(change.visitors).toEqual({ absolute: 4370, percent: null });
    expect(per_day.visitors).toEqual({ current: 969.8, previous: 856.5, change: 113.3, percent: 13.2 });
    const equal = await shell("compare example.com --json");
    expect(JSON.parse(equal.stdout)).not.toHaveProperty("per_day");
  });

  it("of a failure is JSON for those who asked for JSON", async () => {
    for (const option of ["--json", "--output json", "--output=json", "--output ndjson"]) {
      const { code, stderr } = await shell(`stats example.com --dayz 7 ${option}`);
      expect([code, JSON.parse(stderr).error.code]).toEqual([2, "usage"]);
    }
  });

  it.each(["whoami", "doctor", "conform --list"])("%s has it too", async (command) => {
    const { stdout } = await shell(`${command} --output ndjson`);
    for (const line of lines(stdout)) expect(JSON.parse(line)).toBeTypeOf("object");
    expect(lines(stdout).length).toBeGreaterThan(3);
  });

  it.each([
    ["csv", /^visitors,as_of\n(\d+,2026-\S+\n){2}$/],
    ["ndjson", /^(\{"visitors":\d+,"as_of":"2026-\S+"\}\n){2}$/],
    ["markdown", /^\*\*.*\*\*\n\n\| visitors \|\n\| ---: \|\n(\| \d+ \|\n){2}$/],
    ["table", /^visitors\tas_of\n(\d+\t2026-\S+\n){2}$/],
  ])("%s of a watch has one header", async (format, form) => {
    const { stdout } = await shell(`realtime example.com --watch 1 --output ${format}`, stopAfter(2));
    expect(stdout).toMatch(form);
  });
});

describe("notes", () => {
  it.each([
    ["stats example.com", "Today, Saturday, is incomplete (data to 05:05).\n"],
    ["stats example.com --period yesterday", ""],
    ["breakdown example.com --dimension pages --period yesterday", ""],
    ["overview example.com", ""],
    ["compare example.com", ""],
    ["sites", ""],
    ["realtime example.com", ""],
    [
      "stats news.example.org --period 2026-11-09/2026-11-12",
      "The site has had data since 2026-11-11: earlier days are missing, not zero.\n",
    ],
    ["stats parked.example", "parked.example has no data yet: nothing was ever recorded.\n"],
  ])("%s --quiet leaves the warnings: %j", async (command, expected) => {
    for (const option of ["--quiet", "-q"]) {
      const { code, stderr } = await shell(`${command} ${option}`);
      expect([code, stderr]).toEqual([0, expected]);
    }
  });

  it.each([
    ["stats example.com --period this-week", "2026-11-16 to 2026-11-21 (6 days, today included,"],
    ["overview example.com --period this-week", "2026-11-16 to 2026-11-20 (5 complete days,"],
    ["compare example.com --period this-week", "2026-11-16 to 2026-11-20 compared with"],
    ["breakdown pages --site example.com --fields label", "2026-10-25 to 2026-11-21 (28 days,"],
  ])("begin with the title of a table for programs: %s", async (command, days) => {
    const [first = ""] = lines((await shell(`${command} --output table`)).stdout);
    expect(first).toContain(`example.com, ${days}`);
    for (const option of ["--output tsv", "--csv"]) {
      const { stdout, stderr } = await shell(`${command} ${option}`);
      expect(stderr.startsWith(first)).toBe(true);
      expect(stdout).not.toContain(days);
      expect((await shell(`${command} ${option} --quiet`)).stderr).not.toContain(days);
    }
    // Whose data says it.
    for (const option of ["--json", "--output ndjson", "--output table", "--output markdown"])
      expect((await shell(`${command} ${option}`)).stderr).not.toContain(days);
  });

  it("have the reader's numbers and the shell's options", async () => {
    const { stderr } = await shell("breakdown example.com --dimension pages --limit 3", {
      environment: { LANG: "de_DE.UTF-8" },
    });
    expect(stderr).toContain("Showing 3 of 23 rows (--limit 3).");
    expect(stderr).toMatch(/In all: \d\d\.\d{3} visitors, \d\d\.\d{3} page views\./);
  });
});

describe("one language", () => {
  it.each([
    "overview example.com",
    "compare example.com",
    "compare example.com --dimension countries",
    "breakdown example.com --dimension countries",
    "breakdown example.com --dimension countries --fields label,visitors",
  ])("%s names countries as the reader does", async (command) => {
    for (const format of ["table", "markdown"]) {
      const { stdout } = await shell(`${command} --output ${format}`, {
        environment: { LANG: "de_DE.UTF-8" },
      });
      expect(stdout).toContain("Deutschland");
      expect(stdout).not.toContain("Germany");
    }
  });
});

describe("a site without data", () => {
  it.each([
    "stats",
    "overview",
    "timeseries",
    "breakdown --dimension pages",
    "compare",
    "stats --period yesterday",
  ])("%s is one sentence", async (command) => {
    const [name, ...rest] = command.split(" ");
    const ask = `${[name, "parked.example", ...rest].join(" ")}`;
    const sentence = "parked.example has no data yet: nothing was ever recorded.\n";
    expect(await shell(ask, { isTTY: true })).toEqual({ code: 0, stdout: sentence, stderr: "" });
    expect(await shell(`${ask} --output markdown`)).toEqual({ code: 0, stdout: sentence, stderr: "" });
    // Programs get their zeros.
    const piped = await shell(ask);
    expect(piped.stderr).toBe(sentence);
    expect(piped.stdout).toMatch(/^\S+\t/);
  });

  it("is not one that had no visitors in these days", async () => {
    const { stdout } = await shell("stats news.example.org --period 2026-11-09/2026-11-11", { isTTY: true });
    expect(stdout).not.toContain("no data");
    expect(stdout).toMatch(/ \d+ +\d+ +\d+ +\d+ /);
  });

  // news.example.org has data since the 11th of November.
  it.each(["stats", "overview", "timeseries", "breakdown --dimension pages", "compare", "crawlers"])(
    "in these days, since it begins later: %s is one sentence",
    async (command) => {
      const ask = `${command} --site news.example.org --period 2026-10-01/2026-10-15`;
      const sentence = "news.example.org has no data before 2026-11-11.\n";
      expect(await shell(ask, { isTTY: true })).toEqual({ code: 0, stdout: sentence, stderr: "" });
      expect(await shell(`${ask} --output markdown`)).toMatchObject({ stdout: sentence });
      expect((await shell(ask)).stderr).toBe(sentence);
    },
  );
});

describe("a pager", () => {
  const page = async (command: string, environment: Record<string, string>, options: ShellOptions = {}) => {
    const paged: { command: readonly string[]; text: string; LESS?: string | undefined }[] = [];
    const result = await shell(command, {
      isTTY: true,
      rows: 20,
      ...options,
      environment: { NO_COLOR: "1", ...environment },
      page: (words, { LESS }, text) => {
        paged.push({ command: words, text, LESS });
        return words[0] !== "missing";
      },
    });
    return { ...result, paged };
  };
  const LONG = "timeseries example.com --days 90";

  it("shows a long page with its notes", async () => {
    const { code, stdout, stderr, paged } = await page(LONG, { PAGER: "less -S" });
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    expect(paged).toEqual([{ command: ["less", "-S"], LESS: "FRX", text: expect.any(String) }]);
    expect(paged[0]?.text).toMatch(
      /^example\.com,[\s\S]*\n2026-11-21 [\s\S]*\nToday, Saturday, is incomplete/,
    );
  });

  it.each([
    [
      "a quoted path",
      { PAGER: `"/a b/less" -P 'it''s' c:\\less\\x a\\ b` },
      ["/a b/less", "-P", "its", "c:\\less\\x", "a b"],
    ],
    ["ANALYTICS_PAGER before PAGER", { ANALYTICS_PAGER: "most", PAGER: "less" }, ["most"]],
    ["options of cat", { PAGER: "cat -n" }, ["cat", "-n"]],
  ])("is %s", async (_, environment, command) => {
    expect((await page(LONG, environment)).paged.map((request) => request.command)).toEqual([command]);
  });

  it("keeps the options that LESS has", async () => {
    expect((await page(LONG, { PAGER: "less", LESS: "-i" })).paged[0]?.LESS).toBe("-i");
  });

  it.each([
    ["none is named", LONG, {}, {}],
    ["it is empty", LONG, { PAGER: "" }, {}],
    ["ANALYTICS_PAGER is empty", LONG, { ANALYTICS_PAGER: "", PAGER: "less" }, {}],
    ["it is cat", LONG, { PAGER: "cat" }, {}],
    ["--no-pager", `${LONG} --no-pager`, { PAGER: "less" }, {}],
    ["a pipe", LONG, { PAGER: "less" }, { isTTY: false }],
    ["a dumb terminal", LONG, { PAGER: "less", TERM: "dumb" }, {}],
    ["a page that fits", "stats example.com", { PAGER: "less" }, {}],
  ] as [string, string, Record<string, string>, ShellOptions][])(
    "is not started: %s",
    async (_, command, environment, options) => {
      const { code, stdout, paged } = await page(command, environment, options);
      expect([code, paged]).toEqual([0, []]);
      expect(stdout).not.toBe("");
    },
  );

  it("is not started by a watch, however low the screen", async () => {
    const watch = await page(
      "realtime example.com --watch 1",
      { PAGER: "less" },
      { rows: 2, ...stopAfter(2) },
    );
    expect([watch.code, watch.paged]).toEqual([0, []]);
    expect(watch.stdout).toContain("while watching");
  });

  it("that is missing is no failure", async () => {
    const { code, stdout, stderr } = await page(LONG, { PAGER: "missing --fast" });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^example\.com,[\s\S]*2026-11-21 /)]);
    expect(stderr.split("\n")[0]).toBe("warning: PAGER names a program that cannot be started: missing");
    expect((await page(`${LONG} --quiet`, { PAGER: "missing" })).stderr).not.toContain("missing");
  });
});

describe("a question without an answer yet", () => {
  afterEach(() => void vi.useRealTimers());
  const service = {
    kind: "service",
    readAccess: async () => ({ baseUrl: "https://stats.example.com/api/v1" }),
  } as Source;
  const logs = {
    kind: "local",
    local: { kind: { readsFiles: true } },
    about: { label: "access logs" },
  } as Source;

  /** What stderr shows after so many milliseconds, and when the answer has come. */
  async function waitFor(source: Source | URL, milliseconds: number, isTTY = true) {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const written: string[] = [];
    const io = { stderr: { isTTY, write: (text: string) => written.push(text) } } as unknown as Io;
    let start = () => {};
    let end = () => {};
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const answered = new Promise<void>((resolve) => {
      end = resolve;
    });
    const asked = showProgress(io, source, () => {
      start();
      return answered;
    });
    await started;
    await vi.advanceTimersByTimeAsync(milliseconds);
    const before = written.join("");
    end();
    await asked;
    return [before, written.join("").slice(before.length)];
  }

  it.each([
    ["a service", service, "Waiting for stats.example.com …"],
    ["an address", new URL("https://stats.example.com:8443"), "Waiting for stats.example.com:8443 …"],
    ["logs", logs, "Reading access logs …"],
  ])(
    "shows at a terminal after some seconds what it waits for, until it is there: %s",
    async (_, source, shown) => {
      expect(await waitFor(source, 2_900)).toEqual(["", ""]);
      expect(await waitFor(source, 3_100)).toEqual([`\r\u001b[K${shown}`, "\r\u001b[K"]);
    },
  );

  it("shows nothing in a pipe", async () => {
    expect(await waitFor(service, 60_000, false)).toEqual(["", ""]);
  });
});
