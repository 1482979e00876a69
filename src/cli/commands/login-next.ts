import { DEFAULT_PROFILE } from "../../config/profiles.ts";
import { formatCommand } from "../../operations/shell-command.ts";
import { findInstalledClients } from "../../setup/installed-clients.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";

/** Saves a profile and says so, once all questions are answered. */
export type Save = () => Promise<void>;

const MAX_CLIENTS = 3;

/**
 * Prints what to do after a login. Commands stand on lines of their own, so that no terminal breaks them.
 *
 * @param params Of the first question, if it must name a site.
 */
export async function printNext(io: Io, profile: string, params: { site?: string }): Promise<void> {
  const { ANALYTICS_API_KEY, ANALYTICS_PROFILE } = io.environment;
  // These would choose another key.
  const isNamed = profile !== DEFAULT_PROFILE || ANALYTICS_API_KEY || ANALYTICS_PROFILE;
  const options = isNamed ? ["--profile", profile] : [];
  const installed = findInstalledClients(io.environment).slice(0, MAX_CLIENTS);
  const commands = installed.map(({ id, isWritable }) => [
    ...["analytics-mcp config", id, ...options],
    ...(isWritable ? ["--write"] : []),
  ]);
  await printNote(io, "Next:");
  await printNote(io, `  ${formatCommand({ name: "overview" }, params, options)}`);
  // Without an argument, it lists the clients that it knows.
  for (const words of commands.length > 0 ? commands : [["analytics-mcp config", ...options]]) {
    await printNote(io, `  ${words.join(" ")}`);
  }
}
