import { copyText } from "../copy-text.ts";
import { createPairNumbers, type PairNumbers } from "./columns.ts";

/**
 * The numbers of addresses. IPv4 addresses are kept as numbers themselves: as text they would take ten times the memory.
 * `ipv4` is what `parseIpv4` returns for the address.
 */
export interface AddressNumbers {
  find(address: string, ipv4: number): number | undefined;
  /** The address must not have a number yet. */
  set(address: string, ipv4: number, number: number): void;
  /** IPv4 addresses as numbers; the other number of each pair is 0. */
  readonly ipv4: Pick<PairNumbers, "forEach">;
  /** The numbers of all other addresses. */
  readonly others: ReadonlyMap<string, number>;
}

export function createAddressNumbers(): AddressNumbers {
  const ipv4Numbers = createPairNumbers();
  const others = new Map<string, number>();
  return {
    find: (address, ipv4) => {
      if (ipv4 < 0) return others.get(address);
      const number = ipv4Numbers.find(ipv4, 0);
      return number < 0 ? undefined : number;
    },
    set: (address, ipv4, number) => {
      if (ipv4 < 0) others.set(copyText(address), number);
      else ipv4Numbers.set(ipv4, 0, number);
    },
    ipv4: ipv4Numbers,
    others,
  };
}

/** The 32 bits of an IPv4 address in its usual form; -1 for anything else, such as numbers with leading zeros. */
export function parseIpv4(text: string): number {
  let [bits, octet, digits, dots] = [0, 0, 0, 0];
  for (let at = 0; at <= text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit >= 0 && digit <= 9) {
      if (digits > 0 && octet === 0) return -1;
      octet = 10 * octet + digit;
      digits++;
      if (octet > 255) return -1;
      continue;
    }
    const isEnd = at === text.length;
    if (digits === 0 || (!isEnd && digit !== DOT)) return -1;
    bits = 256 * bits + octet;
    if (!isEnd) dots++;
    octet = 0;
    digits = 0;
  }
  return dots === 3 ? bits : -1;
}

/** The character code of a dot, minus that of 0. */
const DOT = -2;

export const formatIpv4 = (bits: number) => [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join(".");
