import type { HttpClientOptions } from "../client/http-client.ts";
import { AnalyticsError } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { createLocalCall } from "./local-call.ts";
import { localKinds } from "./local-kinds.ts";
import { createServiceSource, openKeyedService } from "./service-source.ts";
import type { KeyedSource, LocalKind, Source, SourceContext, SourceFlags } from "./source-types.ts";

/** The options for a service and its key, which exclude a local source. */
const SERVICE_OPTIONS = ["--base-url", "--profile", "--api-key-file", "--api-key-stdin"];

/**
 * Resolves flags, environment and profiles to a local source or a service. Nothing is read or opened before the first
 * call, so that a server without a key can start and list its tools. Throws AnalyticsError `usage` if the flags choose
 * two sources.
 */
export function resolveSource(
  flags: SourceFlags,
  context: SourceContext,
  limits?: HttpClientOptions["limits"],
): Source {
  const local = findLocalKind(flags);
  if (local === undefined) return createServiceSource(flags, context, limits);
  refuseSecondSource(flags, local);
  return {
    ...{ kind: "local", local, about: local.about, options: [local.option.flag] },
    call: createLocalCall(() => local.open(context), context.clock, local.site),
  };
}

/** Resolves the source of a server whose users bring their own keys. */
export async function resolveKeyedSource(
  flags: SourceFlags,
  context: Pick<SourceContext, "environment" | "clock">,
): Promise<KeyedSource> {
  const local = findLocalKind(flags);
  if (local === undefined) return openKeyedService(flags, context);
  refuseSecondSource(flags, local);
  return openKeyedLocal(local, context);
}

/** The kind of local source that the flags choose, whatever else they choose. */
export function findLocalKind(flags: SourceFlags): LocalKind | undefined {
  return localKinds.find(({ option }) => isNamed(flags, option.flag));
}

/** Throws AnalyticsError `usage` if the flags choose another source as well. */
export function refuseSecondSource(flags: SourceFlags, { option: { flag }, about }: LocalKind): void {
  const others = [...localKinds.map(({ option }) => option.flag), ...SERVICE_OPTIONS];
  const other = others.find((each) => each !== flag && isNamed(flags, each));
  if (other === undefined) return;
  throw new AnalyticsError("usage", `Use ${flag} or ${other}, not both.`, {
    hint: `${flag} answers from ${about.label} in this program. Leave it out to query your service.`,
  });
}

const isNamed = (flags: SourceFlags, flag: string) => flags[nameAttribute(flag)] !== undefined;

/** The attribute that commander gives an option: `baseUrl` for `--base-url`. */
const nameAttribute = (flag: string) =>
  flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

async function openKeyedLocal(
  { option, about, openKeyring }: LocalKind,
  { clock }: Pick<SourceContext, "clock">,
): Promise<KeyedSource> {
  if (openKeyring === undefined) {
    throw new AnalyticsError(
      "usage",
      `${option.flag} cannot be shared by several people: it has no keys for them.`,
    );
  }
  const { find, publicKeys } = await openKeyring({ clock });
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
