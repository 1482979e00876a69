import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Environment } from "../config/variables.ts";
import { clients } from "./clients/index.ts";
import { type Machine, readMachine } from "./machine.ts";
import type { McpClient } from "./mcp-client.ts";
import { findFile } from "./setup-instructions.ts";

/** An MCP client of this machine. */
export interface InstalledClient {
  id: string;
  /** Whether `config --write` adds an entry for all of the user's projects. */
  isWritable: boolean;
}

/** The MCP clients that have left their settings in the home folder; none if this user has no home folder. */
export function findInstalledClients(environment: Environment): InstalledClient[] {
  try {
    const machine = readMachine(environment);
    return clients.flatMap((client) => {
      const { id, file, otherFiles = [], isWritable } = client;
      const isOwn = /^[~%]/.test(file?.[machine.platform] ?? "");
      const isThere =
        (isOwn && isInstalled(client, machine)) ||
        otherFiles.some((path) => path.startsWith("~") && existsSync(join(machine.home, path.slice(1))));
      return isThere ? [{ id, isWritable: isWritable && isOwn }] : [];
    });
  } catch {
    return [];
  }
}

/** A client's own folder shows that it was started once; of a file in the home folder, only the file itself does. */
function isInstalled(client: McpClient, machine: Machine): boolean {
  const file = findFile(client, machine);
  if (file === undefined) return false;
  const folder = dirname(file);
  return existsSync(resolve(folder) === resolve(machine.home) ? file : folder);
}
