import { exitCodeMeanings } from "../../src/cli/exit-codes.ts";
import { environment } from "../../src/documents/environment.ts";
import { queries } from "../../src/reports/queries.ts";
import { clients } from "../../src/setup/clients/index.ts";
import type { Machine, PlatformPaths } from "../../src/setup/machine.ts";
import type { McpClient } from "../../src/setup/mcp-client.ts";
import { buildProgram, buildStdio } from "../../src/setup/server-command.ts";
import { buildInstructions } from "../../src/setup/setup-instructions.ts";
import { buildInstallLinks, stranger } from "./manifests.ts";
import { runShell } from "./shell.ts";

/** No particular machine, so that files are named as people write them (`~/…`, `%APPDATA%`). */
const machine: Machine = { platform: "linux", isHere: false, home: "", environment: {} };

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const code = (text: string) => `\`${text}\``;
const fence = (format: string, text: string) => `\`\`\`${format}\n${shorten(text)}\n\`\`\``;
/** Puts lists of words on one line, as people write them. */
const shorten = (json: string) =>
  json.replace(/\[\n[\s"\w,/-]+\]/g, (list) =>
    list.replace(/\s+/g, " ").replace("[ ", "[").replace(" ]", "]"),
  );

interface OptionHelp {
  flags: string;
  meaning: string;
}

/** Reads a command's options from its own help, at the widest terminal that help uses. */
export async function readOptions(...command: string[]): Promise<OptionHelp[]> {
  const { stdout } = await runShell([...command, "--help"], {
    isTTY: true,
    columns: 200,
    environment: { NO_COLOR: "1" },
  });
  const sections = [...stdout.matchAll(/\n(?:Options|Days|Output):\n([\s\S]*?)(?=\n\n|$)/g)];
  const entries = sections.flatMap(([, section = ""]) => section.replace(/\n {8,}/g, " ").split("\n"));
  return entries.flatMap((entry) => {
    const [, flags = "", meaning = ""] = /^ {2}(\S.*?) {2,}(.*)$/.exec(entry) ?? [];
    return /^$|--help|--version/.test(flags) ? [] : [{ flags, meaning }];
  });
}

/** The options of the queries, each with the commands that describe it in the same words; then the global options. */
async function buildOptionTable(): Promise<string> {
  const own = new Map<string, string[]>();
  for (const { name } of queries) {
    for (const { flags, meaning } of await readOptions(name)) {
      const text = meaning
        // Each command names its own columns as the example.
        .replace(/, such as \w+,\w+$/, "")
        .replace(/One of: pages, [^.]*\./, "[All dimensions](contract.md#operations).");
      const row = JSON.stringify([flags, text]);
      own.set(row, [...(own.get(row) ?? []), name]);
    }
  }
  const rows = [...own].map(([row, names]) => {
    const [flags, meaning]: [string, string] = JSON.parse(row);
    const isOfAll = names.length === queries.length;
    return { isOfAll, cells: [code(flags), isOfAll ? "all queries" : names.map(code).join(", "), meaning] };
  });
  const common = await readOptions();
  return table(
    ["option", "commands", "meaning"],
    [
      ...rows.sort((a, b) => Number(a.isOfAll) - Number(b.isOfAll)).map(({ cells }) => cells),
      ...common.map(({ flags, meaning }) => [
        code(flags),
        flags === "--stdio" ? "no command" : "most commands",
        meaning,
      ]),
    ],
  );
}

function listPlaces(places: PlatformPaths): string {
  const { macos, windows, linux } = places;
  const texts = new Map<string, string[]>();
  for (const [name, place] of Object.entries({ macOS: macos, Windows: windows, Linux: linux })) {
    texts.set(place, [...(texts.get(place) ?? []), name]);
  }
  if (texts.size === 1) return [...texts.keys()].map(code).join("");
  return [...texts].map(([place, platforms]) => `${code(place)} (${platforms.join(", ")})`).join(", ");
}

/** A server that finds what `login` saved. */
export const saved = { ...stranger, server: { ...stranger.server, profile: "default" } };
const standard = { mcpServers: { analytics: buildStdio(buildProgram(saved, undefined)) } };

/** A client's place and, if it differs from the standard block, its own. */
function buildClientBlock(client: McpClient): string {
  const { title, format, content, notes, command, where } = buildInstructions(client, saved, machine);
  const isStandard = content === JSON.stringify(standard, null, 2);
  const block = isStandard ? " the block above" : "";
  const place = client.file === undefined ? `into ${where}` : `to ${listPlaces(client.file)}`;
  return [
    `<details>\n<summary>${title}</summary>`,
    `${client.file === undefined ? "Paste" : "Add"}${block} ${place}${isStandard ? "." : ":"}`,
    ...(isStandard ? [] : [fence(format, content)]),
    ...(command === null ? [] : [`Or, in a shell:\n\n${fence("sh", command)}`]),
    // The page says once where the key is.
    notes
      .filter((note) => !note.includes("profile default"))
      .map((note) => `- ${note}`)
      .join("\n"),
    "</details>",
  ].join("\n\n");
}

/** The text between the markers of README.md and of the pages in docs/, by the marker's name. */
export async function buildBlocks(): Promise<Record<string, string>> {
  const installs = buildInstallLinks();
  const editors = ["Cursor", "VS Code"] as const;
  const addressOf = (client: string, has: string) => `${client} ${has}`.toLowerCase().replaceAll(" ", "-");
  return {
    standard: fence("json", JSON.stringify(standard, null, 2)),
    links: table(
      ["add to", ...installs.map(({ has }) => has)],
      editors.map((client) => [client, ...installs.map(({ has }) => `[add][${addressOf(client, has)}]`)]),
    ),
    addresses: editors
      .flatMap((client) => installs.map(({ has, links }) => `[${addressOf(client, has)}]: ${links[client]}`))
      .join("\n"),
    clients: [fence("json", JSON.stringify(standard, null, 2)), ...clients.map(buildClientBlock)].join(
      "\n\n",
    ),
    tools: table(
      ["tool", "in the shell", "what it answers"],
      queries.map(({ tool, name, summary }) => [code(tool.name), code(`analytics-mcp ${name}`), summary]),
    ),
    options: await buildOptionTable(),
    environment: table(
      ["variable", "meaning"],
      Object.entries(environment).map(([name, meaning]) => [code(name), meaning]),
    ),
    "exit codes": table(
      ["exit code", "meaning"],
      Object.entries(exitCodeMeanings).map(([number, meaning]) => [number, meaning]),
    ),
    keys: table(
      ["client", "where the key comes from", "remote servers (`--remote`)", "`--write`"],
      clients.map(({ title, key, buildRemote, isWritable }) => [
        title,
        key?.from ?? "the settings file",
        buildRemote ? "directly" : "through mcp-remote",
        isWritable ? "yes" : "",
      ]),
    ),
  };
}

const MARKED = /(<!-- ([a-z ]+): npm run readme writes this -->\n)[\s\S]*?(\n<!-- end of \2 -->)/g;

/** The page with its blocks up to date. Throws if it marks a block that does not exist. */
export function fillBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return page.replace(MARKED, (_, start: string, name: string, end: string) => {
    const block = blocks[name];
    if (block === undefined) throw new Error(`There is no block ${name}.`);
    return `${start}\n${block}\n${end}`;
  });
}

/** The names of the blocks marked in a page. */
export const listBlocks = (page: string) => [...page.matchAll(MARKED)].map(([, , name = ""]) => name);
