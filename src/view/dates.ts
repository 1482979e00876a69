import { AnalyticsError, type ParameterError, quote } from "../errors.ts";
import { isDate, resolvePeriod } from "../operations/period-words.ts";
import { type Address, change } from "./address.ts";
import { parseQuestion } from "./questions.ts";

/** The days that an address asks for. */
export interface Dates {
  /** Without a period that cannot be asked for, and without the fields of the form. */
  address: Address;
  /** What the fields of the form hold. */
  from: string;
  to: string;
  /** Why the period that was given is not the one that is shown. */
  fault?: string;
  /** The field that is at fault. */
  wrong?: "from" | "to";
  /** The form asked for these days, whose address this is. */
  isChosen?: true;
}

/** Milliseconds by which the clock of a timezone can be ahead of UTC. */
const MOST_AHEAD = 14 * 3_600_000;

/** The date where it is latest: no site has a later one. */
export const latestDate = (now: number) => new Date(now + MOST_AHEAD).toISOString().slice(0, 10);

/** Reads the days of an address: those of the form (`from`, `to`), or its period. */
export function readDates(given: Address, latest: string): Dates {
  const address = change(given, { from: undefined, to: undefined });
  const [[from = ""] = [], [to = ""] = []] = [given.given.get("from"), given.given.get("to")];
  if (given.given.has("from") || given.given.has("to")) {
    const fault = findFormFault(from, to, latest);
    const kept = readDates(address, latest).address;
    if (fault) return { address: kept, from, to, ...fault };
    const period = [from === to ? from : `${from}/${to}`];
    return { address: change(address, { period, days: undefined }), from, to, isChosen: true };
  }
  const fault = findPeriodFault(address);
  if (fault !== undefined)
    return { address: change(address, { period: undefined, days: undefined }), from: "", to: "", fault };
  const [period = ""] = address.given.get("period") ?? [];
  const [first = "", last = first] = period.split("/");
  const isDated = [first, last].every(isDate);
  return { address, from: isDated ? first : "", to: isDated ? last : "" };
}

/** What is wrong with the days of the form, and with which. */
function findFormFault(from: string, to: string, latest: string): Pick<Dates, "fault" | "wrong"> | undefined {
  const fields = [
    { wrong: "from", date: from, which: "first" },
    { wrong: "to", date: to, which: "last" },
  ] as const;
  for (const { wrong, date, which } of fields) {
    if (date === "") return { wrong, fault: `The ${which} day is missing.` };
    if (!isDate(date))
      return { wrong, fault: `${quote(date, { maxLength: 40 })} is not a date such as ${latest}.` };
  }
  if (from > to) return { wrong: "to", fault: `The last day, ${to}, is before the first, ${from}.` };
  if (to > latest) return { wrong: "to", fault: `The last day, ${to}, is in the future.` };
  const fault = findFault(() => resolvePeriod(`${from}/${to}`, latest));
  return fault && { wrong: "from", fault: `The days ${fault.detail}.` };
}

/** What is wrong with the period or the number of days, in the words of the command line. */
function findPeriodFault(address: Address): string | undefined {
  const names = ["period", "days"];
  const given = new Map([...address.given].filter(([name]) => names.includes(name)));
  if (given.size > 1) return "The address has a period and a number of days: one is enough.";
  const fault = findFault(() => parseQuestion({ ...address, page: "", given }));
  if (fault === undefined) return undefined;
  const what = fault.parameter === "days" ? "a number of days" : "a period";
  const texts = (given.get(fault.parameter) ?? []).map((text) => quote(text, { maxLength: 40 }));
  return `${texts.join(", ")} is not ${what}: it ${fault.detail}.`;
}

function findFault(check: () => unknown): ParameterError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AnalyticsError && error.parameters[0]) return error.parameters[0];
    throw error;
  }
}
