import type { HttpClientOptions } from "../client/http-client.ts";
import { readVariable } from "../config/variables.ts";
import { findLocal } from "../sources/local-choice.ts";
import { listNamedSites } from "../sources/named-sites.ts";
import { resolveSource } from "../sources/resolve-source.ts";
import type { Source, SourceContext, SourceFlags } from "../sources/source-types.ts";
import type { Io } from "./io.ts";
import { printNote } from "./output/streams.ts";

/** Resolves the source that the command line asks for, and prints warnings as notes. */
export const openSource = (io: Io, flags: SourceFlags, explain?: SourceContext["explain"]): Source =>
  open(io, flags, { warn: (text) => printNote(io, `warning: ${text}`), explain });

/**
 * The same for a query. A log that does not name its site is taken for the site of the query, unless a profile or a variable
 * says whose it is: a mistyped site must not get another one's numbers.
 */
export function openQuerySource(io: Io, flags: SourceFlags, { site }: Record<string, unknown>): Source {
  if (site === undefined) return openSource(io, flags);
  if (isSaid(io, flags, String(site))) return openSource(io, { ...flags, site: undefined });
  return openSource(io, { ...flags, site: [...listNamedSites(flags.site), String(site)] });
}

/** Whether it is said elsewhere which site the files are about. */
function isSaid({ environment }: Io, flags: SourceFlags, asked: string): boolean {
  const local = findLocal({ ...flags, site: undefined }, environment);
  if (!local?.kind.readsFiles) return false;
  const isOfCommand = local.from.startsWith("--");
  if (isOfCommand && flags.site !== undefined) return false;
  if (local.flags.site !== undefined || readVariable(environment, "ANALYTICS_SITE") !== undefined)
    return true;
  // A word without an option can be meant for something else, such as `yesterday`.
  return flags.site === undefined && !isHost(asked);
}

const isHost = (word: string) => /[.:]/.test(word) || word === "localhost" || word.startsWith("site_");

/** The same without warnings, for completion: they would appear in the middle of what a person is typing. */
export function openSourceQuietly(io: Io, flags: SourceFlags, limits?: HttpClientOptions["limits"]): Source {
  return open(io, flags, { warn: () => {} }, limits);
}

/** The site of a question that names none, if one is set. */
export const readDefaultSite = async (io: Io, flags: SourceFlags): Promise<string | undefined> =>
  openSourceQuietly(io, flags).call.readSite?.();

function open(
  io: Io,
  flags: SourceFlags,
  { warn, explain }: Pick<SourceContext, "warn" | "explain">,
  limits?: HttpClientOptions["limits"],
): Source {
  const { environment, clock } = io;
  const context = {
    environment,
    clock,
    warn,
    explain,
    // Opening it has effects, so it is opened only when it is read.
    get stdin() {
      return io.stdin;
    },
  };
  return resolveSource(flags, context, limits);
}
