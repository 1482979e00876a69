import { type Call, createClient, type Target } from "../client/client.ts";
import { type Flags, readAccess, readProxies } from "../config/config.ts";
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
  const access = readAccess(flags, environment);
  const proxies = readProxies(environment, access.baseUrl);
  const { createNetworkFetch } = await import("../client/network.ts");
  return { ...access, fetch: createNetworkFetch(proxies), proxies: Object.values(proxies) };
}

/** The reference API in this process, without a port: the same requests and answers as over HTTP. */
async function openDemo({ clock }: Io): Promise<Target> {
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
