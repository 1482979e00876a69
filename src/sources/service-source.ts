import type { HttpClientOptions, Target } from "../client/http-client.ts";
import type { Fetch } from "../client/http-request.ts";
import {
  type Access,
  type AccessFlags,
  findNamedProfile,
  findService,
  readAccess,
} from "../config/access.ts";
import type { GivenMapping } from "../config/given-mapping.ts";
import type { ServiceName } from "../config/services.ts";
import type { Environment } from "../config/variables.ts";
import type { Call } from "../operations/call.ts";
import { once, onceDone } from "../operations/schemas.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import { CAPABILITIES, type DescribedCall } from "./described/capabilities.ts";
import { findGateway } from "./gateways/gateway-kinds.ts";
import { createLocalCall } from "./local-call.ts";
import type { About, KeyedSource, ServiceSource, SourceContext, SourceFlags } from "./source-types.ts";

const ABOUT: About = { label: "the analytics service" };

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
      const { readGivenKey } = await import("../config/given-key.ts");
      const given = await readGivenKey(flags, context.stdin, about.keyPlace);
      try {
        found = readAccess(flags, environment, given);
      } catch (error) {
        throw (await context.explain?.(error)) ?? error;
      }
      for (const warning of found.warnings) await warn(warning);
    }
    return found;
  };
  const readTarget = async () => openTarget(environment, await readAccessOnce());
  const profile = findNamedProfile(flags, environment);
  const service = findService(flags, environment);
  const about = describeService(service);
  return {
    kind: "service",
    about,
    options: listWords({ ...flags, profile }),
    call: createServiceCall(service, {
      readTarget,
      clock,
      limits: limits ?? {},
      environment,
      readMapping: async () => (await readAccessOnce()).mapping,
    }),
    readAccess: readAccessOnce,
  };
}

/** The options by which the service was given, for a command line to try next; a key on standard input is gone by then. */
function listWords({ profile, service, baseUrl, mapping, apiKeyFile }: AccessFlags): string[] {
  const given = Object.entries({
    "--profile": profile,
    "--service": service,
    "--base-url": baseUrl,
    "--mapping": mapping,
    "--api-key-file": apiKeyFile,
  });
  return given.flatMap(([option, value]) => (value === undefined ? [] : [option, value]));
}

export function describeService(service: ServiceName | undefined): About {
  if (service === undefined) return ABOUT;
  const { about, key } = findGateway(service);
  return { ...about, keyPlace: key.where };
}

export interface ServiceCallOptions extends HttpClientOptions {
  environment: Environment;
  /** The person's own mapping of a service that only describes itself. */
  readMapping?: (() => GivenMapping | undefined | Promise<GivenMapping | undefined>) | undefined;
  /** Forgets what was learned before about such a service. */
  learnsAnew?: boolean | undefined;
}

/** The calls of one key, to a service of the contract or to one with an API of its own. Opened at the first call. */
export function createServiceCall(service: ServiceName | undefined, options: ServiceCallOptions): Call {
  return service === undefined ? createContractCall(options) : createGatewayCall(service, options);
}

function createGatewayCall(
  service: ServiceName,
  { readTarget, clock, limits, environment }: ServiceCallOptions,
): Call {
  // After a failure, a login may follow.
  const readTargetOnce = onceDone(readTarget);
  const open = async () => {
    const target = await readTargetOnce();
    const { siteTimezones } = target;
    return gateway.open({ target, siteTimezones, clock, limits, environment });
  };
  const gateway = findGateway(service);
  return Object.assign(createLocalCall(open, clock, gateway.about), {
    readSite: async () => (await readTargetOnce()).site,
  });
}

/**
 * The calls of a service of the contract, or of one that only describes itself. Loads the HTTP client at the first call: a server that lists its tools does not wait for it.
 */
export function createContractCall({
  environment,
  readMapping = () => undefined,
  learnsAnew = false,
  ...options
}: ServiceCallOptions): DescribedCall {
  const readTarget = onceDone(options.readTarget);
  const open = once(async () => {
    const [{ createHttpClient }, { createDescribedCall }, { openLearnedMemory }] = await Promise.all([
      import("../client/http-client.ts"),
      import("./described/described-call.ts"),
      import("./described/learned-memory.ts"),
    ]);
    const { clock } = options;
    return createDescribedCall({
      client: createHttpClient({ ...options, readTarget }),
      readTarget,
      clock,
      openMemory: (target, mapping) => {
        const memory = openLearnedMemory({ environment, clock }, target, mapping);
        if (learnsAnew) memory.forget();
        return memory;
      },
      readMapping: async () => {
        const given = await readMapping();
        return given && (await import("./described/mapping-file.ts")).readMapping(given);
      },
    });
  });
  const call: Call = async (...asked) => (await open())(...asked);
  const members = CAPABILITIES.map((name) => [
    name,
    async (...asked: unknown[]) => ((await open())[name] as (...asked: unknown[]) => unknown)(...asked),
  ]);
  // Each member passes its arguments on to the one of its name.
  return Object.assign(call, Object.fromEntries(members)) as DescribedCall;
}

/** A remote service for a server whose users bring their own keys. */
export async function openKeyedService(
  flags: SourceFlags,
  { environment, clock }: Pick<SourceContext, "environment" | "clock">,
): Promise<KeyedSource> {
  const { readService } = await import("../config/service-url.ts");
  const { baseUrl, service, siteTimezones, mapping } = readService(flags, environment);
  const reach = await reachService(environment, { baseUrl, service, siteTimezones });
  const source = createKeyedService(new URL(baseUrl).origin, reach, clock, { service, environment, mapping });
  // A profile has both already.
  const isSaved = flags.profile !== undefined;
  const address = service
    ? ["--service", service, "--base-url", baseUrl]
    : ["--base-url", new URL(baseUrl).origin];
  return { ...source, options: isSaved ? ["--profile", `${flags.profile}`] : address };
}

interface KeyedServiceOptions {
  service?: ServiceName | undefined;
  environment?: Environment;
  mapping?: GivenMapping | undefined;
}

/** @param reach Makes the target for a key. */
export function createKeyedService(
  name: string,
  reach: (apiKey: string) => Target,
  clock: () => number,
  { service, environment = {}, mapping }: KeyedServiceOptions = {},
): KeyedSource {
  return {
    name,
    about: describeService(service),
    open: (apiKey, { limits = {}, wrapFetch = (fetch: Fetch) => fetch } = {}) => {
      const { fetch, ...target } = reach(apiKey);
      const readTarget = () => ({ ...target, fetch: wrapFetch(fetch) });
      return createServiceCall(service, {
        readTarget,
        clock,
        limits,
        environment,
        readMapping: () => mapping,
      });
    },
  };
}

/** The target for a service and key, with where the key was found. */
export async function openTarget(environment: Environment, access: Access): Promise<Target> {
  const { apiKey, site, sources, profile } = access;
  const target = (await reachService(environment, access))(apiKey);
  // With a profile, login proposes its address.
  const login = profile && `analytics-mcp login --profile ${quoteForShell(profile)}`;
  return { ...target, site, keySource: sources.apiKey, login };
}

/** A service that computes its reports when they are asked for takes longer for the first one. */
const SLOW_MS = 60_000;

/** Prepares a service for any number of keys, which share one pool of connections. */
export async function reachService(
  environment: Environment,
  { baseUrl, service, siteTimezones }: Pick<Access, "baseUrl" | "service" | "siteTimezones">,
): Promise<(apiKey: string) => Target> {
  const [{ readProxies }, { createNetworkFetch }] = await Promise.all([
    import("../config/proxy-settings.ts"),
    import("../client/network.ts"),
  ]);
  const proxies = readProxies(environment, baseUrl);
  const fetch = createNetworkFetch({
    ...proxies,
    ...(service && { headersTimeout: SLOW_MS, bodyTimeout: SLOW_MS }),
  });
  return (apiKey) => ({ baseUrl, apiKey, fetch, proxies: Object.values(proxies), siteTimezones });
}
