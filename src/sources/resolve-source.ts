import type { HttpClientOptions } from "../client/http-client.ts";
import { AnalyticsError } from "../errors.ts";
import { createLocalCall } from "./local-call.ts";
import { findDefaultSite, findLocal } from "./local-choice.ts";
import { createServiceSource } from "./service-source.ts";
import type { Source, SourceContext, SourceFlags } from "./source-types.ts";

/**
 * Resolves flags, environment and profiles to a local source or a service. Nothing is read or opened before the first
 * call, so that a server without a key can start and list its tools. Throws AnalyticsError `usage` if two
 * sources were chosen.
 */
export function resolveSource(
  flags: SourceFlags,
  context: SourceContext,
  limits?: HttpClientOptions["limits"],
): Source {
  const local = findLocal(flags, context.environment);
  if (local === undefined) return createServiceSource(flags, context, limits);
  const { kind, options } = local;
  const { clock, environment, warn } = context;
  return {
    kind: "local",
    local,
    about: kind.about,
    options,
    call: createLocalCall(
      () => {
        const openStdin = () => openPipe(context.stdin);
        return kind.open({ clock, environment, warn, flags: local.flags, openStdin });
      },
      clock,
      { label: kind.about.label, site: findDefaultSite(local, environment).site },
    ),
  };
}

/** Returns standard input. Throws AnalyticsError `usage` if it is a terminal: nothing is piped into the program. */
export function openPipe(stdin: SourceContext["stdin"]): SourceContext["stdin"] {
  if (!stdin.isTTY) return stdin;
  throw new AnalyticsError(
    "usage",
    "The path - means standard input, but nothing is piped into the program.",
    {
      hint: "Pipe a log into it: zcat access.log.*.gz | analytics-mcp stats --logs - --site example.com",
    },
  );
}
