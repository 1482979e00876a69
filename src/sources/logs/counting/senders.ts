import { parseIpv4 } from "./address-numbers.ts";
import { append } from "./columns.ts";
import type { OpenDay, Senders } from "./open-day.ts";

/** Who sends a request. */
export interface Sender {
  /** The address that identifies visitors (`groupAddress`). */
  group: string;
  userAgent: string;
  /** The number of the user agent. */
  agent: number;
}

/**
 * The number of a sender, who is added if they are new.
 *
 * @param readProfile Returns the number of the sender's profile.
 */
export function numberSender(day: OpenDay, sender: Sender, readProfile: () => number): number {
  const { group, userAgent, agent } = sender;
  const ipv4 = parseIpv4(group);
  const numbers = ipv4 < 0 ? day.senderNumbers.others : day.senderNumbers.ipv4;
  const key = ipv4 < 0 ? numberAddress(day, group, ipv4) : ipv4;
  const found = numbers.find(key, agent);
  if (found >= 0) return found;
  const number =
    day.known?.findSender(group, userAgent) ??
    addSender(day.senders, numberAddress(day, group, ipv4), readProfile());
  numbers.set(key, agent, number);
  return number;
}

function numberAddress(day: OpenDay, group: string, ipv4: number): number {
  const known = day.addresses.find(group, ipv4);
  if (known !== undefined) return known;
  const number = day.known?.findAddress(group) ?? day.addressCount++;
  day.addresses.set(group, ipv4, number);
  return number;
}

function addSender(senders: Senders, address: number, profile: number): number {
  append(senders.requests, 0);
  append(senders.errors, 0);
  append(senders.probes, 0);
  append(senders.addresses, address);
  append(senders.profiles, profile);
  return senders.requests.length - 1;
}
