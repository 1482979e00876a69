import { existsSync } from "node:fs";
import { Command } from "commander";
import type { Organization } from "../../config/keys-file.ts";
import type { Column } from "../../operations/view.ts";
import { formatCount } from "../../render/plural.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { createFormatOption, type OutputFlags } from "../output/output-format.ts";
import { printTable } from "../output/print-answer.ts";
import { printNote, writeData } from "../output/streams.ts";
import { type CommandDefinition, ShellCommand } from "./command.ts";
import { addKeysOption } from "./keys-option.ts";

interface KeysFlags extends SourceFlags, OutputFlags {
  sites?: string | undefined;
}

const COLUMNS: Column[] = [
  { key: "organization", label: "organization", kind: "word" },
  { key: "key", label: "key", kind: "word" },
  { key: "created", label: "created", kind: "time", spare: true },
  { key: "sites", label: "sites", kind: "text", wraps: true },
];

const SITES =
  "its sites, separated by commas: acme.example, '*.acme.example' for all hosts below it, '*' for every site";

/** `analytics-mcp keys`: the keys of organizations, and the sites that each may ask about. */
export const command: CommandDefinition = {
  group: "Serve:",
  summary: "Manage keys for organizations that share logs",
  create: (io) => {
    const keys = new ShellCommand("keys")
      .helpCommand("help [command]", "show help on a command")
      .withExamples(
        "analytics-mcp keys add acme --sites 'acme.example,*.acme.example'",
        "analytics-mcp keys sites acme --sites '*.acme.example'",
        "analytics-mcp keys list",
        "analytics-mcp keys remove acme",
      );
    for (const create of [createAdd, createSites, createList, createRemove]) keys.addCommand(create(io));
    return keys;
  },
};

function createAdd(io: Io): Command {
  const add = new Command("add")
    .summary("Create a key, and show it once; only its hash is stored")
    .argument("<organization>")
    .option("--sites <sites>", SITES);
  return addKeysOption(add).action(async (name: string, _, self: Command) => {
    const flags = self.optsWithGlobals<KeysFlags>();
    const [{ findKeysFile }, { changeKeysFile }, { addKey }] = await loadKeys();
    const { file } = findKeysFile(flags, io.environment);
    const { key, id, sites } = await changeKeysFile(file, (all) =>
      addKey(all, name, flags.sites, io.clock()),
    );
    await printNote(io, `Key ${id} of ${name}, for ${describeSites(sites)}. It is shown only once:`);
    await writeData(io, key);
    await printNote(io, `Its hash is in ${file}. Servers that use this file accept the key within a second.`);
    await warnOfSites(io, flags, { name, sites });
  });
}

function createSites(io: Io): Command {
  const change = new Command("sites")
    .summary("Change the sites of an organization, for all of its keys")
    .argument("<organization>")
    .requiredOption("--sites <sites>", SITES);
  return addKeysOption(change).action(async (name: string, _, self: Command) => {
    const flags = self.optsWithGlobals<KeysFlags & { sites: string }>();
    const [{ findKeysFile, readKeysFile }, { changeKeysFile }, { changeSites }] = await loadKeys();
    const { file } = findKeysFile(flags, io.environment);
    // A missing file is an error here.
    readKeysFile(file);
    const { sites, count } = await changeKeysFile(file, (all) => changeSites(all, name, flags.sites));
    await printNote(
      io,
      `Changed the sites of ${formatCount(count, "key")} of ${name}: ${describeSites(sites)}. Servers that use ${file} notice within a second.`,
    );
    await warnOfSites(io, flags, { name, sites });
  });
}

/** Says that the data of this user, as it was last read, has none of the sites: they may be mistyped, or still to come. */
async function warnOfSites(
  io: Io,
  flags: KeysFlags,
  organization: Pick<Organization, "name" | "sites">,
): Promise<void> {
  const { recallSites, describeStrange } = await import("../../sources/strange-sites.ts");
  const recall = await recallSites(flags, io);
  const warnings = recall === undefined ? [] : await describeStrange([organization], recall);
  for (const warning of warnings) await printNote(io, `warning: ${warning}`);
}

function createList(io: Io): Command {
  const list = new Command("list").summary("List organizations, their sites and keys");
  return addKeysOption(list)
    .addOption(createFormatOption())
    .option("--json", "short for --output json")
    .action(async (_, self: Command) => {
      const flags = self.optsWithGlobals<KeysFlags>();
      const [{ findKeysFile, readKeysFile }, , { listKeys }] = await loadKeys();
      const { file, isNamed } = findKeysFile(flags, io.environment);
      // Before the first key, there is no file.
      const isThere = isNamed || existsSync(file);
      const keys = isThere ? listKeys(readKeysFile(file)) : [];
      const { isReadableByOthers, describeExposure } = await import("../../config/file-permissions.ts");
      if (isThere && isReadableByOthers(file)) await printNote(io, `note: ${describeExposure(file)}`);
      const rows = keys.map(({ sites, ...key }) => ({ ...key, sites: sites.join(", ") }));
      const count = keys.filter(({ key }) => key !== null).length;
      const notes =
        keys.length === 0
          ? ["No keys yet: analytics-mcp keys add acme --sites acme.example creates the first."]
          : [`${formatCount(count, "key")}, times in UTC.`];
      await printTable(io, flags, { keys }, { columns: COLUMNS, rows, notes });
    });
}

function createRemove(io: Io): Command {
  const remove = new Command("remove")
    .summary("Remove an organization, or one of its keys by its id")
    .argument("<organization|key>");
  return addKeysOption(remove).action(async (name: string, _, self: Command) => {
    const flags = self.optsWithGlobals<KeysFlags>();
    const [{ findKeysFile, readKeysFile }, { changeKeysFile }, { removeKeys }] = await loadKeys();
    const { file } = findKeysFile(flags, io.environment);
    // A missing file is an error here.
    readKeysFile(file);
    const { organization, count, isGone } = await changeKeysFile(file, (all) => removeKeys(all, name));
    const gone = isGone ? " That was its last key, so the organization is removed, too." : "";
    await printNote(
      io,
      `Removed ${formatCount(count, "key")} of ${organization}.${gone} Servers that use ${file} refuse it within a second.`,
    );
  });
}

const loadKeys = () =>
  Promise.all([
    import("../../config/keys-file.ts"),
    import("../../config/keys-change.ts"),
    import("../../config/organizations.ts"),
  ]);

const describeSites = (sites: Organization["sites"]) =>
  sites.includes("*") ? "every site" : sites.join(", ");
