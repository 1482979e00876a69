import { Command } from "commander";
import type { Flags } from "../config/config.ts";
import { readServeSettings, type ServeFlags, serveVariables } from "../config/connector.ts";
import { AnalyticsError } from "../errors.ts";
import type { Store } from "../oauth/store/store.ts";
import type { Cell, Column, View } from "../operations/view.ts";
import { formatCount } from "../render/words.ts";
import type { Io } from "./io.ts";
import { type Format, printNote } from "./output.ts";
import { printAnswer } from "./print-answer.ts";

/** What stands first is to be read at a narrow terminal, too. */
const GRANT_COLUMNS: Column[] = [
  { key: "grant", label: "grant", kind: "word" },
  { key: "application", label: "application", kind: "text", untrusted: true },
  { key: "state", label: "state", kind: "word" },
  { key: "refreshed", label: "refreshed", kind: "time" },
  { key: "created", label: "created", kind: "time", detail: true },
  { key: "expires", label: "expires", kind: "time", detail: true },
  { key: "revoked", label: "revoked", kind: "time", detail: true },
  { key: "client", label: "client", kind: "text", detail: true },
];
const CLIENT_COLUMNS: Column[] = [
  { key: "application", label: "application", kind: "text", untrusted: true },
  { key: "grants", label: "grants", kind: "count" },
  { key: "created", label: "created", kind: "time" },
  { key: "client", label: "client", kind: "text", detail: true },
];
const DAY_MS = 24 * 3_600_000;

type StoreFlags = Flags & ServeFlags & Format;

/** `analytics-mcp grants`: who has signed in at the connector, read from its store while it serves. */
export function createGrantsCommand(io: Io): Command {
  const command = new Command("grants");
  const list = new Command("list").summary("List the sign-ins").action(async (_, self: Command) => {
    const flags = self.optsWithGlobals<StoreFlags>();
    const rows = await withStore(io, flags, async (store, readName) => {
      const grants = await store.listGrants();
      return Promise.all(
        grants.map(async ({ grantId, clientId, created, refreshed, expires, revoked }) => ({
          ...{ grant: grantId, application: clientId === undefined ? null : await readName(clientId) },
          ...{ state: revoked === undefined ? "active" : "ended", refreshed: show(refreshed) },
          ...{ created: show(created), expires: show(expires), revoked: show(revoked) },
          client: clientId ?? null,
        })),
      );
    });
    await print(io, "grant", GRANT_COLUMNS, rows, flags);
  });
  const revoke = new Command("revoke")
    .summary("End a sign-in: its tokens are dead at once, on every replica")
    .argument("<grant>")
    .action(async (grant: string, _, self: Command) => {
      const flags = self.optsWithGlobals<StoreFlags>();
      await withStore(io, flags, async (store) => {
        const known = (await store.listGrants()).some(({ grantId }) => grantId === grant);
        if (!known) {
          throw new AnalyticsError("usage", "There is no such grant.", {
            hint: "See analytics-mcp grants list.",
          });
        }
        const isNew = await store.revokeGrant(grant, io.clock());
        await printNote(io, isNew ? "The sign-in is ended." : "The sign-in was ended before.");
      });
    });
  return command.addCommand(withStoreOptions(list)).addCommand(withStoreOptions(revoke));
}

/** `analytics-mcp clients`: the applications that have registered. */
export function createClientsCommand(io: Io): Command {
  const command = new Command("clients");
  const list = new Command("list").summary("List the applications").action(async (_, self: Command) => {
    const flags = self.optsWithGlobals<StoreFlags>();
    const rows = await withStore(io, flags, async (store, readName) => {
      const clients = await store.listClients();
      return Promise.all(
        clients.map(async ({ clientId, created, grants }) => ({
          ...{ application: await readName(clientId), grants, created: show(created), client: clientId },
        })),
      );
    });
    await print(io, "client", CLIENT_COLUMNS, rows, flags);
  });
  const prune = new Command("prune")
    .summary("Remove applications that nobody has signed in with")
    .option("--days <number>", "registered so many days ago, or longer", "30")
    .action(async (_, self: Command) => {
      const flags = self.optsWithGlobals<StoreFlags & { days: string }>();
      if (!/^\d{1,4}$/.test(flags.days)) throw new AnalyticsError("usage", "--days takes a whole number.");
      const before = io.clock() - Number(flags.days) * DAY_MS;
      const count = await withStore(io, flags, (store) => store.pruneClients(before));
      await printNote(io, `Removed ${formatCount(count, "application")}.`);
    });
  return command.addCommand(withStoreOptions(list)).addCommand(withStoreOptions(prune));
}

function withStoreOptions(command: Command): Command {
  return command
    .option("--store <store>", `the connector's: a file or redis://… (${serveVariables.store})`)
    .option("--secret-file <file>", `the connector's (${serveVariables.secretFile})`)
    .option("--json", "print as JSON");
}

type ReadName = (clientId: string) => Promise<string | null>;

async function withStore<T>(
  io: Io,
  flags: StoreFlags,
  use: (store: Store, readName: ReadName) => Promise<T>,
): Promise<T> {
  const { store: place, secretFile } = readServeSettings(flags, io.environment, false);
  if (place === "memory") {
    throw new AnalyticsError("usage", "A store in memory is seen by its own process alone.", {
      hint: "Serve with a file or with Redis to manage its sign-ins.",
    });
  }
  const [{ readSecret }, { openStore }, { createApplicationNames }] = await Promise.all([
    import("../serve/secret.ts"),
    import("../oauth/store/open-store.ts"),
    import("../oauth/applications.ts"),
  ]);
  const secret = await readSecret(secretFile);
  const report = (line: string) => void printNote(io, line);
  const store = await openStore(place, { clock: io.clock, secret, report });
  try {
    const readName = createApplicationNames(store, secret, report);
    return await use(store, readName);
  } finally {
    await store.close();
  }
}

const show = (time: number | undefined) =>
  time === undefined ? null : new Date(time).toISOString().slice(0, 16);

function print(
  io: Io,
  noun: string,
  columns: Column[],
  rows: Record<string, Cell>[],
  flags: StoreFlags,
): Promise<void> {
  const notes = [`${formatCount(rows.length, noun)}, times in UTC.`];
  const view: View = { headline: "", columns, rows, notes };
  return printAnswer(io, { params: {}, result: { [`${noun}s`]: rows }, views: [view] }, flags);
}
