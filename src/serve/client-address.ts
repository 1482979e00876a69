import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The client's address. With `trustProxy` it is the last entry of X-Forwarded-For, which the operator's proxy adds. */
export function readAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = String(headers["x-forwarded-for"] ?? "");
  const [last] = forwarded.split(",").toReversed();
  return toNetwork((trustProxy && last?.trim()) || (socket.remoteAddress ?? ""));
}

/** What to count an address as: an IPv6 customer has at least a /64, and could use each of its addresses once. */
function toNetwork(address: string): string {
  if (isIP(address) !== 6 || address.toLowerCase().startsWith("::ffff:")) return address;
  const [head = "", tail] = address.split("::");
  const first = head.split(":");
  const missing = tail === undefined ? 0 : 8 - first.length - tail.split(":").length;
  const groups = [
    ...first,
    ...Array.from({ length: Math.max(0, missing) }, () => "0"),
    ...(tail ?? "").split(":"),
  ];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || "0", 16).toString(16))
    .join(":")}::/64`;
}
