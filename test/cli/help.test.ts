import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import { commandList } from "../../src/cli/commands/command-list.ts";
import { loadCommand } from "../../src/cli/commands/index.ts";
import { breakExample } from "../../src/cli/help/layout.ts";
import type { Io } from "../../src/cli/io.ts";
import { queries } from "../../src/reports/queries.ts";
import { localKinds } from "../../src/sources/local-kinds.ts";
import { logs } from "../../src/sources/logs.ts";
import { runShell } from "../support/shell.ts";

/** Every command, whole; none of them looks at the process before it runs. */
const commands = await Promise.all(commandList.map(({ name }) => loadCommand({} as Io, name)));
const examples = Object.fromEntries(commands.map((command) => [command.name(), command.examples]));

const readHelp = async (name: string, columns = 80) =>
  (
    await runShell([...(name === "" ? [] : [name]), "--help"], {
      isTTY: true,
      columns,
      environment: { NO_COLOR: "1" },
    })
  ).stdout;

const readHelpOf = (...argv: string[]) => runShell([...argv, "--help"], { environment: { NO_COLOR: "1" } });

const LOCAL = localKinds.map(({ option }) => option.flag);
/** The kinds of sources whose options a profile keeps. */
const SAVED = localKinds.flatMap(({ option, settings }) => (settings ? [option.flag] : []));
const ACCESS = [...LOCAL, "--base-url", "--service", "--profile", "--api-key-file", "--api-key-stdin"];

describe("the help of a command", () => {
  it.each<[string, string[]]>([
    ...["sites", "overview", "whoami", "doctor", "conform"].map(
      (name) => [name, ACCESS] as [string, string[]],
    ),
    ["serve", [...LOCAL, "--base-url", "--service", "--profile"]],
    ["config", [...LOCAL, "--base-url", "--service", "--profile"]],
    ["login", [...SAVED, "--base-url", "--service", "--profile", "--api-key-file", "--api-key-stdin"]],
    ["logout", ["--profile"]],
    ["reference", ACCESS],
    ...["grants", "clients", "keys", "completion", "help"].map((name) => [name, []] as [string, string[]]),
  ])("%s has those global options that it takes", async (name, expected) => {
    const [, also = ""] = /\n\nAlso ([\s\S]*): see help\s+options\.\n/.exec(await readHelp(name)) ?? [];
    const names = also.split(/,\s/);
    expect(ACCESS.filter((option) => names.includes(option))).toEqual(expected);
    expect(names.includes("--color")).toBe(expected.length > 0);
  });

  it.each(["", ...Object.keys(examples)])("%s has at most 60 lines", async (name) => {
    expect((await readHelp(name)).split("\n").length).toBeLessThanOrEqual(61);
  });

  it("options has each option of the program with its description, once for all commands", async () => {
    const { stdout } = await runShell(["help", "options"], { isTTY: true, columns: 80 });
    for (const option of [...ACCESS, "--mapping", "--log-format", "--schema", "--color", "--plain"])
      expect(stdout).toMatch(new RegExp(`^  ${option}(?: <[^>]+>)? +\\S`, "m"));
    expect(stdout).not.toMatch(/--stdio|--site/);
    expect(stdout.split("\n").length).toBeLessThanOrEqual(60);
  });

  it.each([
    ["logs", true],
    ["stats", false],
  ])("%s lists what else --logs takes: %s", async (name, isListed) => {
    const shown = await readHelp(name);
    for (const { flag } of logs.settings ?? [])
      expect([flag, shown.includes(flag)]).toEqual([flag, isListed]);
  });

  it.each(Object.keys(examples))("%s has its examples once", async (name) => {
    expect((await readHelp(name)).match(/^Examples:$/gm)).toHaveLength(1);
  });

  it.each(Object.keys(examples).flatMap((name) => [60, 80].map((columns) => [name, columns] as const)))(
    "%s has examples that fit %i columns",
    async (name, columns) => {
      const [, shown = ""] = /Examples:\n([\s\S]*?)\n\n/.exec(await readHelp(name, columns)) ?? [];
      for (const line of shown.split("\n")) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
    },
  );

  it.each([
    ["stats", "(1 to 365; default: 28)"],
    ["breakdown", "(1 to 1000; default: 10)"],
    ["overview", "(1 to 182, since it compares with as many days before; default: 28)"],
    ["compare", "(1 to 182, since it compares with as many days before; default: 7)"],
  ])("%s says which numbers it takes: %s", async (name, range) => {
    expect((await readHelp(name)).replace(/\s+/g, " ")).toContain(range);
  });

  it("is found for a command of a command", async () => {
    const asked = async (...argv: string[]) =>
      runShell(["help", ...argv], { environment: { NO_COLOR: "1" } });
    expect((await asked("grants", "revoke")).stdout).toBe((await readHelpOf("grants", "revoke")).stdout);
    expect(await asked("grants", "lst")).toMatchObject({
      code: 2,
      stderr: 'error: grants has no command "lst".\nhint: There is help on grants list, grants revoke.\n',
    });
    const { stderr } = await asked("stats", "--", "--api-key=canary");
    expect(stderr).toContain("stats has no command");
    expect(stderr).not.toContain("canary");
  });

  it("explains filters and periods, which it lists as topics", async () => {
    const read = async (...words: string[]) => (await runShell(["help", ...words])).stdout;
    expect(await read()).toMatch(/filters,\s+formatting, options, periods, profiles/);
    expect(await read("filters")).toMatch(/DE\|AT[\s\S]*pages!=[\s\S]*visit:pages=\/pricing/);
    expect(await read("periods")).toContain("since_monday");
  });

  it.each([
    ["filter", "--filter <condition>", "such as countries=DE", "overview"],
    ["period", "--period <period>", "since_monday or since_2026-11-01", "overview"],
    ["goal", "--goal <goal>", "such as events=signup", "conversions"],
  ])("help %s says what the option takes, and where", async (word, flags, takes, owner) => {
    const { code, stdout } = await runShell(["help", word], { environment: { NO_COLOR: "1" } });
    expect([code, stdout.split("\n")[0]]).toEqual([0, flags]);
    expect(stdout.replace(/\s+/g, " ")).toContain(takes);
    expect(stdout).toContain(`See analytics-mcp ${owner} --help.`);
  });

  it("what config takes is named", async () => {
    const words = (await readHelp("config")).replace(/\s+/g, " ");
    expect(words).toContain("for a machine with another system: macos, windows, linux");
    expect(words).toContain("create a missing folder");
  });
});

/** The options that some queries cannot do without. */
const NEEDED: Record<string, string[]> = {
  breakdown: ["--dimension", "pages"],
  conversions: ["--goal", "events=signup"],
};

describe("an example", () => {
  it.each(Object.values(examples).flat())(
    "%s fits 78 columns, or is broken as a shell reads it",
    (example) => {
      for (const width of [58, 78]) {
        const lines = breakExample(example, width);
        expect(lines.filter((line) => line.length > width)).toEqual([]);
        expect(lines.join("\n").replace(/ \\\n +/g, " ")).toBe(example);
      }
    },
  );

  it.each(queries.map(({ name, shell }) => [name, shell.fields] as const))(
    "of %s --fields names fields that it has: %s",
    async (name, fields) => {
      const site = ["sites", "openapi"].includes(name) ? [] : ["--site", "example.com"];
      const argv = [name, "--demo", ...site, ...(NEEDED[name] ?? []), "--fields", fields];
      expect((await runShell(argv)).code).toBe(0);
      expect((await readHelp(name)).replace(/\s+/g, " ")).toContain(`in this order, such as ${fields}`);
    },
  );
});

describe("help profiles", () => {
  it("says what a profile is, and what goes before it", async () => {
    const { code, stdout } = await runShell(["help", "profiles"]);
    expect(code).toBe(0);
    const places = ["--profile", "ANALYTICS_API_KEY", "ANALYTICS_PROFILE", "none of these"];
    const order = places.map((place) => stdout.search(new RegExp(`^  ${place}`, "m")));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(stdout).toContain("whoami --all");
  });
});
