import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AnalyticsError, quotePath } from "../errors.ts";
import type { ServiceName } from "./services.ts";
import { explainSystemError } from "./system-error.ts";
import { assertExpanded, type Environment, readVariable } from "./variables.ts";

/** A person's own mapping of a service's fields, not parsed yet: most commands never need it. */
export interface GivenMapping {
  /** JSON. */
  text: string;
  /** How errors name it: the file, or the profile. */
  name: string;
  /** The file, from the root of the disk; absent if it is in a profile. */
  file?: string;
}

/** A mapping as a profile keeps it. */
export type SavedMapping = Readonly<Record<string, unknown>>;

export const MAPPING_VARIABLE = "ANALYTICS_MAPPING";
const MAX_BYTES = 100_000;

/**
 * The mapping to use: of `--mapping`, else of the environment, else of a profile. Like everything else in it, that of a profile
 * named on the command line comes before the environment's. Throws AnalyticsError `usage`.
 */
export function findMapping(
  { mapping }: { mapping?: string | undefined },
  environment: Environment,
  { service, saved, isNamed }: MappingPlace,
): GivenMapping | undefined {
  const ofFlag = mapping === undefined ? undefined : { path: mapping, source: "--mapping" };
  // A profile that is named is not for the service that the environment is about.
  const isOther = isNamed && (service !== undefined || saved !== undefined);
  const given = ofFlag ?? (isOther ? undefined : findVariable(environment));
  if (given !== undefined && service !== undefined) {
    throw new AnalyticsError("usage", `${given.source} has no use for ${service}, whose API is known.`, {
      hint: `Leave out ${given.source}: a mapping is for a service that only describes itself.`,
    });
  }
  return given === undefined ? saved : readMappingFile(given.path, given.source);
}

export interface MappingPlace {
  service: ServiceName | undefined;
  saved?: GivenMapping | undefined;
  /** Whether the command line names the profile. */
  isNamed?: boolean;
}

/** A profile's mapping, with the name that errors give it. */
export const nameSavedMapping = (name: string, mapping: SavedMapping | undefined): GivenMapping | undefined =>
  mapping && { text: JSON.stringify(mapping, null, 2), name: `the mapping of the profile ${name}` };

function findVariable(environment: Environment) {
  assertExpanded(environment, MAPPING_VARIABLE, "usage");
  const path = readVariable(environment, MAPPING_VARIABLE);
  return path === undefined ? undefined : { path, source: MAPPING_VARIABLE };
}

function readMappingFile(path: string, source: string): GivenMapping {
  const file = resolve(path);
  const createError = (reason: string, hint: string, cause?: unknown) =>
    new AnalyticsError("usage", `${source} ${quotePath(path)} cannot be read: ${reason}.`, { hint, cause });
  try {
    const status = statSync(file);
    // A pipe or a device could be read without end.
    if (path === "" || !status.isFile()) throw createError("it is no file", "Name a file of JSON.");
    if (status.size > MAX_BYTES)
      throw createError(`it has more than ${MAX_BYTES / 1_000} kB`, "A mapping is usually a line or two.");
    return { text: readFileSync(file, "utf8"), name: path, file };
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause;
    const hint = path.startsWith("~")
      ? "Write the full path: only a shell expands ~."
      : "Check the path; analytics-mcp mapping prints what such a file can hold.";
    throw createError(explainSystemError(cause), hint, cause);
  }
}
