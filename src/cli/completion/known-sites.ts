import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import * as z from "zod";
import { replaceFile } from "../../config/replace-file.ts";
import type { Environment } from "../../config/variables.ts";
import { sites } from "../../operations/index.ts";
import { cleanText } from "../../render/clean-text.ts";
import type { ServiceSource, SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { openSourceQuietly } from "../source.ts";
import type { Candidate } from "./candidates.ts";

const FRESH_MS = 5 * 60_000;
/** Milliseconds. A person is waiting with a finger on the Tab key. */
const DEADLINE_MS = 1_000;
const MAX_DESCRIBED = 60;
/**
 * Names that need no quoting in a shell. Other sites are not offered, so that nothing a service sends can become part of a
 * command.
 */
const PLAIN = /^[a-z0-9][a-z0-9._:-]{0,252}$/i;

const kept = z.object({
  readAt: z.number(),
  sites: z.array(sites.result.shape.sites.element.pick({ id: true, domain: true, name: true })),
});
type Kept = z.output<typeof kept>;
type KnownSite = Kept["sites"][number];

/** Returns the domains and ids of the sites, from the source or the cache file. Throws what a call throws. */
export async function readSiteCandidates(io: Io, flags: SourceFlags): Promise<Candidate[]> {
  // Does not wait for a key on standard input or from a pipe.
  const { apiKeyFile, apiKeyStdin } = flags;
  if (apiKeyStdin || (apiKeyFile !== undefined && !statSync(apiKeyFile).isFile())) return [];
  const source = openSourceQuietly(io, flags, { deadline: DEADLINE_MS, attempts: 1 });
  const known = source.kind === "local" ? await ask(source) : await askOnce(io, source);
  const described = known.map(({ name, ...rest }) => ({
    ...rest,
    description: cleanText(name, MAX_DESCRIBED),
  }));
  const all = [
    ...described.map(({ domain, description }) => ({ value: domain, description })),
    ...described.map(({ id, domain, description }) => ({ value: id, description: description || domain })),
  ];
  const seen = new Set<string>();
  return all.filter(({ value }) => PLAIN.test(value) && !seen.has(value) && seen.add(value));
}

const ask = async ({ call }: Pick<ServiceSource, "call">): Promise<KnownSite[]> =>
  (await call(sites, {})).sites;

/** Asks the service unless the cache file is fresh: people press Tab several times. */
async function askOnce(io: Io, source: ServiceSource): Promise<KnownSite[]> {
  const file = nameFile(io.environment, await source.readAccess());
  const known = file === undefined ? undefined : await readKept(file);
  const age = io.clock() - (known?.readAt ?? Number.NEGATIVE_INFINITY);
  if (known && age >= 0 && age < FRESH_MS) return known.sites;
  const found = await ask(source);
  if (file !== undefined) keep(file, { readAt: io.clock(), sites: found });
  return found;
}

/** The cache file of a service and key; its name shows neither. Undefined if there is no cache folder. */
function nameFile(
  { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Environment,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): string | undefined {
  // Relative paths are ignored (XDG Base Directory Specification).
  const folder = [XDG_CACHE_HOME, LOCALAPPDATA, HOME && join(HOME, ".cache")].find(
    (each) => each && isAbsolute(each),
  );
  const name = createHash("sha256").update(`${baseUrl}\n${apiKey}`).digest("hex").slice(0, 32);
  return folder && join(folder, "analytics-mcp", `sites-${name}.json`);
}

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    return kept.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

/** A cache that cannot be written does not fail the answer. */
function keep(file: string, { readAt, sites: listed }: Kept): void {
  const known = listed.map(({ id, domain, name }) => ({ id, domain, name }));
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Atomic, so that another shell never reads half a file.
    replaceFile(file, JSON.stringify({ readAt, sites: known }));
  } catch {}
}
