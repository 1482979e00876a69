import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * What a request is counted for: an IPv4 address, or the /64 network of an IPv6 address, since an IPv6 customer has at
 * least a /64 and could use each of its addresses once. With `trustProxy` it is read from the last entry of
 * X-Forwarded-For, which the operator's proxy adds; if that is no address, it is the proxy's own.
 */
export function readAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const [last = ""] = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .slice(-1);
  const forwarded = trustProxy ? readNetwork(last) : undefined;
  return forwarded ?? readNetwork(socket.remoteAddress ?? "") ?? "";
}

/** Some proxies write the port too: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function readNetwork(text: string): string | undefined {
  const entry = text.trim();
  const [, bracketed = entry] = /^\[([^\]]*)\](?::\d+)?$/.exec(entry) ?? [];
  const [, address = bracketed] = /^([\d.]+):\d+$/.exec(bracketed) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? address : readIpv6Network(address);
}

/** An IPv4-mapped address is the IPv4 address (RFC 4291, section 2.5.5.2). */
function readIpv6Network(address: string): string {
  const groups = readGroups(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".");
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(":")}::/64`;
}

/** The eight groups of a valid IPv6 address; a URL parser writes all of them in hexadecimal. */
function readGroups(address: string): number[] {
  const [plain = ""] = address.split("%", 1);
  const [head = [], tail = []] = new URL(`http://[${plain}]`).hostname
    .slice(1, -1)
    .split("::")
    .map((part) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}
