import { findInstalledClients } from "../../setup/installed-clients.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";

const MAX_CLIENTS = 3;

/**
 * Prints what to do after a login. Commands stand on lines of their own, so that no terminal breaks them.
 *
 * @param question A command that asks.
 * @param options The options that choose the profile, if it is not the default one.
 */
export async function printNext(io: Io, question: string, options: readonly string[]): Promise<void> {
  const installed = findInstalledClients(io.environment).slice(0, MAX_CLIENTS);
  const commands = installed.map(({ id, isWritable }) => [
    ...["analytics-mcp config", id, ...options],
    ...(isWritable ? ["--write"] : []),
  ]);
  await printNote(io, "Next:");
  await printNote(io, `  ${question}`);
  // Without an argument, it lists the clients that it knows.
  for (const words of commands.length > 0 ? commands : [["analytics-mcp config", ...options]]) {
    await printNote(io, `  ${words.join(" ")}`);
  }
}
