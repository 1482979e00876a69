import { Command } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import type { Column } from "../../operations/view.ts";
import { formatCount } from "../../render/plural.ts";
import { printNote } from "../output/streams.ts";
import { type CommandDefinition, ShellCommand } from "./command.ts";
import { addStoreOptions, formatTime, printRows, type StoreFlags, withStore } from "./connector-store.ts";

const APPLICATION_COLUMNS: Column[] = [
  { key: "application", label: "application", kind: "text", untrusted: true },
  { key: "grants", label: "grants", kind: "count" },
  { key: "created", label: "created", kind: "time" },
  { key: "client", label: "client", kind: "text", detail: true },
];
const DAY_MS = 24 * 3_600_000;

/** `analytics-mcp clients`: the applications that have registered at the connector. */
export const command: CommandDefinition = {
  group: "Serve:",
  summary: "List and prune applications of the connector",
  create: (io) => {
    const clients = new ShellCommand("clients")
      .helpCommand("help [command]", "show help on a command")
      .withExamples("analytics-mcp clients list");
    const list = new Command("list").summary("List the applications").action(async (_, self: Command) => {
      const flags = self.optsWithGlobals<StoreFlags>();
      const rows = await withStore(io, flags, async (store, readName) => {
        const listed = await store.listApplications();
        return Promise.all(
          listed.map(async ({ clientId, created, grants }) => ({
            application: await readName(clientId),
            grants,
            created: formatTime(created),
            client: clientId,
          })),
        );
      });
      await printRows(io, { key: "clients", noun: "application" }, APPLICATION_COLUMNS, rows, flags);
    });
    const prune = new Command("prune")
      .summary("Remove applications without sign-ins")
      .option("--days <number>", "only those registered at least this many days ago", "30")
      .action(async (_, self: Command) => {
        const flags = self.optsWithGlobals<StoreFlags & { days: string }>();
        if (!/^\d{1,4}$/.test(flags.days)) {
          throw new AnalyticsError("usage", `--days must be a whole number, not ${quoteWord(flags.days)}.`);
        }
        const before = io.clock() - Number(flags.days) * DAY_MS;
        const count = await withStore(io, flags, (store) => store.pruneApplications(before));
        const note =
          count > 0
            ? `Removed ${formatCount(count, "application")}.`
            : `Nothing to remove: no application without sign-ins registered at least ${formatCount(Number(flags.days), "day")} ago.`;
        await printNote(io, note);
      });
    return clients.addCommand(addStoreOptions(list)).addCommand(addStoreOptions(prune));
  },
};
