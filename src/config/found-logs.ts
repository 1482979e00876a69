import { accessSync, constants, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readErrorCode } from "../errors.ts";
import { readLogName } from "./log-names.ts";

/** Access logs of a web server on this machine, where its package writes them. */
export interface FoundLogs {
  /** `nginx`. */
  server: string;
  /** What `--logs` takes: globs with the rotated files, each after the site that its name has, as in `example.com=…`. */
  patterns: readonly string[];
  isReadable: boolean;
  /** Set if nobody wrote to any of them. */
  isEmpty?: true;
  /** The group that may read them, if this user may not. */
  group?: string | undefined;
}

/** Where the packages of Debian, Fedora, Homebrew and Windows write them; the programs' documentation says so. */
const PLACES: Partial<Record<NodeJS.Platform, readonly (readonly [server: string, folder: string])[]>> = {
  linux: [
    ["nginx", "/var/log/nginx"],
    ["Apache", "/var/log/apache2"],
    ["Apache", "/var/log/httpd"],
    ["Caddy", "/var/log/caddy"],
    ["lighttpd", "/var/log/lighttpd"],
  ],
  darwin: [
    ["nginx", "/opt/homebrew/var/log/nginx"],
    ["nginx", "/usr/local/var/log/nginx"],
    ["Apache", "/var/log/apache2"],
  ],
  win32: [["IIS", "C:\\inetpub\\logs\\LogFiles"]],
};

/**
 * Looks for access logs in the usual places.
 *
 * @param root A folder in place of the machine's own.
 */
export const findLogs = (platform: NodeJS.Platform, root = ""): FoundLogs[] =>
  (PLACES[platform] ?? []).flatMap(([server, place]) => {
    const folder = `${root}${place}`;
    try {
      // IIS has a folder for each site.
      if (platform === "win32")
        return readdirSync(folder).length === 0
          ? []
          : [{ server, patterns: [`${folder}\\*\\*.log`], isReadable: true }];
      const written = listLogs(folder, (size) => size > 0);
      const isEmpty = written.size === 0;
      const logs = isEmpty ? listLogs(folder, () => true) : written;
      const [first] = logs.values();
      if (first === undefined) return [];
      const patterns = [...logs.keys()].map(
        (name) => `${nameSite(name)}${folder}/${server === "Caddy" ? spread(name) : `${name}*`}`,
      );
      return [{ server, patterns, ...examine(`${folder}/${first}`), ...(isEmpty && { isEmpty }) }];
    } catch (error) {
      if (readErrorCode(error) !== "EACCES") return [];
      return [{ server, patterns: [`${folder}/*access*log*`], isReadable: false, group: findGroup(folder) }];
    }
  });

/** What `--logs` takes for the access logs of a folder that have lines. */
export function listWritten(folder: string): string[] {
  try {
    const logs = listLogs(folder, (size) => size > 0);
    return [...logs.keys()].map((name) => `${nameSite(name)}${folder}/${name}*`);
  } catch {
    return [];
  }
}

/** The names of access logs of some size, each with one of its files: itself, or a rotated one. */
function listLogs(folder: string, isMeant: (size: number) => boolean): Map<string, string> {
  const files = readdirSync(folder)
    .filter((name) => /^[\w.-]*access[\w.-]*$/i.test(name))
    .filter((name) => isMeant(statSync(`${folder}/${name}`, { throwIfNoEntry: false })?.size ?? 0));
  const named = files.map((name) => [readLogName(name).log, name] as const);
  return new Map(named.filter(([log]) => /log$/i.test(log)).sort());
}

const spread = (name: string) => name.replace(/\.log$/, "*.log*");

/** `example.com=` for `example.com.access.log`. */
function nameSite(name: string): string {
  const { site } = readLogName(name);
  return site === undefined ? "" : `${site}=`;
}

function examine(file: string): Pick<FoundLogs, "isReadable" | "group"> {
  try {
    accessSync(file, constants.R_OK);
    return { isReadable: true };
  } catch {
    return { isReadable: false, group: findReaders(file) };
  }
}

/** The name of the group that may read a file, or else its folder. */
export const findReaders = (file: string): string | undefined => findGroup(file) ?? findGroup(dirname(file));

/** Whether the group of a file may read it. */
const GROUP_READS = 0o040;

/** The name of the group that may read a file; undefined for root's own, which nobody should join. */
function findGroup(path: string): string | undefined {
  try {
    const { gid, mode } = statSync(path);
    if ((mode & GROUP_READS) === 0) return undefined;
    const line = readFileSync("/etc/group", "utf8")
      .split("\n")
      .find((text) => text.split(":")[2] === `${gid}`);
    return gid === 0 ? undefined : line?.split(":")[0];
  } catch {
    return undefined;
  }
}

const MAX_QUOTED = 3;

/** Some patterns as options. */
export function quoteLogs(patterns: readonly string[]): string {
  const more = patterns.length > MAX_QUOTED ? ` (and ${patterns.length - MAX_QUOTED} more)` : "";
  const shown = patterns.slice(0, MAX_QUOTED).map((pattern) => `--logs '${pattern}'`);
  return `${shown.join(" ")}${more}`;
}

/** What to do with logs that were found: a command to paste. Undefined if there are none. */
export function proposeLogs(found: readonly FoundLogs[]): string | undefined {
  const readable = found.find(({ isReadable, isEmpty }) => isReadable && !isEmpty);
  if (readable !== undefined) {
    const command = readable.patterns.length === 1 ? "overview" : "sites";
    return `Or ask the logs of ${readable.server} on this machine: analytics-mcp ${command} ${quoteLogs(readable.patterns)}`;
  }
  const closed = found.find(({ isEmpty }) => !isEmpty);
  if (closed === undefined) return undefined;
  return `Or ask the logs of ${closed.server} on this machine, ${closed.patterns.join(" ")}, which this user cannot read: ${adviseOnGroup(closed)}.`;
}

/** What a person does who may not read logs. */
export const adviseOnGroup = ({ group }: Pick<FoundLogs, "group">): string =>
  group === undefined
    ? "run as a user who may"
    : `join the group that may: sudo usermod -aG ${group} "$USER", and log in again`;
