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
  const ipv4 = parseIpv4(group);
  let number = day.addresses.get(ipv4 ?? group);
  if (number === undefined) {
    number = day.known?.findAddress(group) ?? day.addressCount++;
    day.addresses.set(ipv4 ?? copyText(group), number);
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

export const formatAddress = (address: string | number): string =>
  typeof address === "string"
    ? address
    : `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
