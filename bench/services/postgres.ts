import { chownSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { execFile } from "../../test/support/child-process.js";
import { findPort } from "../../test/support/processes.ts";

/** Ends something that was started for a run. */
export type Stop = () => Promise<unknown>;

/** The folder of PostgreSQL's programs, as Debian has it. */
export function findPostgres(): string | undefined {
  const root = "/usr/lib/postgresql";
  const version = existsSync(root) ? readdirSync(root).at(-1) : undefined;
  return version === undefined ? undefined : join(root, version, "bin");
}

export interface Database {
  url: string;
  port: string;
  psql(...args: string[]): Promise<unknown>;
}

/** Starts PostgreSQL with an empty database in the folder. */
export async function startPostgres(programs: string, folder: string, stops: Stop[]): Promise<Database> {
  // PostgreSQL refuses to run as root.
  const isRoot = process.getuid?.() === 0;
  const run = (name: string, ...args: string[]) => {
    const program = join(programs, name);
    return isRoot ? execFile("runuser", ["-u", "postgres", "--", program, ...args]) : execFile(program, args);
  };
  if (isRoot) chownSync(folder, Number((await execFile("id", ["-u", "postgres"])).stdout), -1);
  const data = join(folder, "data");
  await run("initdb", "-D", data, "-U", "service", "-A", "trust", "-E", "UTF8", "-N");
  const port = String(await findPort());
  const settings = { port, listen_addresses: "127.0.0.1", unix_socket_directories: folder, fsync: "off" };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const control = ["-D", data, "-w", "-l", join(folder, "log")];
  await run("pg_ctl", ...control, "-o", options.join(" "), "start");
  stops.push(() => run("pg_ctl", ...control, "-m", "immediate", "stop"));
  const psql = (...args: string[]) =>
    execFile(join(programs, "psql"), ["-h", folder, "-p", port, "-U", "service", "-qX", ...args, "postgres"]);
  return { port, url: `postgresql://service@127.0.0.1:${port}/postgres`, psql };
}

/** Until it succeeds. */
export async function retry(attempt: () => Promise<unknown>, attempts = 120): Promise<void> {
  for (let index = 1; ; index++) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (index === attempts) throw error;
      await wait(500);
    }
  }
}
