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
/** Somebody waits with a finger on the key. */
const DEADLINE_MS = 1_000;
const MOST_DESCRIBED = 60;
/**
 * What shells take as it is, unquoted: a site whose name in the service is anything else is not offered, so that
 * nothing of the service's can become a part of a command.
 */
const PLAIN = /^[a-z0-9][a-z0-9._:-]{0,252}$/i;

const kept = z.object({
  readAt: z.number(),
  sites: z.array(sites.result.shape.sites.element.pick({ id: true, domain: true, name: true })),
});
type Kept = z.output<typeof kept>;
type KnownSite = Kept["sites"][number];

/** The domains and ids of the sites, from the service or from memory. Throws what a call throws. */
export async function readSiteCandidates(io: Io, flags: SourceFlags): Promise<Candidate[]> {
  // A key that is still to come, on standard input or through a pipe, is not waited for.
  const { apiKeyFile, apiKeyStdin } = flags;
  if (apiKeyStdin || (apiKeyFile !== undefined && !statSync(apiKeyFile).isFile())) return [];
  const source = openSourceQuietly(io, flags, { deadline: DEADLINE_MS, attempts: 1 });
  const known = source.kind === "local" ? await ask(source) : await askOnce(io, source);
  const described = known.map(({ name, ...rest }) => ({
    ...rest,
    description: cleanText(name, MOST_DESCRIBED),
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

/** Asks the service when it was not asked in the last minutes: a key is pressed several times. */
async function askOnce(io: Io, source: ServiceSource): Promise<KnownSite[]> {
  const file = nameFile(io.environment, await source.readAccess());
  const known = file === undefined ? undefined : await readKept(file);
  const age = io.clock() - (known?.readAt ?? Number.NEGATIVE_INFINITY);
  if (known && age >= 0 && age < FRESH_MS) return known.sites;
  const found = await ask(source);
  if (file !== undefined) keep(file, { readAt: io.clock(), sites: found });
  return found;
}

/** One file for each service and key, named so that neither is seen; undefined where there is no place for it. */
function nameFile(
  { XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Environment,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): string | undefined {
  // The XDG specification has paths that are not absolute ignored.
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

/** Not to be able to remember is no reason not to answer. */
function keep(file: string, { readAt, sites: listed }: Kept): void {
  const known = listed.map(({ id, domain, name }) => ({ id, domain, name }));
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // In one step, so that another shell never reads half of it.
    replaceFile(file, JSON.stringify({ readAt, sites: known }));
  } catch {}
}
