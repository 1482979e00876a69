import { readFileSync, statSync } from "node:fs";
import { maySendSecrets } from "../../config/base-url.ts";
import { describeExposure, isReadableByOthers } from "../../config/file-permissions.ts";
import { explainSystemError } from "../../config/system-error.ts";
import { type Environment, readVariable } from "../../config/variables.ts";
import { AnalyticsError, quotePath } from "../../errors.ts";
import type { LocalContext } from "../source-types.ts";
import { readSchema } from "./schemas.ts";

/** Where the table is, and the user that reads it. */
export interface ClickHouseSettings {
  /** Without user, database and query. */
  url: string;
  user: string;
  password: string;
  database: string;
  table: string;
}

const EXAMPLE = "Such as https://reader@clickhouse.example.com:8443/web";
const DEFAULT_TABLE = "hits";
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Reads the settings from a command line's options. Throws AnalyticsError `usage`. */
export function readClickHouseSettings({
  flags,
  environment,
  warn = () => {},
}: Pick<LocalContext, "environment" | "flags" | "warn">): ClickHouseSettings {
  const url = readUrl(String(flags.clickhouse));
  const [, inUrl = "", rest = ""] = /^\/([^/]*)(.*)$/.exec(url.pathname) ?? [];
  if (rest !== "") throw createUrlError("must end with the name of the database");
  const table = String(flags.table ?? readSchema(flags.schema)?.table ?? DEFAULT_TABLE);
  const [first = "", second] = table.split(".", 2);
  const [database, name] = second === undefined ? [inUrl || "default", first] : [first, second];
  if (!NAME.test(database) || !NAME.test(name) || table.split(".").length > 2) {
    throw new AnalyticsError(
      "usage",
      "The name of a table, and that of its database, may only have letters, digits and _.",
      { hint: "Such as --table hits, or --table web.hits" },
    );
  }
  const password = readPassword(flags.clickhousePasswordFile, environment, warn);
  if (password !== "" && !maySendSecrets(url, environment)) {
    throw createUrlError(
      `would send the password over plain http to ${url.hostname}, and anyone on the network could read it`,
      `Use https, or allow this host: ANALYTICS_ALLOW_HTTP=${url.hostname}`,
    );
  }
  return {
    url: url.origin,
    user: readUser(url.username) || "default",
    database,
    table: name,
    password,
  };
}

function readUrl(text: string): URL {
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    throw createUrlError("must start with https:// or http://");
  const url = new URL(text);
  if (url.password !== "") {
    // Other users of the machine can see a process's arguments.
    throw createUrlError(
      "must not hold a password",
      "Set ANALYTICS_CLICKHOUSE_PASSWORD, or name a file with --clickhouse-password-file.",
    );
  }
  if (url.search !== "" || url.hash !== "") throw createUrlError("must end with the name of the database");
  return url;
}

function readUser(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw createUrlError(
      "has a % in its user that begins no escape",
      "Write %25 for a % in the user's name.",
    );
  }
}

function readPassword(
  file: unknown,
  environment: Environment,
  warn: NonNullable<LocalContext["warn"]>,
): string {
  if (file === undefined) return readVariable(environment, "ANALYTICS_CLICKHOUSE_PASSWORD") ?? "";
  try {
    const password = readFileSync(String(file), "utf8").replace(/\r?\n$/, "");
    // A shell's <(command) is a pipe, which other users cannot open.
    if (statSync(String(file)).isFile() && isReadableByOthers(String(file)))
      void warn(describeExposure(String(file)));
    return password;
  } catch (cause) {
    throw new AnalyticsError(
      "usage",
      `--clickhouse-password-file ${quotePath(String(file))} cannot be read: ${explainSystemError(cause)}.`,
      { cause },
    );
  }
}

const createUrlError = (reason: string, hint = EXAMPLE) =>
  new AnalyticsError("usage", `--clickhouse ${reason}.`, { hint });
