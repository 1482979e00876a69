import type { HttpCall, HttpClientOptions, Target } from "../client/http-client.ts";
import type { Fetch } from "../client/http-request.ts";
import { type Access, findNamedProfile, readAccess } from "../config/access.ts";
import { readGivenKey } from "../config/given-key.ts";
import { readProxies } from "../config/proxy-settings.ts";
import { readServiceUrl } from "../config/service-url.ts";
import type { Environment } from "../config/variables.ts";
import type { Call } from "../operations/call.ts";
import { once } from "../operations/schemas.ts";
import type { KeyedSource, ServiceSource, SourceContext, SourceFlags } from "./source-types.ts";

const ABOUT = { label: "the analytics service" };

/** A remote service, called over HTTP with the key from flags, environment or a profile. */
export function createServiceSource(
  flags: SourceFlags,
  context: SourceContext,
  limits?: HttpClientOptions["limits"],
): ServiceSource {
  const { environment, clock, warn } = context;
  let found: Access | undefined;
  // Read once, because stdin can only be read once. Read again after a failure, because a login may have followed.
  const readAccessOnce = async () => {
    if (found === undefined) {
      found = readAccess(flags, environment, await readGivenKey(flags, context.stdin));
      for (const warning of found.warnings) await warn(warning);
    }
    return found;
  };
  const readTarget = async () => openTarget(environment, await readAccessOnce());
  const profile = findNamedProfile(flags, environment);
  return {
    kind: "service",
    about: ABOUT,
    options: profile === undefined ? [] : ["--profile", profile],
    call: createCall({ readTarget, clock, limits: limits ?? {} }),
    readAccess: readAccessOnce,
  };
}

/** Loads the HTTP client at the first call: a server that lists its tools does not wait for it. */
function createCall(options: HttpClientOptions): Call {
  const open = once(async () => (await import("../client/http-client.ts")).createHttpClient(options).call);
  const call: Call = async (...asked) => (await open())(...asked);
  return Object.assign(call, {
    readSite: async () => (await open()).readSite(),
    offersSpans: async (...asked: Parameters<HttpCall["offersSpans"]>) =>
      (await open()).offersSpans(...asked),
    offersFilter: async (...asked: Parameters<HttpCall["offersFilter"]>) =>
      (await open()).offersFilter(...asked),
    offersHours: async (...asked: Parameters<HttpCall["offersHours"]>) =>
      (await open()).offersHours(...asked),
  });
}

/** A remote service for a server whose users bring their own keys. */
export async function openKeyedService(
  flags: SourceFlags,
  { environment, clock }: Pick<SourceContext, "environment" | "clock">,
): Promise<KeyedSource> {
  const baseUrl = readServiceUrl(flags, environment);
  return createKeyedService(new URL(baseUrl).origin, await reachService(environment, baseUrl), clock);
}

/** @param reach Makes the target for a key. */
export function createKeyedService(
  name: string,
  reach: (apiKey: string) => Target,
  clock: () => number,
): KeyedSource {
  return {
    name,
    about: ABOUT,
    open: (apiKey, { limits = {}, wrapFetch = (fetch: Fetch) => fetch } = {}) => {
      const { fetch, ...target } = reach(apiKey);
      return createCall({ readTarget: () => ({ ...target, fetch: wrapFetch(fetch) }), clock, limits });
    },
  };
}

/** The target for a service and key, with where the key was found. */
export async function openTarget(
  environment: Environment,
  { apiKey, baseUrl, site, sources }: Access,
): Promise<Target> {
  const target = (await reachService(environment, baseUrl))(apiKey);
  return { ...target, site, keySource: sources.apiKey };
}

/** Prepares a service for any number of keys, which share one pool of connections. */
export async function reachService(
  environment: Environment,
  baseUrl: string,
): Promise<(apiKey: string) => Target> {
  const proxies = readProxies(environment, baseUrl);
  const { createNetworkFetch } = await import("../client/network.ts");
  const fetch = createNetworkFetch(proxies);
  return (apiKey) => ({ baseUrl, apiKey, fetch, proxies: Object.values(proxies) });
}
