import { expect, it } from "vitest";
import { commandList } from "../../src/cli/commands/command-list.ts";
import { exitCodeMeanings } from "../../src/cli/exit-codes.ts";
import { buildManPage } from "../../src/cli/help/man-page.ts";
import { escapeRoff } from "../../src/cli/help/roff.ts";
import type { Io } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { environment } from "../../src/documents/environment.ts";

const names = commandList.map(({ name }) => name);
// No command looks at the process before it runs.
const program = await createProgram({ version: "1.2.3" } as Io, names);
const page = buildManPage(program, "1.2.3");

it.each([
  [String.raw`C:\new`, String.raw`C:\enew`],
  [".hidden files\n.TH", "\\&.hidden files\n\\&.TH"],
  ["'quoted' \"twice\"", String.raw`\(aqquoted\(aq \(dqtwice\(dq`],
  ["--site", String.raw`\-\-site`],
  ["~/.config ^ `x`", String.raw`\(ti/.config \(ha \(gax\(ga`],
  ["rediss://…", String.raw`rediss://\[u2026]`],
])("escapes %j", (text, escaped) => {
  expect(escapeRoff(text)).toBe(escaped);
});

it("has its sections in the conventional order", () => {
  expect([...page.matchAll(/^\.SH "(.*)"$/gm)].map(([, title]) => title)).toEqual([
    "NAME",
    "SYNOPSIS",
    "DESCRIPTION",
    "OPTIONS",
    "COMMANDS",
    "ENVIRONMENT",
    "FILES",
    "EXIT STATUS",
    "EXAMPLES",
  ]);
});

it("has every command, and its options and examples", () => {
  for (const command of program.commands) {
    expect(page).toMatch(new RegExp(`^\\.SS "${escapeRoff(command.name()).replaceAll("\\", "\\\\")} `, "m"));
    for (const { short, long, hidden } of command.options) {
      const names = [short, long].flatMap((name) => name ?? []).join(", ");
      if (long && !hidden) expect(page).toContain(`.B "${escapeRoff(names)}`);
    }
  }
  expect(page).toContain(escapeRoff("analytics-mcp overview --demo"));
  expect(page).toContain('.SS "grants list');
});

it("has every variable and exit code", () => {
  for (const term of [...Object.keys(environment), ...Object.keys(exitCodeMeanings)]) {
    expect(page).toContain(`\n.B "${term}"\n`);
  }
});

it("has no control line but its own", () => {
  const requests = [...page.matchAll(/^[.'](\S*)/gm)].map(([, name]) => name);
  expect([...new Set(requests)].sort()).toEqual(["B", "EE", "EX", "PP", "SH", "SS", "TH", "TP"]);
});
