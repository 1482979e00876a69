import { existsSync } from "node:fs";
import { findKeysFile, readKeysFile } from "../config/keys-file.ts";
import { ALL, selectSites } from "../config/site-patterns.ts";
import { AnalyticsError } from "../errors.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import type { PartialSource } from "./data-source.ts";
import { openFileKeyring } from "./file-keyring.ts";
import { hideFaults } from "./hidden-faults.ts";
import { assertNotStdin } from "./local-choice.ts";
import { openLocalKeyring } from "./local-keyring.ts";
import { listNamedSites, listTexts, splitSite } from "./named-sites.ts";
import type {
  ListOwnSites,
  LocalContext,
  LocalKeyring,
  LocalKind,
  OpenView,
  SourceContext,
  SourceFlags,
} from "./source-types.ts";
import { describeStrange } from "./strange-sites.ts";
import { warnOfUnlisted } from "./unlisted-sites.ts";

export interface ServedContext extends LocalContext {
  /** Reports to the operator. */
  warn: SourceContext["warn"];
  /** Whether to create a key for this run if there is no keys file. Somebody must be there to read it. */
  mayMakeKey: boolean;
  /** Where the source was found, if an option did not choose it: `profile default`. */
  from?: string | undefined;
}

export interface ServedKeyring extends LocalKeyring {
  /** The keys file, if it is in use. */
  file?: string;
  /** Reads the data ahead of the first call. */
  prepare?: () => Promise<void>;
}

const EVERY_SITE = selectSites([ALL]);

/**
 * Opens the keyring of a source that a server offers to others. Throws AnalyticsError `usage` if there are no keys for
 * them, or the keys file cannot be used.
 */
export async function openServedKeyring(kind: LocalKind, context: ServedContext): Promise<ServedKeyring> {
  const { flag } = kind.option;
  assertNotStdin({ kind, flags: context.flags }, "A server");
  if (kind.openKeyring) {
    if (context.flags.keys !== undefined) throw createKeysOptionError(`${flag} has its own keys`);
    return kind.openKeyring(context);
  }
  if (kind.openViews === undefined) {
    throw new AnalyticsError("usage", `${flag} cannot be shared by several people: it has no keys for them.`);
  }
  const { file, isNamed } = findKeysFile(context.flags, context.environment);
  const isThere = isNamed || existsSync(file);
  if (!isThere && !context.mayMakeKey) throw createNoKeysError(flag, file, context);
  const openAll = await kind.openViews(context);
  const reportFault = limitReports(context.warn, context.clock);
  const openView: OpenView = (selection) => {
    const { patterns } = selection;
    const source = openAll(selection);
    const isAll = patterns.length === 0 || patterns.includes(ALL);
    return hideFaults(isAll ? source : { ...source, selected: patterns }, reportFault);
  };
  const every = openView(EVERY_SITE);
  const listOwn: ListOwnSites = async (selection) =>
    (await openView(selection).sites()).map(({ domain }) => domain);
  const prepare = async () => {
    try {
      const organizations = isThere ? readKeysFile(file) : [];
      if (isThere && organizations.every(({ keys }) => keys.length === 0))
        await context.warn(`${file} has no keys, so nobody can ask. ${adviseKey(nameSites(context.flags))}`);
      for (const warning of await describeStrange(organizations, listOwn)) await context.warn(warning);
      for (const lack of await describeLacks(every)) await context.warn(lack);
    } catch {
      // A fault of the data is reported already, and one of the keys file at the next call.
    }
  };
  if (!isThere) return { ...(await openLocalKeyring({ open: async () => every }, context)), prepare };
  return {
    find: openFileKeyring(file, { openView, clock: context.clock, report: context.warn }),
    publicKeys: [],
    file,
    prepare,
  };
}

/** What a service in words of its own cannot give by the contract, as its callers are told. */
async function describeLacks({ lacks, unlisted }: PartialSource): Promise<string[]> {
  if (lacks === undefined) return [];
  return [
    ...Object.entries(lacks).map(([name, reason]) => `/${name} is not offered: ${reason}.`),
    ...warnOfUnlisted((await unlisted?.()) ?? []).map(({ detail }) => detail),
  ];
}

/** Refuses `--keys` for a source that has no use for it. */
export function createKeysOptionError(reason: string): AnalyticsError {
  return new AnalyticsError("usage", `--keys is for --logs and --clickhouse: ${reason}.`, {
    hint: "Leave out --keys.",
  });
}

const REPORT_AGAIN_MS = 60_000;
const MAX_MESSAGES = 100;

/** Reports the same message once a minute, however many ask. */
function limitReports(report: SourceContext["warn"], clock: () => number) {
  const reported = new Map<string, number>();
  return (message: string) => {
    const now = clock();
    if (now - (reported.get(message) ?? Number.NEGATIVE_INFINITY) < REPORT_AGAIN_MS) return;
    if (reported.size >= MAX_MESSAGES) reported.clear();
    reported.set(message, now);
    void report(message);
  };
}

/** The sites that the command line names, as `keys add` takes them; those of an example if it names none. */
function nameSites({ site, logs }: SourceFlags): string {
  const named = [...listTexts(site), ...listNamedSites(logs)].map((text) => splitSite(text).site);
  const sites = named.filter((name) => name.includes("."));
  return sites.length > 0 ? [...new Set(sites)].join(",") : "acme.example,*.acme.example";
}

function createNoKeysError(
  flag: string,
  file: string,
  { flags, from = flag }: Pick<ServedContext, "flags" | "from">,
): AnalyticsError {
  const [origin, other] =
    from === flag ? ["", ""] : [` (from ${from})`, ". For made-up data instead, add --demo"];
  return new AnalyticsError(
    "usage",
    `${flag}${origin} needs keys for those who may ask, and ${file} does not exist.`,
    { hint: `${adviseKey(nameSites(flags))}${other}` },
  );
}

const adviseKey = (sites: string) =>
  `Create a key: analytics-mcp keys add acme --sites ${quoteForShell(sites)}`;
