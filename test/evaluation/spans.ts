import { Temporal } from "temporal-polyfill";

type Day = `${number}-${number}-${number}`;

/** Days as people name them, at the site. A week begins on Monday. */
export type Span =
  | ("today" | "yesterday" | "this week" | "last week" | "the week before last")
  | ("this month" | "last month" | "this quarter" | "last quarter" | "this year" | "last year")
  | `last ${number} days`
  | `last ${number} complete days`
  | `the ${number} complete days before`
  | Day
  | `${Day} to ${Day}`;

/** The first and the last day of a span, both included. */
export function resolveSpan(span: Span, today: Temporal.PlainDate): [from: string, to: string] {
  const [from, to] = nameDays(span, today);
  return [from.toString(), to.toString()];
}

function nameDays(span: Span, today: Temporal.PlainDate): [Temporal.PlainDate, Temporal.PlainDate] {
  const back = (days: number) => today.subtract({ days });
  const monday = back(today.dayOfWeek - 1);
  const first = today.with({ day: 1 });
  const quarter = first.subtract({ months: (today.month - 1) % 3 });
  switch (span) {
    case "today":
      return [today, today];
    case "yesterday":
      return [back(1), back(1)];
    case "this week":
      return [monday, today];
    case "last week":
      return [monday.subtract({ days: 7 }), monday.subtract({ days: 1 })];
    case "the week before last":
      return [monday.subtract({ days: 14 }), monday.subtract({ days: 8 })];
    case "this month":
      return [first, today];
    case "last month":
      return [first.subtract({ months: 1 }), first.subtract({ days: 1 })];
    case "this quarter":
      return [quarter, today];
    case "last quarter":
      return [quarter.subtract({ months: 3 }), quarter.subtract({ days: 1 })];
    case "this year":
      return [first.with({ month: 1 }), today];
    case "last year":
      return [
        first.with({ month: 1 }).subtract({ years: 1 }),
        first.with({ month: 1 }).subtract({ days: 1 }),
      ];
  }
  const [from = "", to = from] = span.split(" to ");
  if (/^\d{4}-/.test(from)) return [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
  const length = Number(/\d+/.exec(span)?.[0]);
  if (span.startsWith("the ")) return [back(2 * length), back(length + 1)];
  return span.endsWith("complete days") ? [back(length), back(1)] : [back(length - 1), today];
}

export function listDays([from, to]: [string, string]): Day[] {
  const first = Temporal.PlainDate.from(from);
  const length = first.until(to, { largestUnit: "day" }).days + 1;
  return Array.from({ length }, (_, index) => first.add({ days: index }).toString() as Day);
}
