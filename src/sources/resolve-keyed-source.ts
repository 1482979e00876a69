import { AnalyticsError } from "../errors.ts";
import { createCall } from "./local-call.ts";
import { findLocal, listAllWords } from "./local-choice.ts";
import { createKeysOptionError, openServedKeyring } from "./served-keyring.ts";
import { openKeyedService } from "./service-source.ts";
import type { KeyedSource, LocalChoice, SourceContext, SourceFlags } from "./source-types.ts";

/** What opening the source of a server needs. Warnings are for its operator. */
type KeyedContext = Pick<SourceContext, "environment" | "clock" | "warn">;

/** Resolves the source of a server whose users bring their own keys. */
export async function resolveKeyedSource(flags: SourceFlags, context: KeyedContext): Promise<KeyedSource> {
  const local = findLocal(flags, context.environment);
  if (local !== undefined) return openKeyedLocal(local, context);
  if (flags.keys !== undefined) throw createKeysOptionError("a service has its own keys");
  return openKeyedService(flags, context);
}

async function openKeyedLocal(
  choice: LocalChoice,
  { clock, environment, warn }: KeyedContext,
): Promise<KeyedSource> {
  const { kind, flags, from } = choice;
  const { find, publicKeys, prepare } = await openServedKeyring(kind, {
    clock,
    environment,
    flags,
    from,
    warn,
    mayMakeKey: false,
  });
  const about = { ...kind.about, ...(kind.reads && { reads: kind.reads(flags) }) };
  return {
    name: about.label,
    about,
    options: [...listAllWords(choice), ...(typeof flags.keys === "string" ? ["--keys", flags.keys] : [])],
    publicKey: publicKeys[0],
    ...(prepare && { prepare }),
    accepts: (apiKey) => find(apiKey) !== undefined,
    identify: (apiKey) => {
      const holder = find(apiKey);
      return holder?.organization === undefined
        ? undefined
        : { organization: holder.organization, key: holder.keyId };
    },
    // Looked up at each call: a key may be removed meanwhile.
    open: (apiKey) =>
      createCall(() => find(apiKey)?.source ?? Promise.reject(createInvalidKeyError()), clock, {
        label: about.label,
      }),
  };
}

const createInvalidKeyError = () =>
  new AnalyticsError("invalid_api_key", "The API key is not valid: it is mistyped, or it was revoked.", {
    status: 401,
  });
