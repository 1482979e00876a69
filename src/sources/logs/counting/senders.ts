import { copyText } from "../copy-text.ts";
import { nameNetwork, parseIpv4 } from "./addresses.ts";
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

/** How many user agents of an address are senders of their own on a day. All others are one sender. docs/log-rules.md states it. */
const MAX_AGENTS = 10_000;
/** In place of the id of a user agent, which has 30 bits. */
export const OTHER_AGENT = 2 ** 30;

/**
 * Returns the number of the profile of a new sender.
 *
 * @param number The number that the sender will have.
 * @param isOther Whether the sender is all user agents of an address beyond the limit.
 */
export type ReadProfile = (number: number, isOther: boolean) => number;

/** The number of a sender, who is added if they are new. */
export function numberSender(day: OpenDay, { group, agent }: Sender, readProfile: ReadProfile): number {
  const ipv4 = parseIpv4(group);
  const numbers = ipv4 === undefined ? day.senderNumbers.others : day.senderNumbers.ipv4;
  const key = ipv4 ?? numberAddress(day, group);
  const found = numbers.find(key, agent);
  if (found !== undefined) return found;
  const address = numberAddress(day, group);
  let counted = agent;
  let number = findKnown(day, address, agent);
  if (number === undefined) {
    if ((day.agentCounts.values[address] ?? 0) >= MAX_AGENTS) {
      counted = OTHER_AGENT;
      const other = numbers.find(key, counted);
      if (other !== undefined) return other;
      number = findKnown(day, address, counted);
    }
    number ??= addSender(day, address, { group, agent: counted }, readProfile);
  }
  numbers.set(key, counted, number);
  return number;
}

/**
 * The number of a sender of an earlier process.
 *
 * @param address Its number.
 */
function findKnown(day: OpenDay, address: number, agent: number): number | undefined {
  const number = findAgent(day, agent);
  return number === undefined ? undefined : day.known?.findSender(address, number);
}

const findAgent = ({ agents, known }: OpenDay, id: number): number | undefined =>
  agents.find(id, 0) ?? known?.findAgent(id);

/** The number of a user agent. Those beyond an address's limit have none. */
function numberAgent(day: OpenDay, id: number): number {
  const number = findAgent(day, id) ?? day.agentCount++;
  if (day.agents.find(id, 0) === undefined) day.agents.set(id, 0, number);
  return number;
}

function numberAddress(day: OpenDay, group: string): number {
  const { ipv4: numbers, others } = day.addresses;
  const ipv4 = parseIpv4(group);
  let number = ipv4 === undefined ? others.get(group) : numbers.find(ipv4, 0);
  if (number === undefined) {
    number = day.known?.findAddress(group) ?? addAddress(day, group, ipv4);
    growTo(day.agentCounts, number + 1);
    if (ipv4 === undefined) others.set(copyText(group), number);
    else numbers.set(ipv4, 0, number);
  }
  return number;
}

function addAddress(day: OpenDay, group: string, ipv4: number | undefined): number {
  append(day.networkOf, numberNetwork(day, group, ipv4));
  return day.addressCount++;
}

function numberNetwork(day: OpenDay, group: string, ipv4: number | undefined): number {
  const { ipv4: numbers, others } = day.networks;
  const found = ipv4 === undefined ? others.get(nameNetwork(group)) : numbers.find(ipv4 >>> 8, 0);
  if (found !== undefined) return found;
  const number = day.known?.findNetwork(nameNetwork(group)) ?? day.networkCount++;
  if (ipv4 === undefined) others.set(nameNetwork(group), number);
  else numbers.set(ipv4 >>> 8, 0, number);
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
  append(senders.files, 0);
  append(senders.addresses, address);
  append(senders.agents, numberAgent(day, agent));
  append(senders.relays, findRelay(group));
  const number = senders.requests.length - 1;
  append(senders.profiles, readProfile(number, agent === OTHER_AGENT));
  increase(day.agentCounts, address, 1);
  return number;
}

/** @param address Its 32 bits. */
export const formatIpv4 = (address: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;

/** Counts the user agents of addresses again, from the senders of an earlier process. */
export function countAgents({ addressCount, agentCounts, senders }: OpenDay): void {
  growTo(agentCounts, addressCount);
  for (const address of readColumn(senders.addresses)) increase(agentCounts, address, 1);
}
