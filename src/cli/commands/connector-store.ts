import type { Command } from "commander";
import { readServeSettings, type ServeFlags, serveVariables } from "../../config/serve-settings.ts";
import { AnalyticsError } from "../../errors.ts";
import type { Sealing } from "../../oauth/store/sealing.ts";
import type { Store } from "../../oauth/store/store.ts";
import type { Cell, Column } from "../../operations/view.ts";
import { formatCount } from "../../render/plural.ts";
import type { Io } from "../io.ts";
import { createFormatOption, type OutputFlags } from "../output/output-format.ts";
import { printTable } from "../output/print-answer.ts";
import { printNote } from "../output/streams.ts";

export interface StoreFlags extends ServeFlags, OutputFlags {}

/** Adds the options that find the connector's store. */
export const addStoreOptions = (command: Command): Command =>
  command
    .option("--store <store>", `the connector's store: a file or redis://… (${serveVariables.store})`)
    .option("--secret-file <file>", `the connector's server secret (${serveVariables.secretFile})`)
    .addOption(createFormatOption())
    .option("--json", "print as JSON");

type ReadName = (clientId: string) => Promise<string | null>;

/** Opens the connector's store while the connector may be using it. */
export async function withStore<T>(
  io: Io,
  flags: StoreFlags,
  use: (store: Store, readName: ReadName, sealing: Sealing) => Promise<T>,
): Promise<T> {
  const { store: location, secretFile } = readServeSettings(flags, io.environment, false);
  if (location === "memory") {
    throw new AnalyticsError("usage", "A store in memory exists only in its own process.", {
      hint: "To manage sign-ins, run serve with a file or Redis as its store.",
    });
  }
  const [{ readSecret }, { openStore }, { createApplicationNames }, { createSealing }] = await Promise.all([
    import("../../serve/server-secret.ts"),
    import("../../oauth/store/open-store.ts"),
    import("../../oauth/application-facts.ts"),
    import("../../oauth/store/sealing.ts"),
  ]);
  const secret = await readSecret(secretFile);
  const report = (line: string) => void printNote(io, line);
  const store = await openStore(location, { clock: io.clock, secret, report });
  try {
    const readName = createApplicationNames(store, secret, report);
    return await use(store, readName, createSealing(secret, report));
  } finally {
    await store.close();
  }
}

export const formatTime = (time: number | undefined) =>
  time === undefined ? null : new Date(time).toISOString().replace(/\.\d+Z$/, "Z");

/** @param list The list's key in JSON, and the word for one of its rows. */
export function printRows(
  io: Io,
  { key, noun }: { key: string; noun: string },
  columns: Column[],
  rows: Record<string, Cell>[],
  flags: StoreFlags,
  notes: string[] = [],
): Promise<void> {
  const count = `${formatCount(rows.length, noun)}, times in UTC.`;
  return printTable(io, flags, { [key]: rows }, { columns, rows, notes: [count, ...notes] });
}
