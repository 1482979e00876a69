import { readMember } from "../member.ts";
import { formatCount } from "../render/plural.ts";
import { NoSumsError } from "../reports/added-days.ts";
import { WEEKS } from "../reports/empty-answer.ts";
import { isAboutDays, RefusedDaysError } from "../reports/list-days.ts";
import { type Address, change } from "./address.ts";

/** A page that has an answer, and what it is. */
export interface Way {
  title: string;
  target: Address;
}

/** Where to go from a page whose days were refused. */
export function listWays(error: unknown, address: Address): Way[] {
  const dated = (days: { period?: string[]; days?: string[] }) =>
    change(address, { period: undefined, days: undefined, against: undefined, ...days });
  if ((error instanceof RefusedDaysError || error instanceof NoSumsError) && error.nearest !== undefined) {
    const { nearest } = error;
    return [{ title: `The last ${formatCount(nearest, "day")}`, target: dated({ days: [`${nearest}`] }) }];
  }
  const [period] = address.given.get("period") ?? [];
  const way = readMember(ANSWERED, address.page);
  if (way === undefined || way.period === period || !isAboutDays(error)) return [];
  return [{ title: way.name, target: dated({ period: [way.period] }) }];
}

/** Days that are answered where others are too many, or have none before them. */
const ANSWERED: Readonly<Record<string, typeof WEEKS>> = {
  compare: WEEKS,
  when: { name: "The last 91 days", period: "last_91_days" },
};

/** A refusal as a sentence of a page, which does not begin with the name of a parameter. */
export const sayRefused = ({ message }: Error): string => message.replace(/^period /, "The period ");
