import { type Call, createClient, type Target } from "../client/client.ts";
import { type Access, readAccess } from "../config/access.ts";
import { type Environment, type Flags, readProxies } from "../config/config.ts";
import { readGivenKey } from "../config/given-key.ts";
import { BASE_PATH } from "../operations/contract.ts";
import { refuseDemoWithService } from "./access-options.ts";
import type { Io } from "./io.ts";
import { printNote } from "./output.ts";

/** The client that flags, environment and profiles ask for; what is heavy is loaded at the first call. */
export function connect(io: Io, flags: Flags): Call {
  refuseDemoWithService(flags);
  const readTarget = () => (flags.demo ? openDemo(io) : openService(io, flags));
  return createClient({ readTarget, clock: io.clock }).call;
}

async function openService(io: Io, flags: Flags): Promise<Target> {
  const access = readAccess(flags, io.environment, await readGivenKey(flags, io.stdin));
  for (const warning of access.warnings) await printNote(io, `warning: ${warning}`);
  return openAccess(io.environment, access);
}

export async function openAccess(environment: Environment, access: Access): Promise<Target> {
  const { apiKey, baseUrl, site, sources } = access;
  const target = (await openServiceFor(environment, baseUrl))(apiKey);
  return { ...target, site, keySource: sources.apiKey };
}

/** How a service is reached with any key: one pool of connections serves them all. */
export async function openServiceFor(
  environment: Environment,
  baseUrl: string,
): Promise<(apiKey: string) => Target> {
  const proxies = readProxies(environment, baseUrl);
  const { createNetworkFetch } = await import("../client/network.ts");
  const fetch = createNetworkFetch(proxies);
  return (apiKey) => ({ baseUrl, apiKey, fetch, proxies: Object.values(proxies) });
}

/** The reference API in this process, without a port: the same requests and answers as over HTTP. */
export async function openDemo({ clock }: Pick<Io, "clock">): Promise<Target> {
  const [{ createReferenceApi }, { DEMO_KEY }, { askDirectly }] = await Promise.all([
    import("../reference/api.ts"),
    import("../reference/fixtures.ts"),
    import("../reference/direct.ts"),
  ]);
  const api = createReferenceApi({ clock });
  return {
    baseUrl: `http://demo.invalid${BASE_PATH}`,
    apiKey: DEMO_KEY,
    fetch: async (url, outgoing) => {
      outgoing.signal.throwIfAborted();
      return askDirectly(api, url, outgoing);
    },
  };
}
