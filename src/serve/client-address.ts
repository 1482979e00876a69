import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** The client's address; what a proxy says of it counts only where the operator's own proxy says it. */
export function readAddress({ headers, socket }: IncomingMessage, trustProxy: boolean): string {
  const forwarded = String(headers["x-forwarded-for"] ?? "");
  const [last] = forwarded.split(",").toReversed();
  return toCustomer((trustProxy && last?.trim()) || (socket.remoteAddress ?? ""));
}

/** Whom an address belongs to, for counting: of IPv6 a customer has a /64 at least, and could use each of it once. */
function toCustomer(address: string): string {
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
