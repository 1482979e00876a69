import { copyText } from "../copy-text.ts";
import { parseIpv4 } from "./addresses.ts";
import { append } from "./columns.ts";
import type { OpenDay } from "./open-day.ts";
import { findRelay } from "./relays.ts";

/** Who sends a request. */
export interface Sender {
  /** The address that identifies visitors (`groupAddress`). */
  group: string;
  /** The id of the user agent. */
  agent: number;
}

/**
 * The number of a sender, who is added if they are new.
 *
 * @param readProfile Returns the number of the profile of a new sender, who will have this number.
 */
export function numberSender(day: OpenDay, sender: Sender, readProfile: (number: number) => number): number {
  const { group, agent } = sender;
  const ipv4 = parseIpv4(group);
  const address = ipv4 ?? numberAddress(day, group);
  const numbers = ipv4 === undefined ? day.senderNumbers.others : day.senderNumbers.ipv4;
  let number = numbers.find(address, agent);
  if (number === undefined) {
    number = day.known?.findSender(group, agent) ?? addSender(day, group, readProfile);
    numbers.set(address, agent, number);
  }
  return number;
}

function numberAddress(day: OpenDay, group: string): number {
  const { ipv4: numbers, others } = day.addresses;
  const ipv4 = parseIpv4(group);
  let number = ipv4 === undefined ? others.get(group) : numbers.find(ipv4, 0);
  if (number === undefined) {
    number = day.known?.findAddress(group) ?? day.addressCount++;
    if (ipv4 === undefined) others.set(copyText(group), number);
    else numbers.set(ipv4, 0, number);
  }
  return number;
}

function addSender(day: OpenDay, group: string, readProfile: (number: number) => number): number {
  const { senders } = day;
  append(senders.requests, 0);
  append(senders.errors, 0);
  append(senders.probes, 0);
  append(senders.addresses, numberAddress(day, group));
  append(senders.relays, findRelay(group));
  append(senders.added, 0);
  const number = senders.requests.length - 1;
  append(senders.profiles, readProfile(number));
  return number;
}

/** @param address Its 32 bits. */
export const formatIpv4 = (address: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
