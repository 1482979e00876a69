import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { dimensions } from "../../src/operations/dimensions.ts";

const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)].filter((path) =>
  path.endsWith(".md"),
);

/** The program's name, unless it is a package that is installed, a user or a plugin; then its words, up to a pipe and the like. */
const COMMAND =
  /(?<![\w/.@-]|install |-g |-u |-p )analytics-mcp((?: +(?:'[^']*'|"[^"]*"|[^\s'"|>&;#)`]+))+)/g;

/** The command lines of a page's blocks and of its inline code. */
function listCommands(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const blocks = [...text.matchAll(/^```(?:sh|cron|ini|text)?\n([\s\S]*?)\n```$/gm)];
  const inline = [...text.matchAll(/`([^`\n]+)`/g)];
  const code = [...blocks, ...inline].map(([, inner = ""]) => inner).join("\n");
  return [...code.replaceAll("\\\n", " ").matchAll(COMMAND)].map(([, words = ""]) => words.trim());
}

/** Fails if the program has no such command, or the command no such option. */
async function expectToExist(line: string): Promise<void> {
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g)?.map(String) ?? [];
  const program = await createProgram({ version: "1.2.3" } as Io, words);
  const isNamed = (command: { name(): string }) => words.includes(command.name());
  const command = program.commands.find(isNamed);
  const sub = command?.commands.find(isNamed);
  const options = [program, command, sub].flatMap((each) => each?.options ?? []);
  const known = new Set(["--help", "-h", ...options.flatMap(({ long, short }) => [long, short])]);
  const asked = words.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/[=].*$/s, ""));
  expect(
    asked.filter((word) => !known.has(word)),
    line,
  ).toEqual([]);
  const [first = ""] = words;
  const isDimension = dimensions.some((dimension) => dimension === first);
  expect(command !== undefined || isDimension || first.startsWith("-"), line).toBe(true);
}

describe("every command in the docs exists, with its options", () => {
  const found = pages.map((page) => [page, [...new Set(listCommands(page))]] as const);

  it("commands are found", () => expect(found.flatMap(([, lines]) => lines).length).toBeGreaterThan(150));

  it.each(found.filter(([, lines]) => lines.length > 0))("%s", async (_, lines) => {
    for (const line of lines) await expectToExist(line);
  });
});
