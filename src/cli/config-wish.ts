import { homedir, platform } from "node:os";
import { type Flags, isLoopback, readAccess, readServiceUrl } from "../config/config.ts";
import { AnalyticsError } from "../errors.ts";
import { BASE_PATH } from "../operations/index.ts";
import type { Client } from "../setup/client.ts";
import { type Machine, type Platform, readPlatform } from "../setup/machine.ts";
import type { Wish } from "../setup/wish.ts";
import type { Io } from "./io.ts";

/** What `analytics-mcp config` takes. */
export interface ConfigFlags extends Flags {
  remote?: string;
  name: string;
  platform?: Platform;
  json?: boolean;
  write?: boolean;
  dryRun?: boolean;
  force?: boolean;
  withKey?: boolean;
  file?: string;
}

export function readMachine({ environment }: Io, flags: ConfigFlags): Machine {
  const here = readPlatform(platform());
  const home = (here === "windows" ? environment.USERPROFILE : environment.HOME) || homedir();
  const wanted = flags.platform ?? here;
  return { platform: wanted, isHere: wanted === here, home, environment };
}

/** Throws AnalyticsError `usage` for what no client can be told, and as the configuration does for key and address. */
export function readWish(io: Io, client: Client, flags: ConfigFlags, machine: Machine): Wish {
  const { name } = flags;
  if (!/^[A-Za-z][\w-]{0,63}$/.test(name)) {
    throw refuse("--name is a letter and then letters, digits, - and _", "Such as: --name analytics");
  }
  return { name, platform: machine.platform, server: readServer(io, client, flags) };
}

function readServer({ environment }: Io, client: Client, flags: ConfigFlags): Wish["server"] {
  if (flags.remote !== undefined) {
    if (flags.demo || flags.withKey) {
      throw refuse(
        "--remote goes with neither --demo nor --with-key",
        "Keys are given to the connector's page.",
      );
    }
    return { kind: "remote", url: readRemote(flags.remote) };
  }
  const local = { kind: "local", demo: flags.demo === true } as const;
  if (flags.demo) return { ...local, baseUrl: undefined, allowHttp: undefined, apiKey: undefined };
  if (flags.withKey && client.keyFrom !== undefined) {
    throw refuse(
      `--with-key is for clients that cannot get at the key otherwise; ${client.title} takes it from ${client.keyFrom}`,
      "Leave it out.",
    );
  }
  const apiKey = flags.withKey ? readAccess(flags, environment).apiKey : undefined;
  const isKnown = (flags.baseUrl ?? environment.ANALYTICS_BASE_URL?.trim() ?? "") !== "";
  const url = isKnown ? readServiceUrl(flags, environment) : undefined;
  const isPlain = url?.startsWith("http:") && !isLoopback(new URL(url).hostname);
  return {
    ...local,
    baseUrl: url?.slice(0, -BASE_PATH.length),
    allowHttp: isPlain ? environment.ANALYTICS_ALLOW_HTTP : undefined,
    apiKey,
  };
}

/** The connector's endpoint. It has no query, and nothing in its path that a shell would read. */
function readRemote(text: string): string {
  const hint = "It looks like https://mcp.example.com/mcp.";
  if (!URL.canParse(text)) throw refuse("--remote is no address", hint);
  const { protocol, hostname, username, password, search, hash, pathname, href } = new URL(text);
  if (protocol !== "https:" && !(protocol === "http:" && isLoopback(hostname))) {
    throw refuse("--remote starts with https://, since sign-ins go there", hint);
  }
  if (`${username}${password}${search}${hash}` !== "") {
    throw refuse("--remote has no user, query or fragment", hint);
  }
  if (pathname === "/") throw refuse("--remote names the endpoint, not the site alone", hint);
  if (!/^[\w./~-]+$/.test(pathname))
    throw refuse("--remote has signs in its path that no connector has", hint);
  return href;
}

export function refuse(reason: string, hint: string): AnalyticsError {
  return new AnalyticsError("usage", `${reason}.`, { hint });
}
