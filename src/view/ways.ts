import { AnalyticsError } from "../errors.ts";
import { readMember } from "../member.ts";
import { cleanText } from "../render/clean-text.ts";
import { formatCount } from "../render/plural.ts";
import { NoSumsError } from "../reports/added-days.ts";
import { WEEKS } from "../reports/empty-answer.ts";
import { isAboutDays, RefusedDaysError, UnreachedError } from "../reports/list-days.ts";
import { type Address, change } from "./address.ts";

/** A page that has an answer, and what it is. */
export interface Way {
  title: string;
  target: Address;
}

/** The same page for other days. */
export const dated = (address: Address, days: { period?: string[]; days?: string[] }): Address =>
  change(address, { period: undefined, days: undefined, against: undefined, ...days });

/** Where to go from a page whose days were refused. */
function listWays(error: unknown, address: Address): Way[] {
  if ((error instanceof RefusedDaysError || error instanceof NoSumsError) && error.nearest !== undefined) {
    const { nearest } = error;
    return [
      { title: `The last ${formatCount(nearest, "day")}`, target: dated(address, { days: [`${nearest}`] }) },
    ];
  }
  const [period] = address.given.get("period") ?? [];
  const way = readMember(ANSWERED, address.page) ?? (error instanceof UnreachedError ? ALL_DAYS : undefined);
  if (way === undefined || way.period === period || !isAboutDays(error)) return [];
  return [{ title: way.name, target: dated(address, { period: [way.period] }) }];
}

const ALL_DAYS = { name: "All days", period: "all" };

/** Days that are answered where others are too many, or have none before them. */
const ANSWERED: Readonly<Record<string, typeof WEEKS>> = {
  compare: WEEKS,
  when: { name: "The last 91 days", period: "last_91_days" },
};

/** A refusal as a sentence of a page, which does not begin with the name of a parameter. */
const sayRefused = ({ message }: Error): string => message.replace(/^period /, "The period ");

export const describe = (error: unknown): string =>
  error instanceof AnalyticsError
    ? cleanText([sayRefused(error), error.hint].filter(Boolean).join(" "), 1_000)
    : "This page failed. The terminal has nothing more: please report it.";

/** Why there is no answer, and where to go. */
export interface Fault {
  text: string;
  ways?: readonly Way[];
}

/** Without a link, the hint says what to ask. */
export function explain(error: unknown, address: Address): Fault {
  const ways = listWays(error, address);
  return {
    text: ways.length > 0 && error instanceof AnalyticsError ? sayRefused(error) : describe(error),
    ways,
  };
}
