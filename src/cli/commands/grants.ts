import { existsSync } from "node:fs";
import { Command } from "commander";
import { AnalyticsError } from "../../errors.ts";
import type { GrantSummary } from "../../oauth/store/store.ts";
import type { Column } from "../../operations/view.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import { type CommandDefinition, ShellCommand } from "./command.ts";
import { addStoreOptions, formatTime, printRows, type StoreFlags, withStore } from "./connector-store.ts";
import { addKeysOption } from "./keys-option.ts";

/** At a narrow terminal, the id to end a sign-in with and the application's name matter most. */
const GRANT_COLUMNS: Column[] = [
  { key: "grant", label: "grant", kind: "word" },
  { key: "application", label: "application", kind: "text", untrusted: true },
  { key: "state", label: "state", kind: "word" },
  { key: "refreshed", label: "refreshed", kind: "time", spare: true },
  { key: "organization", label: "organization", kind: "word", spare: true },
  { key: "key", label: "key", kind: "word", spare: true },
  { key: "reason", label: "reason", kind: "word", spare: true },
  { key: "created", label: "created", kind: "time", detail: true },
  { key: "expires", label: "expires", kind: "time", detail: true },
  { key: "revoked", label: "revoked", kind: "time", detail: true },
  { key: "client", label: "client", kind: "text", detail: true },
];

interface ListFlags extends StoreFlags {
  keys?: string;
}

/** `analytics-mcp grants`: lists and ends sign-ins at the connector, in its store and while it serves. */
export const command: CommandDefinition = {
  group: "Serve:",
  summary: "List and end sign-ins of the remote connector",
  create: (io) => {
    const grants = new ShellCommand("grants")
      .helpCommand("help [command]", "show help on a command")
      .withExamples("analytics-mcp grants list", "analytics-mcp grants revoke <grant>");
    const list = new Command("list").summary("List the sign-ins").action(async (_, self: Command) => {
      const flags = self.optsWithGlobals<ListFlags>();
      const keys = await readKeyIds(io, flags);
      const rows = await withStore(io, flags, async (store, readName, sealing) => {
        const [listed, { readKeyOwner, readGrantEnd }] = await Promise.all([
          store.listGrants(),
          loadOwners(),
        ]);
        return Promise.all(
          listed.map(async ({ grantId, clientId, created, refreshed, expires, revoked }) => {
            const end = revoked === undefined ? undefined : await readGrantEnd(store, sealing, grantId);
            const owner = end ?? (await readKeyOwner(store, sealing, grantId));
            const hasKey = owner?.key === undefined || keys === undefined || keys.ids.has(owner.key);
            return {
              grant: grantId,
              application: clientId === undefined ? null : await readName(clientId),
              state: readState({ revoked, refreshed }, hasKey),
              refreshed: formatTime(refreshed),
              created: formatTime(created),
              expires: formatTime(refreshed === undefined ? undefined : expires),
              revoked: formatTime(revoked),
              client: clientId ?? null,
              organization: owner?.organization ?? null,
              key: owner?.key ?? null,
              reason: end?.reason ?? null,
            };
          }),
        );
      });
      const meanings = {
        no_key: `the key is not in ${keys?.file}, and the sign-in ends when it is used.`,
        unused: "the application did not fetch its tokens, so nobody has access.",
      };
      const notes = Object.entries(meanings)
        .filter(([meant]) => rows.some(({ state }) => state === meant))
        .map(([state, meaning]) => `${state}: ${meaning}`);
      await printRows(io, { key: "grants", noun: "grant" }, GRANT_COLUMNS, rows, flags, notes);
    });
    const revoke = new Command("revoke")
      .summary("End a sign-in; its tokens stop working at once, on every replica")
      .argument("<grant>")
      .action(async (grant: string, _, self: Command) => {
        const flags = self.optsWithGlobals<StoreFlags>();
        await withStore(io, flags, async (store, _, sealing) => {
          const { endGrant } = await loadOwners();
          const known = (await store.listGrants()).some(({ grantId }) => grantId === grant);
          if (!known) {
            const hint = "See analytics-mcp grants list.";
            throw new AnalyticsError("usage", "There is no such grant.", { hint });
          }
          const isNew = await endGrant(store, sealing, grant, io.clock(), "revoked_by_operator");
          await printNote(io, isNew ? "The sign-in has ended." : "The sign-in had already ended.");
        });
      });
    return grants.addCommand(addKeysOption(addStoreOptions(list))).addCommand(addStoreOptions(revoke));
  },
};

const loadOwners = () => import("../../oauth/key-owner.ts");

function readState({ revoked, refreshed }: Pick<GrantSummary, "revoked" | "refreshed">, hasKey: boolean) {
  if (revoked !== undefined) return "ended";
  if (refreshed === undefined) return "unused";
  return hasKey ? "active" : "no_key";
}

/** The keys that there are; undefined if there is no keys file, as with a service of one's own. */
async function readKeyIds({ environment }: Io, { keys }: ListFlags) {
  const [{ findKeysFile, readKeysFile }, { listKeys }] = await Promise.all([
    import("../../config/keys-file.ts"),
    import("../../config/organizations.ts"),
  ]);
  const { file, isNamed } = findKeysFile({ keys }, environment);
  if (!isNamed && !existsSync(file)) return undefined;
  return { file, ids: new Set(listKeys(readKeysFile(file)).map(({ key }) => key)) };
}
