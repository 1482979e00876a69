/** What the name of a log file says, whether it is rotated or not. */
export interface LogName {
  /** The name of the log's current file. */
  log: string;
  /** The site that is in the name. */
  site: string | undefined;
}

/** @param name Without its folder, such as `example.com.access.log.2.gz`. */
export function readLogName(name: string): LogName {
  const log = name.replace(TIME, "").replace(ROTATED, "");
  const [, site] =
    /^((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})[._-](?:ssl[._-])?access[._-]?log$/i.exec(log) ?? [];
  return { log, site };
}

/** The end of a rotated file's name: `.1`, `.2.gz`, `-20261101.zst`. */
const ROTATED = /(?:[.-]\d{1,8})?(?:\.(?:gz|zst))?$/;

/** Caddy puts the time of the rotation into the middle of the name. */
const TIME = /-\d{4}-\d\d-\d\dT[\d-]{8}\.\d{3}(?=\.log)/;
