import { Argument, Option } from "commander";
import { sites } from "../../operations/index.ts";
import { quoteForShell } from "../../operations/shell-command.ts";
import { clients } from "../../setup/clients/index.ts";
import type { WriteResult } from "../../setup/config-writing.ts";
import { type Machine, platforms, readMachine } from "../../setup/machine.ts";
import { findClient, type McpClient } from "../../setup/mcp-client.ts";
import type { ServerSpec } from "../../setup/server-spec.ts";
import type { Instructions } from "../../setup/setup-instructions.ts";
import { createLocalCall } from "../../sources/local-call.ts";
import { findLocal } from "../../sources/local-choice.ts";
import type { Io } from "../io.ts";
import { readOutput } from "../output/output-format.ts";
import { printAnswer, printTable } from "../output/print-answer.ts";
import { printNote, writeData } from "../output/streams.ts";
import { assertNotOption } from "../usage-error.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import { assertWritable, type ConfigFlags, createConfigError, readServerSpec } from "./config-server-spec.ts";
import { createSiteOption } from "./site-option.ts";

/** `analytics-mcp config`: prints what to paste into an assistant's settings, or writes it there. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Print an assistant's settings, or write them",
  create: (io) =>
    new ShellCommand("config")
      .withAccess(access.service)
      .withExamples(
        "analytics-mcp config claude-desktop",
        "analytics-mcp config cursor --remote https://mcp.example.com/mcp",
        "analytics-mcp config codex --write --dry-run",
      )
      .description(
        "Print what to paste into an assistant's settings, and where; --write writes it there. Without a client, list the known ones. The key is never printed.",
      )
      .addArgument(
        new Argument("[client]", "an assistant")
          .choices(clients.map(({ id }) => id))
          // The lookup accepts other spellings and refuses the rest with a suggestion.
          .argParser(String),
      )
      .option("--remote <url>", "a remote connector's address, such as https://mcp.example.com/mcp")
      .addOption(createSiteOption())
      .option("--name <name>", "the server's name in the client", "analytics")
      .option("--write", "add it to the client's file; the previous file is kept as a backup")
      .option("--dry-run", "show what --write would change, as a unified diff")
      .option("--force", "with --write: replace another server of that name, and create a missing folder")
      .option("--file <file>", "with --write: a file other than the client's own, in an existing folder")
      .option(
        "--with-key",
        "with --write, for clients without variables: write the key in ANALYTICS_API_KEY into the file",
      )
      .addOption(
        new Option(
          "--platform <platform>",
          `for a machine with another system: ${platforms.join(", ")}`,
        ).choices(platforms),
      )
      .option("--json", "print everything as JSON")
      .action(async (word: string | undefined, _, self: ShellCommand) => {
        const flags = self.optsWithGlobals<ConfigFlags>();
        if (word === undefined) return listClients(io, flags);
        assertNotOption(word, "config");
        const client = findClient(word, clients);
        if (flags.write || flags.dryRun) await write(io, client, flags);
        else await print(io, client, flags);
      }),
};

async function listClients(io: Io, flags: ConfigFlags): Promise<void> {
  const machine = readMachine(io.environment, flags.platform);
  const rows = clients.map(({ id, title, isWritable, buildRemote, file, pasteInto }) => ({
    client: id,
    title,
    writes: isWritable ? "yes" : "no",
    remote: buildRemote ? "itself" : "by mcp-remote",
    file: file?.[machine.platform] ?? pasteInto ?? null,
  }));
  const columns = [
    { key: "client", label: "client", kind: "text" },
    { key: "title", label: "", kind: "text", machine: true },
    { key: "writes", label: "--write", kind: "text" },
    { key: "remote", label: "--remote", kind: "text" },
    { key: "file", label: "file", kind: "text" },
  ] as const;
  const notes = [
    "--write: whether config can add the entry to the file itself. --remote: how the client reaches a remote connector: itself, or by the npm package mcp-remote.",
    "Next: analytics-mcp config <client>",
  ];
  await printTable(io, flags, { clients: rows }, { columns: [...columns], rows, notes });
}

async function print(io: Io, client: McpClient, flags: ConfigFlags): Promise<void> {
  for (const [name, option] of [
    ["force", "--force"],
    ["file", "--file"],
    ["withKey", "--with-key"],
  ] as const) {
    if (flags[name] !== undefined)
      throw createConfigError(
        `${option} needs --write`,
        "Nothing was written: add --write to change the client's file.",
      );
  }
  const { buildInstructions } = await import("../../setup/setup-instructions.ts");
  const machine = readMachine(io.environment, flags.platform);
  const spec = readServerSpec(io, client, flags, machine);
  await checkFiles(io, flags, machine);
  const instructions = buildInstructions(client, spec, machine);
  if (flags.json)
    return printAnswer(io, { params: {}, result: { ...instructions }, views: [] }, readOutput(io, flags));
  await writeData(io, instructions.content);
  if (io.stdout.isTTY && io.stderr.isTTY) await printNote(io, "");
  for (const line of explain(instructions)) await printNote(io, line);
}

/** Asks the files that an entry names, so that an assistant does not find out later that they cannot answer. */
async function checkFiles(io: Io, flags: ConfigFlags, machine: Machine): Promise<void> {
  const local =
    machine.isHere && flags.remote === undefined
      ? findLocal(flags, flags.withKey ? {} : io.environment)
      : undefined;
  if (!local?.kind.readsFiles) return;
  const { clock, environment } = io;
  const open = () => local.kind.open({ clock, environment, flags: local.flags });
  await createLocalCall(open, clock)(sites, {});
}

function explain({ title, path, paths, where, notes, command, link }: Instructions): string[] {
  const elsewhere = Object.entries(paths ?? {}).map(([name, place]) => `  ${name.padEnd(8)} ${place}`);
  return [
    `${title}: paste it into ${path ?? where}`,
    ...(new Set(Object.values(paths ?? {})).size > 1 ? elsewhere : []),
    ...notes.map((note) => `- ${note}`),
    ...(command === null ? [] : ["Or, in a shell:", `  ${command}`]),
    ...(link === null ? [] : ["Or open this link:", `  ${link}`]),
  ];
}

async function write(io: Io, client: McpClient, flags: ConfigFlags): Promise<void> {
  if (!client.isWritable) {
    throw createConfigError(
      `--write does not support ${client.title}`,
      `Paste it: analytics-mcp config ${client.id}`,
    );
  }
  const machine = readMachine(io.environment, flags.platform);
  if (!machine.isHere && flags.file === undefined) {
    throw createConfigError(
      "--platform names another machine, so --write does not know where to write",
      "Name the file with --file.",
    );
  }
  const [{ buildNotes, findFile }, { writeEntry }] = await Promise.all([
    import("../../setup/setup-instructions.ts"),
    import("../../setup/config-writing.ts"),
  ]);
  const spec = readServerSpec(io, client, flags, machine);
  assertWritable(io, client, spec);
  await checkFiles(io, flags, machine);
  const outcome = await writeEntry(client, spec, {
    path: flags.file ?? findFile(client, machine) ?? "",
    isNamed: flags.file !== undefined,
    force: flags.force === true,
    dryRun: flags.dryRun === true,
    now: io.clock(),
  });
  await report(io, spec, outcome, [...buildNotes(client, spec), ...noteOnShell(io, spec)], flags);
}

async function report(
  io: Io,
  { name }: ServerSpec,
  outcome: WriteResult,
  notes: string[],
  flags: ConfigFlags,
) {
  const { state, path, backup, difference, isReadableByOthers } = outcome;
  const exposure =
    isReadableByOthers && flags.withKey
      ? [`Other users of this machine can read it: chmod 600 ${quoteForShell(path)}`]
      : [];
  if (flags.json) {
    const result = { state, path, backup: backup ?? null, difference, notes: [...exposure, ...notes] };
    return printAnswer(io, { params: {}, result, views: [] }, readOutput(io, flags));
  }
  if (state === "there") return printNote(io, `${name} is already in ${path}: nothing to do.`);
  if (state === "shown") {
    await writeData(io, difference.replace(/\n$/, ""));
    return printNote(io, "Nothing was written. Run it again without --dry-run to apply this.");
  }
  await printNote(io, `Wrote ${name} into ${path}`);
  if (backup !== undefined) await printNote(io, `The previous file: ${backup}`);
  for (const note of exposure) await printNote(io, note);
  for (const note of notes) await printNote(io, `- ${note}`);
}

function noteOnShell({ environment }: Io, { server }: ServerSpec): string[] {
  const isLeft = server.kind === "local" && server.options.length === 0 && server.apiKey === undefined;
  if (!isLeft || !environment.ANALYTICS_API_KEY) return [];
  return ["This shell's key was not copied into the file."];
}
