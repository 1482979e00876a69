import { HttpResponse, http } from "msw";
import { describe, expect, it, vi } from "vitest";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell, type ShellOptions, stopAfter } from "../support/shell.ts";

const { network, api } = fakeNetwork();
const shell = (command: string, { environment, ...options }: ShellOptions = {}) =>
  runShell(command.split(" "), { ...options, environment: { ...service, ...environment } });

const COMPARE = "compare --site example.com";

describe("colours", () => {
  it.each([
    ["a terminal", true, {}, "", true],
    ["a pipe", false, {}, "", false],
    ["NO_COLOR", true, { NO_COLOR: "1" }, "", false],
    ["an empty NO_COLOR", true, { NO_COLOR: "" }, "", true],
    ["FORCE_COLOR=0", true, { FORCE_COLOR: "0" }, "", false],
    ["NO_COLOR and FORCE_COLOR", true, { NO_COLOR: "1", FORCE_COLOR: "1" }, "", false],
    ["TERM=dumb", true, { TERM: "dumb" }, "", false],
    ["TERM=dumb and FORCE_COLOR", true, { TERM: "dumb", FORCE_COLOR: "1" }, "", true],
    ["--color never", true, { FORCE_COLOR: "1" }, " --color never", false],
    ["--color always, with NO_COLOR", true, { NO_COLOR: "1" }, " --color always", true],
    ["--color auto, with NO_COLOR", true, { NO_COLOR: "1" }, " --color auto", false],
  ] as [string, boolean, Record<string, string>, string, boolean][])(
    "%s",
    async (_, isTTY, environment, flag, expected) => {
      const { stdout } = await shell(`stats --site example.com${flag}`, { isTTY, environment });
      expect(stdout.includes("\u001b[")).toBe(expected);
    },
  );

  it("are never in what programs read", async () => {
    for (const format of ["tsv", "csv", "json", "ndjson", "markdown"]) {
      const { stdout } = await shell(`${COMPARE} --output ${format} --color always`, { isTTY: true });
      expect(stdout).not.toContain("\u001b");
    }
  });

  it("an unknown choice is refused", async () => {
    const { code, stderr } = await shell(`${COMPARE} --color sometimes`);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/auto, always or never/)]);
  });

  it("rises are green and falls red", async () => {
    const { stdout } = await shell(`${COMPARE} --days 90 --dimension pages`, { isTTY: true });
    const shown = stdout.replaceAll("\u001b", "ESC");
    expect(shown).toMatch(/ESC\[32m\s*▲ \+[\d.]+%ESC\[39m/);
    expect(shown).toMatch(/ESC\[31m\s*▼ -[\d.]+%ESC\[39m/);
  });
});

describe("pictures", () => {
  it.each([
    ["--plain", " --plain", {}],
    ["TERM=dumb", "", { TERM: "dumb" }],
  ] as [string, string, Record<string, string>][])("none with %s", async (_, flag, environment) => {
    for (const command of [
      "overview --site example.com",
      "sites",
      "timeseries --site example.com",
      COMPARE,
    ]) {
      const { stdout } = await shell(command + flag, {
        isTTY: true,
        environment: { NO_COLOR: "1", ...environment },
      });
      expect(stdout).not.toMatch(/[▁-▏▲▼┤│└·]/);
    }
  });

  it("a site whose days do not come has none, and the list is shown", async () => {
    network.use(http.get(`${BASE}/api/v1/timeseries`, () => HttpResponse.error()));
    const { code, stdout, stderr } = await shell("sites", { isTTY: true, environment: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/example\.com .*–\n/);
    // The reason is said once, whatever number of sites has it.
    const numbers = stderr
      .replaceAll(/\s+/g, " ")
      .match(/There are no numbers for [^:]*: http[^:]*:\S* cannot be reached/g);
    expect(numbers).toHaveLength(1);
  });
});

describe("numbers and names in the reader's language", () => {
  it.each([
    [{ LANG: "de_DE.UTF-8" }, /Deutschland +\d\.\d{3} .*,\d %/],
    [{ LC_ALL: "fr_FR.UTF-8", LANG: "de_DE.UTF-8" }, /Allemagne +\d\s\d{3} /],
    [{ LC_NUMERIC: "en_IN" }, /Germany +\d,\d{3} /],
    [{ LANG: "C.UTF-8" }, /Germany +\d,\d{3} .*\.\d%/],
    [{ LANG: "nonsense locale!" }, /Germany +\d,\d{3} /],
  ] as [Record<string, string>, RegExp][])("%j", async (environment, words) => {
    const command = "breakdown --site example.com --dimension countries";
    const { stdout } = await shell(command, { isTTY: true, environment });
    expect(stdout).toMatch(words);
    // Programs get the same everywhere.
    const piped = await shell(command, { environment });
    expect(piped.stdout).toMatch(/^DE\tGermany\t\d{4}\t\d+\t\d+(\.\d)?$/m);
  });
});

describe("--csv and --fields", () => {
  it("rows as comma-separated values, at a terminal too", async () => {
    for (const isTTY of [false, true]) {
      const { stdout } = await shell("timeseries --site example.com --days 2 --csv", { isTTY });
      expect(stdout).toMatch(
        /^date,visitors,pageviews,partial\n2026-11-20,\d+,\d+,\n2026-11-21,\d+,\d+,true\n$/,
      );
    }
  });

  it.each(["csv", "tsv"])("no text of a visitor is a formula in %s", async (format) => {
    const texts: string[] = [];
    for (const dimension of ["referrers", "utm_campaigns", "utm_terms", "pages", "events"]) {
      const { stdout } = await shell(
        `breakdown --site example.com --dimension ${dimension} --days 28 --limit 1000 --output ${format}`,
      );
      expect(stdout).not.toMatch(/(^|[,\t])"?\s*[=+@-]/m);
      texts.push(stdout);
    }
    expect(texts.join("\n")).toMatch(/(^|[,\t])"?'=/m);
  });

  it("chosen columns, in their order, in every format", async () => {
    const command = "timeseries --site example.com --days 2 --fields pageviews,date";
    expect((await shell(command)).stdout).toMatch(/^pageviews\tdate\n\d+\t2026-11-20\n\d+\t2026-11-21\n$/);
    expect((await shell(`${command} --csv`)).stdout).toMatch(/^pageviews,date\n\d+,2026-11-20\n/);
    expect(JSON.parse((await shell(`${command} --json`)).stdout)).toEqual([
      { pageviews: expect.any(Number), date: "2026-11-20" },
      { pageviews: expect.any(Number), date: "2026-11-21" },
    ]);
    const { stdout } = await shell(command, { isTTY: true, environment: { NO_COLOR: "1" } });
    expect(stdout).toMatch(/\n\npage views {2}date\n +[\d,]+ {2}2026-11-20 Fri\n/);
  });

  it("with several tables, each row names its table", async () => {
    const { stdout } = await shell("overview --site example.com --fields label,visitors --csv");
    expect(stdout).toMatch(/^table,label,visitors\npages,\/,\d+\n/);
    const rows = JSON.parse((await shell(`${COMPARE} --json --fields label,change`)).stdout);
    expect(new Set(rows.map(({ table }: { table: string }) => table))).toEqual(
      new Set(["totals", "pages", "referrers", "channels", "countries"]),
    );
  });

  it("lists say what comes first in them, unless it is the largest changes", async () => {
    const { stdout, stderr } = await shell(
      `${COMPARE} --dimension pages --limit 1 --order losses --output table`,
    );
    expect(stdout).toContain("pages that changed most, losses first, by visitors");
    expect(stdout + stderr).toMatch(/Not shown: \d+ pages that changed, too\./);
  });

  it("of several tables none is a header without rows", async () => {
    const headers = async (command: string) =>
      (await shell(`${command} --site parked.example --csv`)).stdout.match(
        /^(table|value),.*(label|visitors).*$/gm,
      );
    const comparison = "table,value,label,current,previous,change,percent";
    expect(await headers("overview")).toEqual([`${comparison},today,active_now,visitors,percentage`]);
    expect(await headers("compare")).toEqual([comparison]);
    expect(await headers("compare --fields label")).toEqual(["table,label"]);
    expect(await headers("breakdown --dimension pages")).toEqual([
      "value,label,visitors,pageviews,percentage",
    ]);
  });

  it("of several tables those that have them", async () => {
    const { stdout } = await shell("overview --site example.com --fields label,percent");
    expect(stdout).toMatch(
      /^label\tpercent\nvisitors\t-?[\d.]+\npage views\t-?[\d.]+\nvisits\t-?[\d.]+\nevents\t\nbounce rate/,
    );
  });

  it.each([
    [
      "stats --site example.com --fields visitor",
      /no field "visitor"[\s\S]*Did you mean visitors\?[\s\S]*events/,
    ],
    ["stats --site example.com --fields visitors,", /no field ""/],
    ["stats --site example.com --json --csv", /not both/],
    ["sites example.com", /sites takes only options, not "example\.com"/],
    ["breakdown --site example.com --dimension countris", /Did you mean countries\?/],
    ["realtime --site example.com --watch 0", /from 1 to 3600/],
    ["login Matomo", /Did you mean analytics-mcp login --service matomo\?/],
    ["statz", /Did you mean stats\?/],
    ["help formating", /Did you mean formatting\?/],
    ["-x", /hint: See analytics-mcp --help/],
    ["version", /Did you mean --version\?/],
  ])("%s is refused", async (command, words) => {
    const { code, stdout, stderr } = await shell(command);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(words);
  });

  it.each([
    ["stats --site exampl.com", 6, /^hint: Did you mean example\.com\? Your sites are: /m],
    ["stats --site nothing.like.it", 6, /^hint: Your sites are: /m],
    ["stats", 2, /Which site\? You have 5: .*\nhint: Name one: analytics-mcp stats docs\.example\.com$/m],
  ])("%s is refused with the sites that there are", async (command, exit, hint) => {
    const { code, stderr } = await shell(command);
    expect([code, stderr]).toEqual([exit, expect.stringMatching(hint)]);
  });

  it.each([
    ["stats --site", "analytics-mcp stats --help"],
    ["--demo stats --frob", "analytics-mcp stats --help"],
    ["completion", "analytics-mcp completion --help"],
    ["help -- --frob", "analytics-mcp help --help"],
    ["--frob", "analytics-mcp --help"],
  ])("%s is refused with the help to look at: %s", async (command, help) => {
    const { code, stderr } = await shell(command);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`See ${help}.\n`)]);
  });

  it("a mistake on the command line is JSON under --json", async () => {
    const { code, stderr } = await shell("stats --sit example.com --json");
    expect([code, JSON.parse(stderr).error]).toEqual([
      2,
      {
        code: "usage",
        message: "Unknown option --sit.",
        hint: "Did you mean --site? analytics-mcp stats --site example.com --json",
      },
    ]);
  });
});

describe("realtime --watch", () => {
  const watch = async (flags: string, options: ShellOptions, answers: number) => {
    let asked = 0;
    network.use(
      http.get(`${BASE}/api/v1/realtime`, ({ request }) => {
        asked += 1;
        // The second answer fails, which passes.
        return asked === 2 ? new HttpResponse(null, { status: 500 }) : api(request);
      }),
    );
    const { pauses, ...ending } = stopAfter(answers);
    const outcome = await shell(`realtime --site example.com --watch 2${flags}`, { ...options, ...ending });
    expect(pauses).toEqual(Array(answers).fill(2_000));
    return outcome;
  };

  it("is a line for each answer in a pipe, and goes on after a failure", async () => {
    const { code, stdout, stderr } = await watch("", {}, 3);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^visitors\tas_of\n(\d+\t2026-11-21T05:05:10\+01:00\n){2}$/);
    expect(stderr).toContain("error:");
  });

  it("is a document for each answer with --json", async () => {
    const { stdout } = await watch(" --json", {}, 1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("visitors");
  });

  it("is drawn again at a terminal, as a chart of the minutes that it saw", async () => {
    const { stdout } = await watch("", { isTTY: true, environment: { NO_COLOR: "1" } }, 3);
    const pages = stdout.split("\u001b[H\u001b[J");
    expect(pages).toHaveLength(3);
    // An answer, the failure, and another answer within the same minute.
    expect(pages[2]).toMatch(
      /active visitors while watching\n[\s\S]*1 ┤█████ +█████\n[\s\S]*└┬───── {6}──────\n +05:05\n/,
    );
  });

  it("says what it waits for before a slow answer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    network.use(
      http.get(`${BASE}/api/v1/realtime`, async ({ request }) => {
        await vi.advanceTimersByTimeAsync(3_100);
        return api(request);
      }),
    );
    let written = "";
    const onStderr = (text: string) => {
      written += text;
    };
    const options = { isTTY: true, onStderr, ...stopAfter(1) };
    const { stderr } = await shell("realtime --site example.com --watch", options).finally(vi.useRealTimers);
    expect(written).toContain("Waiting for stats.example.test …\r\u001b[K");
    expect(stderr).not.toContain("Waiting");
  });

  it("ends where asking again makes no sense", async () => {
    const { code } = await shell("realtime --site example.com --watch", {
      environment: { ANALYTICS_API_KEY: "wrong" },
      stop: new Promise(() => {}),
    });
    expect(code).toBe(4);
  });
});

describe("the notes under an answer", () => {
  const ask = async (flags: string, isTTY = true) =>
    (
      await shell(`overview news.example.org --period this-year${flags}`, {
        isTTY,
        columns: 60,
        environment: { NO_COLOR: "1" },
      })
    ).stderr;

  it("have at most four lines at a terminal, besides all warnings; --explain has them all", async () => {
    const warnings = (await ask(" --quiet")).trim();
    const [shown, all] = [await ask(""), await ask(" --explain")];
    expect(warnings).toContain("The site has had data since");
    for (const text of [shown, all]) expect(text.trim().startsWith(warnings)).toBe(true);
    expect(shown.trim().slice(warnings.length).trim().split("\n").length).toBeLessThanOrEqual(4);
    expect(shown).toContain("\nMore notes: --explain\n");
    expect(all).not.toContain("--explain");
    expect(all).toContain("A visit ends after 30 minutes");
    const words = (text: string) => text.split(/\s+/).join(" ").trim();
    const [title, ...piped] = (await ask("", false)).split("\n");
    expect(title).toMatch(/^news\.example\.org, 2026-01-01 to 2026-11-20 /);
    expect(words(piped.join(" "))).toBe(words(all));
  });
});
