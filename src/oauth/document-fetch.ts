import { lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Agent } from "undici";

/**
 * Addresses that are not the public internet's (IANA's special-purpose registries): a client ID metadata document
 * is fetched from an address that a stranger chose, and must not reach what only this machine reaches.
 */
const inside = new BlockList();
for (const [network, prefix] of [
  ...[
    ["0.0.0.0", 8],
    ["10.0.0.0", 8],
    ["100.64.0.0", 10],
    ["127.0.0.0", 8],
    ["169.254.0.0", 16],
  ],
  ...[
    ["172.16.0.0", 12],
    ["192.0.0.0", 24],
    ["192.0.2.0", 24],
    ["192.88.99.0", 24],
    ["192.168.0.0", 16],
  ],
  ...[
    ["198.18.0.0", 15],
    ["198.51.100.0", 24],
    ["203.0.113.0", 24],
    ["224.0.0.0", 4],
    ["240.0.0.0", 4],
  ],
] as [string, number][]) {
  inside.addSubnet(network, prefix, "ipv4");
}

/** Of IPv6 only what is handed out as public (2000::/3), less what maps, tunnels or documents. */
const outside6 = new BlockList();
outside6.addSubnet("2000::", 3, "ipv6");
const inside6 = new BlockList();
for (const [network, prefix] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  inside6.addSubnet(network, prefix, "ipv6");
}

/** Whether an address is one of the public internet's. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !inside.check(address, "ipv4");
  return isIP(address) === 6 && outside6.check(address, "ipv6") && !inside6.check(address, "ipv6");
}

/** Resolves a name, and refuses before connecting where any of its addresses is not public. */
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const refused = addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address));
    if (refused) return callback(new Error("The document's host is not on the public internet."), []);
    if (options.all) return callback(null, addresses);
    const [first] = addresses;
    callback(null, first?.address ?? "", first?.family ?? 4);
  });
};

export type DocumentFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const TIME_LIMIT_MS = 5_000;

/** Fetches a client ID metadata document: https alone, public addresses alone, no redirects, not for long. */
export function createDocumentFetch(): DocumentFetch {
  const dispatcher = new Agent({ connect: { lookup: lookupPublic, timeout: TIME_LIMIT_MS } });
  return (url, init) => {
    const { protocol, hostname } = new URL(url instanceof Request ? url.url : url);
    const address = hostname.replace(/^\[|\]$/g, "");
    // An address in the place of a name is never looked up, so it is looked at here.
    const refused = protocol !== "https:" || (isIP(address) !== 0 && !isPublicAddress(address));
    if (refused) return Promise.reject(new Error("The document's address is not on the public internet."));
    const signal = AbortSignal.any([
      AbortSignal.timeout(TIME_LIMIT_MS),
      ...(init?.signal ? [init.signal] : []),
    ]);
    return fetch(url, { ...init, redirect: "manual", signal, dispatcher } as unknown as RequestInit);
  };
}
