import type { HttpClientOptions } from "../client/http-client.ts";
import { AnalyticsError } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { createLocalCall } from "./local-call.ts";
import { findLocal } from "./local-choice.ts";
import { createServiceSource, openKeyedService } from "./service-source.ts";
import type { KeyedSource, LocalChoice, Source, SourceContext, SourceFlags } from "./source-types.ts";

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
    ...{ kind: "local", local, about: kind.about, options },
    call: createLocalCall(
      () => kind.open({ clock, environment, warn, flags: local.flags }),
      clock,
      kind.site,
    ),
  };
}

/** Resolves the source of a server whose users bring their own keys. */
export async function resolveKeyedSource(
  flags: SourceFlags,
  context: Pick<SourceContext, "environment" | "clock">,
): Promise<KeyedSource> {
  const local = findLocal(flags, context.environment);
  return local === undefined ? openKeyedService(flags, context) : openKeyedLocal(local, context);
}

async function openKeyedLocal(
  { kind: { option, about, openKeyring }, flags }: LocalChoice,
  { clock, environment }: Pick<SourceContext, "clock" | "environment">,
): Promise<KeyedSource> {
  if (openKeyring === undefined) {
    throw new AnalyticsError(
      "usage",
      `${option.flag} cannot be shared by several people: it has no keys for them.`,
    );
  }
  const { find, publicKeys } = await openKeyring({ clock, environment, flags });
  return {
    ...{ name: about.label, about, publicKey: publicKeys[0] },
    open: (apiKey): Call => {
      const holder = find(apiKey);
      return createLocalCall(async () => holder?.source ?? Promise.reject(refuseKey()), clock);
    },
  };
}

const refuseKey = () =>
  new AnalyticsError("invalid_api_key", "The API key is not valid: it is mistyped, or it was revoked.", {
    status: 401,
  });
