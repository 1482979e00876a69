import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { findCacheFolder } from "../../config/folders.ts";
import { readRegularFile } from "../../config/read-regular-file.ts";
import { replaceFile } from "../../config/replace-file.ts";
import { sites } from "../../operations/index.ts";
import { cleanText } from "../../render/clean-text.ts";
import type { ServiceSource, SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { openSourceQuietly } from "../source.ts";
import type { Candidate } from "./candidates.ts";

const FRESH_MS = 5 * 60_000;
/** Milliseconds. A person is waiting with a finger on the Tab key. */
const DEADLINE_MS = 1_000;
const MAX_DESCRIPTION_LENGTH = 60;
/**
 * Names that need no quoting in a shell. Other sites are not offered, so that nothing a service sends can become part of a
 * command.
 */
const PLAIN = /^[a-z0-9][a-z0-9._:-]{0,252}$/i;

const cachedSites = z.object({
  readAt: z.number(),
  sites: z.array(sites.result.shape.sites.element.pick({ id: true, domain: true, name: true })),
});
type CachedSites = z.output<typeof cachedSites>;
type KnownSite = CachedSites["sites"][number];

/**
 * Returns the domains of the sites, or their ids if no domain begins with what is typed. They come from the source or the
 * cache file. Throws what a call throws.
 */
export async function readSiteCandidates(io: Io, flags: SourceFlags, current: string): Promise<Candidate[]> {
  // Does not wait for a key on standard input or from a pipe.
  const { apiKeyFile, apiKeyStdin } = flags;
  if (apiKeyStdin || (apiKeyFile !== undefined && !statSync(apiKeyFile).isFile())) return [];
  const source = openSourceQuietly(io, flags, { deadline: DEADLINE_MS, attempts: 1 });
  const known = source.kind === "local" ? await listSites(source) : await listSitesOnce(io, source);
  const described = known.map(({ name, ...rest }) => ({
    ...rest,
    description: cleanText(name, MAX_DESCRIPTION_LENGTH),
  }));
  const domains = described.map(({ domain, description }) => ({ value: domain, description }));
  const ids = described.map(({ id, domain, description }) => ({
    value: id,
    description: description || domain,
  }));
  const plain = domains.filter(({ value }) => PLAIN.test(value));
  if (plain.some(({ value }) => value.startsWith(current))) return plain;
  return ids.filter(({ value }) => PLAIN.test(value));
}

const listSites = async ({ call }: Pick<ServiceSource, "call">): Promise<KnownSite[]> =>
  (await call(sites, {})).sites;

/** Asks the service unless the cache file is fresh: people press Tab several times. */
async function listSitesOnce(io: Io, source: ServiceSource): Promise<KnownSite[]> {
  const { baseUrl, apiKey } = await source.readAccess();
  const folder = findCacheFolder(io.environment);
  // The name shows neither the service nor the key.
  const name = createHash("sha256").update(`${baseUrl}\n${apiKey}`).digest("hex").slice(0, 32);
  const file = folder && join(folder, `sites-${name}.json`);
  const cached = file === undefined ? undefined : readCache(file);
  const age = io.clock() - (cached?.readAt ?? Number.NEGATIVE_INFINITY);
  if (cached && age >= 0 && age < FRESH_MS) return cached.sites;
  const found = await listSites(source);
  if (file !== undefined) writeCache(file, { readAt: io.clock(), sites: found });
  return found;
}

function readCache(file: string): CachedSites | undefined {
  try {
    return cachedSites.parse(JSON.parse(readRegularFile(file).toString()));
  } catch {
    return undefined;
  }
}

/** A cache that cannot be written does not fail the answer. */
function writeCache(file: string, { readAt, sites: listed }: CachedSites): void {
  const known = listed.map(({ id, domain, name }) => ({ id, domain, name }));
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Atomic, so that another shell never reads half a file.
    replaceFile(file, JSON.stringify({ readAt, sites: known }));
  } catch {}
}
