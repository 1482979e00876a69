import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { readErrorCode } from "../errors.ts";

/** Access logs of a web server on this machine, where its package writes them. */
export interface FoundLogs {
  /** `nginx`. */
  server: string;
  /** A glob, with the rotated files. */
  pattern: string;
  isReadable: boolean;
  /** The group that may read them, if this user may not. */
  group?: string | undefined;
}

/** Where the packages of Debian, Fedora, Homebrew and Windows write them; the programs' documentation says so. */
const PLACES: Partial<Record<NodeJS.Platform, readonly (readonly [server: string, file: string])[]>> = {
  linux: [
    ["nginx", "/var/log/nginx/access.log"],
    ["Apache", "/var/log/apache2/access.log"],
    ["Apache", "/var/log/httpd/access_log"],
    ["Caddy", "/var/log/caddy/access.log"],
    ["lighttpd", "/var/log/lighttpd/access.log"],
  ],
  darwin: [
    ["nginx", "/opt/homebrew/var/log/nginx/access.log"],
    ["nginx", "/usr/local/var/log/nginx/access.log"],
    ["Apache", "/var/log/apache2/access_log"],
  ],
  win32: [["IIS", "C:\\inetpub\\logs\\LogFiles"]],
};

/**
 * Looks for access logs in the usual places.
 *
 * @param root A folder in place of the machine's own.
 */
export const findLogs = (platform: NodeJS.Platform, root = ""): FoundLogs[] =>
  (PLACES[platform] ?? []).flatMap(([server, file]) => {
    const found = examine(`${root}${file}`);
    const pattern = platform === "win32" ? `${file}\\*\\*.log` : `${root}${file}*`;
    return found === undefined ? [] : [{ server, pattern, ...found }];
  });

function examine(file: string): Pick<FoundLogs, "isReadable" | "group"> | undefined {
  try {
    if (statSync(file).size === 0) return undefined;
    accessSync(file, constants.R_OK);
    return { isReadable: true };
  } catch (error) {
    if (readErrorCode(error) !== "EACCES") return undefined;
    return { isReadable: false, group: findGroup(file) ?? findGroup(dirname(file)) };
  }
}

/** The name of the group that owns a file; undefined for root's own, which nobody should join. */
function findGroup(path: string): string | undefined {
  try {
    const { gid } = statSync(path);
    const line = readFileSync("/etc/group", "utf8")
      .split("\n")
      .find((text) => text.split(":")[2] === `${gid}`);
    return gid === 0 ? undefined : line?.split(":")[0];
  } catch {
    return undefined;
  }
}

/** What to do with logs that were found: a command to paste. Undefined if there are none. */
export function proposeLogs(found: readonly FoundLogs[]): string | undefined {
  const readable = found.find(({ isReadable }) => isReadable);
  if (readable !== undefined) {
    return `Or ask the logs of ${readable.server} on this machine: analytics-mcp overview --logs '${readable.pattern}' --site example.com (with the name of your site).`;
  }
  const [closed] = found;
  if (closed === undefined) return undefined;
  const { server, pattern, group } = closed;
  const advice =
    group === undefined
      ? "run as a user who may"
      : `join their group: sudo usermod -aG ${group} "$USER", and log in again`;
  return `Or ask the logs of ${server} on this machine, ${pattern}, which this user cannot read: ${advice}.`;
}
