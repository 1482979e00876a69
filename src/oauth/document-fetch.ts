import { lookup } from "node:dns";
import { lookup as resolve } from "node:dns/promises";
import { BlockList, type IPVersion, isIP, type LookupFunction } from "node:net";
import { Agent, ProxyAgent } from "undici";

/** The document must not be fetched or is not acceptable. Trying again does not help. */
export class DocumentRefused extends Error {}

const NOT_PUBLIC = "not on the public internet";

/** IANA's special-purpose registries: everything that is not the public internet. */
const special4 = createBlockList(
  "ipv4",
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 " +
    "192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4",
);

/** Only 2000::/3 is assigned to the public internet; some of it maps or tunnels IPv4, or is for documentation. */
const global6 = createBlockList("ipv6", "2000::/3");
const special6 = createBlockList("ipv6", "2001::/23 2001:db8::/32 2002::/16 3fff::/20");

function createBlockList(family: IPVersion, networks: string): BlockList {
  const list = new BlockList();
  for (const network of networks.split(" ")) {
    const [address = "", prefix] = network.split("/");
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether an address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special4.check(address, "ipv4");
  return isIP(address) === 6 && global6.check(address, "ipv6") && !special6.check(address, "ipv6");
}

/** Resolves a name, and fails before any connection is made if one of its addresses is not public. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const refused = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address));
    if (refused) return callback(new DocumentRefused(NOT_PUBLIC), []);
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first?.address ?? "", first?.family ?? 4);
  });
};

export type DocumentFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const TIME_LIMIT_MS = 5_000;

/** A proxy for https, and the hosts to reach without it. */
export interface DocumentProxy {
  httpsProxy?: string | undefined;
  noProxy?: string | undefined;
}

/**
 * Fetches client ID metadata documents. A stranger chooses the address, so it must not reach what only this machine or
 * its proxy can reach: https only, public addresses only, no redirects, and within a time limit. A proxy resolves
 * names itself, so the proxy must refuse internal addresses too.
 */
export function createDocumentFetch({ httpsProxy, noProxy }: DocumentProxy = {}): DocumentFetch {
  const direct = new Agent({ connect: { lookup: lookupPublic, timeout: TIME_LIMIT_MS } });
  const proxy = httpsProxy === undefined ? undefined : new ProxyAgent({ uri: httpsProxy });
  return async (url, init) => {
    const target = new URL(url instanceof Request ? url.url : url);
    const address = target.hostname.replace(/^\[|\]$/g, "");
    if (target.protocol !== "https:") throw new DocumentRefused(NOT_PUBLIC);
    assertNoInternal(address);
    const isDirect = proxy === undefined || isExcepted(target, noProxy);
    if (!isDirect) await assertPublicName(address);
    const limit = AbortSignal.timeout(TIME_LIMIT_MS);
    const signal = init?.signal ? AbortSignal.any([limit, init.signal]) : limit;
    const dispatcher = isDirect ? direct : proxy;
    // `dispatcher` is Node's extension of fetch, which the type of the DOM does not have.
    const options = { ...init, redirect: "manual", signal, dispatcher } as unknown as RequestInit;
    return fetch(url, options).catch((error: unknown) => {
      // Without a connection: ports of other protocols, by the standard of fetch.
      const isBlocked = target.port === "0" || Object(Object(error).cause).message === "bad port";
      throw isBlocked ? new DocumentRefused(`port ${target.port} is never used for HTTPS`) : error;
    });
  };
}

/** Names that are never on the public internet: single labels, and names in domains reserved or used for private ones. */
const INTERNAL_NAME = /^[^.]+$|\.(local|localhost|internal|intranet|private|corp|home|lan|home\.arpa)$/i;

/** Throws for a host that is never on the public internet, whatever a lookup says. An IP address is never looked up. */
function assertNoInternal(hostname: string): void {
  const name = hostname.replace(/\.$/, "");
  if (isIP(name) === 0 ? INTERNAL_NAME.test(name) : !isPublicAddress(name))
    throw new DocumentRefused(NOT_PUBLIC);
}

/** Throws for a name that the proxy might resolve to the operator's network. This machine may be unable to resolve it. */
async function assertPublicName(hostname: string): Promise<void> {
  const addresses = isIP(hostname) === 0 ? await resolve(hostname, { all: true }).catch(() => []) : [];
  if (addresses.some(({ address }) => !isPublicAddress(address))) throw new DocumentRefused(NOT_PUBLIC);
}

/** Whether NO_PROXY lists a host or a domain above it, with or without a port. */
const isExcepted = ({ hostname, port }: URL, noProxy = ""): boolean =>
  noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = "", only] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (entry === "*") return true;
      if (name === "" || (only !== undefined && only !== (port || "443"))) return false;
      return hostname === name || hostname.endsWith(`.${name}`);
    });
