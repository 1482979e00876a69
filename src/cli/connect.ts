import { type Call, createClient, type Target } from "../client/client.ts";
import { type Environment, type Flags, readAccess, readProxies } from "../config/config.ts";
import { AnalyticsError } from "../errors.ts";
import { BASE_PATH } from "../operations/index.ts";
import type { Io } from "./io.ts";

/** The client that flags and environment ask for; what is heavy is loaded at the first call. */
export function connect(io: Io, flags: Flags): Call {
  if (flags.demo && flags.baseUrl !== undefined) {
    throw new AnalyticsError("usage", "--demo and --base-url exclude each other.", {
      hint: "--demo answers from made-up data in this program; leave it out to ask your service.",
    });
  }
  const readTarget = () => (flags.demo ? openDemo(io) : openService(io, flags));
  return createClient({ readTarget, clock: io.clock }).call;
}

async function openService({ environment }: Io, flags: Flags): Promise<Target> {
  const { apiKey, baseUrl } = readAccess(flags, environment);
  return (await openServiceFor(environment, baseUrl))(apiKey);
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
  const { createReferenceApi } = await import("../reference/api.ts");
  const { DEMO_KEY } = await import("../reference/fixtures.ts");
  const api = createReferenceApi({ clock });
  return {
    baseUrl: `http://demo.invalid${BASE_PATH}`,
    apiKey: DEMO_KEY,
    fetch: async (url, init) => {
      init.signal?.throwIfAborted();
      return api(new Request(url, init));
    },
  };
}
