import { BlockList, isIP } from "node:net";
import { AnalyticsError, quoteWord } from "../../../errors.ts";

/**
 * The address that identifies a visitor: an IPv6 address without its lower half, which devices change every day, or an
 * IPv4 address, also where it is written as IPv6.
 */
export function groupAddress(text: string): string {
  if (!text.includes(":")) return text;
  const address = unmapAddress(text);
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.toLowerCase().replace(/%.*$/, "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}

/** The network of an address that `groupAddress` has returned: its /24 or, of IPv6, its /48. */
export function nameNetwork(group: string): string {
  const isIpv6 = group.endsWith("::/64");
  const parts = group.split(isIpv6 ? ":" : ".").slice(0, 3);
  return isIpv6 ? `${parts.join(":")}::/48` : `${parts.join(".")}.0/24`;
}

const MAPPED = /^(?:0{0,4}:){2,5}ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i;

/** An IPv4 address without its IPv6 form (RFC 4291, section 2.5.5.2): `192.0.2.1` for `::ffff:192.0.2.1`. */
export function unmapAddress(address: string): string {
  if (!address.includes(":")) return address;
  const [mapped, dotted, high = "", low = ""] = MAPPED.exec(address) ?? [];
  if (mapped === undefined || isIP(address) === 0) return address;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return dotted ?? [a >> 8, a & 255, b >> 8, b & 255].join(".");
}

/**
 * The visitor's address where `hops` proxies are trusted: each adds the address that it saw at the end of X-Forwarded-For,
 * so the first hop from the right was added by the server's own proxy.
 */
export function readClientAddress(address: string, forwarded: string | undefined, hops: number): string {
  if (hops === 0 || forwarded === undefined) return address;
  const list = forwarded.split(",").map((entry) => entry.trim());
  const found = (list.at(-hops) ?? list[0] ?? "")
    .slice(0, MAX_ENTRY_LENGTH)
    .replace(/^\[(.*)\](?::\d+)?$/, "$1");
  const bare = /^\d+\.\d+\.\d+\.\d+:\d+$/.test(found) ? found.replace(/:\d+$/, "") : found;
  return isIP(bare) === 0 ? address : bare;
}

/** An address with a zone, brackets and a port. */
const MAX_ENTRY_LENGTH = 80;

/** Creates a test for addresses in one of the ranges, such as `10.0.0.0/8`. Throws AnalyticsError `usage`. */
export function createAddressFilter(ranges: readonly string[]): (address: string) => boolean {
  if (ranges.length === 0) return () => false;
  const blocks = new BlockList();
  for (const range of ranges) addRange(blocks, range);
  return (address) => {
    const version = isIP(address);
    return version !== 0 && blocks.check(address, version === 4 ? "ipv4" : "ipv6");
  };
}

function addRange(blocks: BlockList, range: string): void {
  const [address = "", prefix] = range.split("/");
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const length = prefix === undefined ? most : Number(/^\d{1,3}$/.test(prefix) ? prefix : Number.NaN);
  if (version === 0 || !(length <= most)) {
    throw new AnalyticsError(
      "usage",
      `--exclude-address: ${quoteWord(range)} is not an address or a range.`,
      {
        hint: "Such as 203.0.113.7, 10.0.0.0/8 or 2001:db8::/32.",
      },
    );
  }
  blocks.addSubnet(address, length, version === 4 ? "ipv4" : "ipv6");
}

/** The 32 bits of an IPv4 address in its common form; undefined for anything else, such as numbers with leading zeros. */
export function parseIpv4(text: string): number | undefined {
  let [bits, octet, digits, dots] = [0, 0, 0, 0];
  for (let at = 0; at <= text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && octet === 0) return undefined;
      octet = 10 * octet + digit;
      digits++;
      if (octet > 255) return undefined;
      continue;
    }
    const isEnd = at === text.length;
    if (digits === 0 || (!isEnd && digit !== DOT)) return undefined;
    bits = (bits << 8) | octet;
    if (!isEnd) dots++;
    octet = 0;
    digits = 0;
  }
  return dots === 3 ? bits : undefined;
}

/** The character code of a dot, minus that of 0. */
const DOT = -2;
