import type { ClientOptions } from "../client/client.ts";
import { AnalyticsError } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { localKinds } from "./index.ts";
import { createLocalCall } from "./local-call.ts";
import { createServiceSource, openKeyedService } from "./service.ts";
import type { KeyedSource, LocalKind, Source, SourceFlags, Surroundings } from "./source.ts";

/** The options on service and key, which no source in this process takes beside its own. */
const SERVICE_OPTIONS = ["--base-url", "--profile", "--api-key-file", "--api-key-stdin"];

/**
 * What flags, environment and profiles ask for: a source in this process, or a service. Nothing is read or opened
 * before the first call, so that a server without a key can start and list its tools. Throws AnalyticsError `usage`
 * where two sources are asked for.
 */
export function resolveSource(
  flags: SourceFlags,
  surroundings: Surroundings,
  limits?: ClientOptions["limits"],
): Source {
  const local = findLocalKind(flags);
  if (local === undefined) return createServiceSource(flags, surroundings, limits);
  refuseSecondSource(flags, local);
  return {
    ...{ kind: "local", local, about: local.about, options: [local.option.flag] },
    call: createLocalCall(() => local.open(surroundings), surroundings.clock),
  };
}

/** The same for a server whose users bring their own keys. */
export async function resolveKeyedSource(
  flags: SourceFlags,
  surroundings: Pick<Surroundings, "environment" | "clock">,
): Promise<KeyedSource> {
  const local = findLocalKind(flags);
  if (local === undefined) return openKeyedService(flags, surroundings);
  refuseSecondSource(flags, local);
  return openKeyedLocal(local, surroundings);
}

/** The source in this process that the command line names, whatever else it names. */
export function findLocalKind(flags: SourceFlags): LocalKind | undefined {
  return localKinds.find(({ option }) => isNamed(flags, option.flag));
}

/** Throws AnalyticsError `usage` where the command line names another source beside this one. */
export function refuseSecondSource(flags: SourceFlags, { option: { flag }, about }: LocalKind): void {
  const others = [...localKinds.map(({ option }) => option.flag), ...SERVICE_OPTIONS];
  const other = others.find((each) => each !== flag && isNamed(flags, each));
  if (other === undefined) return;
  throw new AnalyticsError("usage", `${flag} and ${other} cannot be used together.`, {
    hint: `${flag} answers from ${about.label} in this program; leave it out to ask your service.`,
  });
}

const isNamed = (flags: SourceFlags, flag: string) => flags[nameAttribute(flag)] !== undefined;

/** As commander names an option's value: `--base-url` is `baseUrl`. */
const nameAttribute = (flag: string) =>
  flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

async function openKeyedLocal(
  { option, about, openKeyring }: LocalKind,
  { clock }: Pick<Surroundings, "clock">,
): Promise<KeyedSource> {
  if (openKeyring === undefined) {
    throw new AnalyticsError("usage", `${option.flag} cannot be shared: nothing says whose key opens what.`);
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
