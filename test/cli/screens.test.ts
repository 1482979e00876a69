import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import { fakeNetwork, service } from "../support/network.ts";
import { runShell, type ShellOptions } from "../support/shell.ts";
import { openTerminal, TMUX } from "../support/terminal.ts";

// The data of --demo, from one reference API for all.
fakeNetwork();

const WIDTHS = [60, 80, 120];
const site = ["--site", "example.com"];

/** Each command as somebody sees it; looked at, then kept. */
const screens: Record<string, string[]> = {
  sites: ["sites"],
  stats: ["stats", ...site, "--days", "7"],
  "timeseries of a week": ["timeseries", ...site, "--days", "7"],
  "timeseries of a month": ["timeseries", ...site],
  "breakdown of pages": ["breakdown", ...site, "--dimension", "pages", "--limit", "8"],
  "breakdown of campaigns": ["breakdown", ...site, "--dimension", "utm_campaigns", "--days", "365"],
  "breakdown of countries": ["breakdown", ...site, "--dimension", "countries", "--days", "28"],
  realtime: ["realtime", ...site],
  overview: ["overview", ...site],
  compare: ["compare", ...site, "--days", "90"],
  openapi: ["openapi"],
  help: ["--help"],
  "help of breakdown": ["breakdown", "--help"],
  "help on formatting": ["help", "formatting"],
  "a mistake": ["breakdown", ...site, "--dimension", "page"],
};

const addDemo = (argv: string[]) =>
  argv.includes("--help") || argv.includes("help") ? argv : [...argv, "--demo"];

const shown = new Map<string, Promise<string>>();

/** All that the program writes, asked for once. */
function show(argv: string[], options: ShellOptions): Promise<string> {
  const key = JSON.stringify([argv, options]);
  const text =
    shown.get(key) ??
    runShell(argv, { ...options, environment: { ...service, ...options.environment } }).then(
      ({ stdout, stderr }) => stdout + stderr,
    );
  shown.set(key, text);
  return text;
}

describe.each(Object.entries(screens))("%s", (name, argv) => {
  it("looks as it did", async () => {
    const parts = await Promise.all(
      WIDTHS.flatMap((columns) =>
        [{}, { NO_COLOR: "1" }].map(async (environment: Record<string, string>) => {
          const all = await show(argv, { isTTY: true, columns, environment });
          const title = `${columns} columns${environment.NO_COLOR ? "" : ", in colour"}`;
          return `=== ${title}\n${all.replaceAll("\u001b", "␛")}`;
        }),
      ),
    );
    const all = await show(argv, {});
    const text = [...parts, `=== in a pipe\n${all}`].join("\n");
    await expect(text).toMatchFileSnapshot(
      resolve(`test/snapshots/screens/${name.replaceAll(" ", "-")}.txt`),
    );
  });

  it.each(WIDTHS)("fits %i columns, with the same text in colour", async (columns) => {
    const [colored, plain] = await Promise.all(
      [{}, { NO_COLOR: "1" }].map((environment: Record<string, string>) =>
        show(argv, { isTTY: true, columns, environment }),
      ),
    );
    expect(stripVTControlCharacters(colored ?? "")).toBe(plain);
    // What can be pasted is not broken.
    const lines = (plain ?? "").split("\n").filter((line) => !line.startsWith("  analytics-mcp "));
    expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
  });
});

describe.skipIf(TMUX === undefined || process.env.WITHOUT_BUILD)("in a real terminal (tmux)", () => {
  it.concurrent.each(WIDTHS)(
    "%i columns wide, all of them are the same",
    async (width) => {
      const terminal = openTerminal(width, 40);
      try {
        for (const [name, argv] of Object.entries(screens)) {
          const text = stripVTControlCharacters(await show(argv, { isTTY: true, columns: width }));
          // A terminal breaks what is wider than it, which is what can be pasted alone.
          const expected = text
            .split("\n")
            .slice(0, -1)
            .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "gu")) ?? [""]);
          const screen = await terminal.run(["analytics-mcp", ...addDemo(argv)].join(" "));
          expect(screen.split("\n"), name).toEqual(expected.map((line) => line.trimEnd()));
        }
      } finally {
        terminal.close();
      }
    },
    120_000,
  );
});
