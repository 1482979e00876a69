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
  const isCompared = address.page === "compare" && isAboutDays(error) && period !== WEEKS.period;
  return isCompared ? [{ title: WEEKS.name, target: dated({ period: [WEEKS.period] }) }] : [];
}
