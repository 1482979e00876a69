import type { HttpClientOptions } from "../client/http-client.ts";
import { resolveSource } from "../sources/resolve-source.ts";
import type { Source, SourceFlags } from "../sources/source-types.ts";
import type { Io } from "./io.ts";
import { printNote } from "./output/streams.ts";

/** What the command line asks for (`resolveSource`); its warnings are printed as notes. */
export function openSource(io: Io, flags: SourceFlags): Source {
  return open(io, flags, (text) => printNote(io, `warning: ${text}`));
}

/** The same where nobody reads notes, as in the middle of a word that a shell completes. */
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
  const surroundings = {
    ...{ environment, clock, warn },
    // Opened where it is read.
    get stdin() {
      return io.stdin;
    },
  };
  return resolveSource(flags, surroundings, limits);
}
