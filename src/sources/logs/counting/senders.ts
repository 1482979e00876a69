import { copyText } from "../copy-text.ts";
import { parseIpv4 } from "./addresses.ts";
import { append, growTo, increase, readColumn } from "./columns.ts";
import type { OpenDay } from "./open-day.ts";
import { findRelay } from "./relays.ts";

/** Who sends a request. */
export interface Sender {
  /** The address that identifies visitors (`groupAddress`). */
  group: string;
  /** The id of the user agent. */
  agent: number;
}

/** How many user agents of an address are senders of their own on a day. All others are one sender. docs/logs.md states it. */
const MAX_AGENTS = 10_000;
/** In place of the id of a user agent. */
export const OTHER_AGENT = -1;

/**
 * Returns the number of the profile of a new sender.
 *
 * @param number The number that the sender will have.
 * @param isOther Whether the sender is all user agents of an address beyond the limit.
 */
export type ReadProfile = (number: number, isOther: boolean) => number;

/** The number of a sender, who is added if they are new. */
export function numberSender(day: OpenDay, { group, agent }: Sender, readProfile: ReadProfile): number {
  const address = numberAddress(day, group);
  const found = findSender(day, address, group, agent);
  if (found !== undefined) return found;
  if ((day.agentCounts.values[address] ?? 0) < MAX_AGENTS) {
    return addSender(day, address, { group, agent }, readProfile);
  }
  return (
    findSender(day, address, group, OTHER_AGENT) ??
    addSender(day, address, { group, agent: OTHER_AGENT }, readProfile)
  );
}

function findSender(day: OpenDay, address: number, group: string, agent: number): number | undefined {
  const number = day.senderNumbers.get(agent)?.get(address);
  if (number !== undefined) return number;
  const known = day.known?.findSender(group, agent);
  if (known !== undefined) rememberSender(day, address, agent, known);
  return known;
}

function rememberSender({ senderNumbers }: OpenDay, address: number, agent: number, number: number): void {
  const numbers = senderNumbers.get(agent);
  if (numbers === undefined) senderNumbers.set(agent, new Map([[address, number]]));
  else numbers.set(address, number);
}

function numberAddress(day: OpenDay, group: string): number {
  const ipv4 = parseIpv4(group);
  let number = day.addresses.get(ipv4 ?? group);
  if (number === undefined) {
    number = day.known?.findAddress(group) ?? day.addressCount++;
    growTo(day.agentCounts, number + 1);
    day.addresses.set(ipv4 ?? copyText(group), number);
  }
  return number;
}

function addSender(
  day: OpenDay,
  address: number,
  { group, agent }: Sender,
  readProfile: ReadProfile,
): number {
  const { senders } = day;
  append(senders.requests, 0);
  append(senders.errors, 0);
  append(senders.probes, 0);
  append(senders.addresses, address);
  append(senders.relays, findRelay(group));
  append(senders.added, 0);
  append(senders.bytes, 0);
  const number = senders.requests.length - 1;
  append(senders.profiles, readProfile(number, agent === OTHER_AGENT));
  increase(day.agentCounts, address, 1);
  rememberSender(day, address, agent, number);
  return number;
}

/** Counts the user agents of addresses again, from the senders of an earlier process. */
export function countAgents({ addressCount, agentCounts, senders }: OpenDay): void {
  growTo(agentCounts, addressCount);
  for (const address of readColumn(senders.addresses)) increase(agentCounts, address, 1);
}

export const formatAddress = (address: string | number): string =>
  typeof address === "string"
    ? address
    : `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
