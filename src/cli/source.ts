import type { HttpClientOptions } from "../client/http-client.ts";
import { listNamedSites } from "../sources/named-sites.ts";
import { resolveSource } from "../sources/resolve-source.ts";
import type { Source, SourceFlags } from "../sources/source-types.ts";
import type { Io } from "./io.ts";
import { printNote } from "./output/streams.ts";

/** Resolves the source that the command line asks for, and prints warnings as notes. */
export function openSource(io: Io, flags: SourceFlags): Source {
  return open(io, flags, (text) => printNote(io, `warning: ${text}`));
}

/** The same for a query. A log that does not name its site is taken for the site of the query. */
export function openQuerySource(io: Io, flags: SourceFlags, { site }: Record<string, unknown>): Source {
  return openSource(
    io,
    site === undefined ? flags : { ...flags, site: [...listNamedSites(flags.site), String(site)] },
  );
}

/** The same without warnings, for completion: they would appear in the middle of what a person is typing. */
export function openSourceQuietly(io: Io, flags: SourceFlags, limits: HttpClientOptions["limits"]): Source {
  return open(io, flags, () => {}, limits);
}

function open(
  io: Io,
  flags: SourceFlags,
  warn: (text: string) => void | Promise<void>,
  limits?: HttpClientOptions["limits"],
): Source {
  const { environment, clock } = io;
  const context = {
    environment,
    clock,
    warn,
    // Opening it has effects, so it is opened only when it is read.
    get stdin() {
      return io.stdin;
    },
  };
  return resolveSource(flags, context, limits);
}
