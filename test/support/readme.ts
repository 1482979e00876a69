import { exitCodeMeanings } from "../../src/cli/exit-codes.ts";
import { environment } from "../../src/documents/environment.ts";
import { questions } from "../../src/insights/question.ts";
import { clients } from "../../src/setup/clients/index.ts";
import type { Machine, PlatformPaths } from "../../src/setup/machine.ts";
import type { McpClient } from "../../src/setup/mcp-client.ts";
import { buildStdio, KEY } from "../../src/setup/server-command.ts";
import { buildInstructions } from "../../src/setup/setup-instructions.ts";
import { buildInstallLinks, stranger } from "./manifests.ts";
import { runShell } from "./shell.ts";

/** A machine of which nothing is known: files are named as people write them. */
const machine: Machine = { platform: "linux", isHere: false, home: "", environment: {} };

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const code = (text: string) => `\`${text}\``;
const fence = (format: string, text: string) => `\`\`\`${format}\n${shorten(text)}\n\`\`\``;
/** Lists of words stand in one line, as people write them. */
const shorten = (json: string) =>
  json.replace(/\[\n[\s"\w,/-]+\]/g, (list) =>
    list.replace(/\s+/g, " ").replace("[ ", "[").replace(" ]", "]"),
  );

interface OptionHelp {
  flags: string;
  meaning: string;
}

/** What the program says of its options, at a terminal as wide as it uses. */
export async function readOptions(...command: string[]): Promise<OptionHelp[]> {
  const { stdout } = await runShell([...command, "--help"], {
    ...{ isTTY: true, columns: 200, environment: { NO_COLOR: "1" } },
  });
  const [section = ""] = stdout.split("\nOptions:\n").slice(1).join("").split("\n\n");
  const entries = section.replace(/\n {8,}/g, " ").split("\n");
  return entries.flatMap((entry) => {
    const [, flags = "", meaning = ""] = /^ {2}(\S.*?) {2,}(.*)$/.exec(entry) ?? [];
    return /^$|--help|--version/.test(flags) ? [] : [{ flags, meaning }];
  });
}

/** Each option of the questions with the commands that have it in these words, then those of other commands too. */
async function buildOptionTable(): Promise<string> {
  const own = new Map<string, string[]>();
  for (const { name } of questions) {
    for (const { flags, meaning } of await readOptions(name)) {
      const text = meaning
        // The columns that it names are another command's in each.
        .replace(/, such as \w+,\w+$/, "")
        .replace(/One of: pages, .*\.$/, "[All of them](docs/contract.md#operations).");
      const row = JSON.stringify([flags, text]);
      own.set(row, [...(own.get(row) ?? []), name]);
    }
  }
  const rows = [...own].map(([row, names]) => {
    const [flags, meaning]: [string, string] = JSON.parse(row);
    const isOfAll = names.length === questions.length;
    return { isOfAll, cells: [code(flags), isOfAll ? "all that ask" : names.map(code).join(", "), meaning] };
  });
  const common = await readOptions();
  return table(
    ["option", "of", "meaning"],
    [
      ...rows.sort((a, b) => Number(a.isOfAll) - Number(b.isOfAll)).map(({ cells }) => cells),
      ...common.map(({ flags, meaning }) => [code(flags), "most commands", meaning]),
    ],
  );
}

function listPlaces(places: PlatformPaths): string {
  const names = { macos: "macOS", windows: "Windows", linux: "Linux" } as const;
  const texts = new Map<string, string[]>();
  for (const [platform, place] of Object.entries(places)) {
    const name = names[platform as keyof typeof names];
    texts.set(place, [...(texts.get(place) ?? []), name]);
  }
  if (texts.size === 1) return [...texts.keys()].map(code).join("");
  return [...texts].map(([place, platforms]) => `${code(place)} (${platforms.join(", ")})`).join(", ");
}

function buildClientBlock(client: McpClient): string {
  const { title, format, content, notes, command, where } = buildInstructions(client, stranger, machine);
  const place = client.places === undefined ? (where ?? "") : listPlaces(client.places);
  return [
    `<details>\n<summary>${title}</summary>`,
    `Into ${place}:`,
    fence(format, content),
    ...(command === null ? [] : [`Or, in a shell:\n\n${fence("sh", command)}`]),
    `${notes.map((note) => `- ${note.replace(/[<>]/g, "\\$&")}`).join("\n")}`,
    "</details>",
  ].join("\n\n");
}

const standard = {
  mcpServers: {
    analytics: buildStdio(stranger, (name) => (name === KEY ? "your key" : "https://stats.example.com")),
  },
};

/** What stands between the markers of README.md and of the pages in docs/, by the marker's name. */
export async function buildBlocks(): Promise<Record<string, string>> {
  const links = Object.entries(buildInstallLinks()).map(([client, link]) => `[Add to ${client}](${link})`);
  return {
    standard: fence("json", JSON.stringify(standard, null, 2)),
    links: links.join(" ·\n"),
    clients: clients.map(buildClientBlock).join("\n\n"),
    tools: table(
      ["tool", "in the shell", "what it answers"],
      questions.map(({ tool, name, summary }) => [code(tool.name), code(`analytics-mcp ${name}`), summary]),
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
      ["client", "the key comes from", "`--remote`", "`--write`"],
      clients.map(({ title, keyFrom, isRemote, isWritable }) => [
        title,
        keyFrom ?? "the settings themselves",
        isRemote ? "itself" : "through mcp-remote",
        isWritable ? "yes" : "",
      ]),
    ),
  };
}

const MARKED = /(<!-- ([a-z ]+): npm run readme writes this -->\n)[\s\S]*?(\n<!-- end of \2 -->)/g;

/** The page with its blocks as they should be. Throws where it marks a block that there is not. */
export function fillBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return page.replace(MARKED, (_, start: string, name: string, end: string) => {
    const block = blocks[name];
    if (block === undefined) throw new Error(`There is no block ${name}.`);
    return `${start}\n${block}\n${end}`;
  });
}

/** The names of the blocks that a page marks. */
export const listBlocks = (page: string) => [...page.matchAll(MARKED)].map(([, , name = ""]) => name);
