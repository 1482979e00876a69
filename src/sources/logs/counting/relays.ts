import { parseIpv4 } from "./addresses.ts";

/** What an address says about a proxy in front of the server. */
export const NO_RELAY = 0;
/** Not on the internet: of an intranet, or of a proxy beside the server. */
const PRIVATE = 1;
/** Of a network that only passes on what others ask for. */
export const CDN = 2;

/** RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291; `0::/32` is that of `::1`. */
const PRIVATE_RANGES = `
  10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 0::/32 fc00::/7 fe80::/10`;

/** As the operators publish them: Cloudflare, Fastly, and the addresses from which CloudFront asks origins. */
const CDN_RANGES = `
  103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 104.16.0.0/13 104.24.0.0/14 108.162.192.0/18 131.0.72.0/22 141.101.64.0/18
  162.158.0.0/15 172.64.0.0/13 173.245.48.0/20 188.114.96.0/20 190.93.240.0/20 197.234.240.0/22 198.41.128.0/17
  2400:cb00::/32 2405:8100::/32 2405:b500::/32 2606:4700::/32 2803:f800::/32 2a06:98c0::/29 2c0f:f248::/32
  23.235.32.0/20 43.249.72.0/22 103.244.50.0/24 103.245.222.0/23 103.245.224.0/24 104.156.80.0/20 140.248.64.0/18
  140.248.128.0/17 146.75.0.0/17 151.101.0.0/16 157.52.64.0/18 167.82.0.0/17 172.111.64.0/18 185.31.16.0/22 199.27.72.0/21
  199.232.0.0/16 2a04:4e40::/32 2a04:4e42::/32
  15.158.0.0/16 52.46.0.0/18 64.252.64.0/18 70.132.0.0/18 130.176.0.0/16`;

/** The first and the last address of a range, as their first 32 bits. */
interface Range {
  first: number;
  last: number;
  relay: number;
}

function readRanges(text: string, relay: number): { v4: Range[]; v6: Range[] } {
  const ranges: { v4: Range[]; v6: Range[] } = { v4: [], v6: [] };
  for (const range of text.trim().split(/\s+/)) {
    const [address = "", bits] = range.split("/");
    const ipv4 = parseIpv4(address);
    const first = (ipv4 ?? readIpv6Start(address)) >>> 0;
    const list = ipv4 === undefined ? ranges.v6 : ranges.v4;
    list.push({ first, last: first + 2 ** (32 - Number(bits)) - 1, relay });
  }
  return ranges;
}

/** The first 32 bits of an IPv6 address. */
function readIpv6Start(address: string): number {
  const [high = "", low = ""] = address.split(":", 2);
  return ((Number.parseInt(high, 16) || 0) * 65_536 + (Number.parseInt(low, 16) || 0)) >>> 0;
}

const [PRIVATES, CDNS] = [readRanges(PRIVATE_RANGES, PRIVATE), readRanges(CDN_RANGES, CDN)];
const [V4, V6] = [
  [...CDNS.v4, ...PRIVATES.v4],
  [...CDNS.v6, ...PRIVATES.v6],
];

/** @param group An address, or the /64 of an IPv6 address (`groupAddress`). */
export function findRelay(group: string): number {
  const ipv4 = parseIpv4(group);
  if (ipv4 === undefined && !group.includes(":")) return NO_RELAY;
  const start = (ipv4 ?? readIpv6Start(group)) >>> 0;
  const found = (ipv4 === undefined ? V6 : V4).find(({ first, last }) => start >= first && start <= last);
  return found?.relay ?? NO_RELAY;
}
