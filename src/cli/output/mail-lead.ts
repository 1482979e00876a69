import { quote } from "../../errors.ts";
import { formatSpan } from "../../operations/period.ts";
import { showCount } from "../../operations/ranges.ts";
import { cleanText } from "../../render/clean-text.ts";
import { nameUnit } from "../../render/plural.ts";
import { createCellFormat } from "../../render/table-cells.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import type { ComparedTotals } from "../../reports/compared-totals.ts";
import { expectedOf, type Letter } from "../../reports/letter.ts";
import { isFirst, NO_DAYS_BEFORE } from "../../reports/overview.ts";
import { isByChance } from "../../reports/usual-range.ts";

/** How a mail begins, and the end of its subject. */
interface Lead {
  lead: string[];
  subject: string;
}

type Write = ReturnType<typeof createWriter>;

/** How many came, and how that compares with the days before. A percentage is only given where it says something. */
export function describeVisitors(letter: Letter, screen: Screen): Lead {
  const { comparison, period } = letter;
  const write = createWriter(screen);
  const visitors = showCount(letter, "visitors");
  // Where those of the days do not add up, a warning says so.
  if (visitors === null) {
    const views = `${write.count(letter.pageviews ?? 0)} ${nameUnit(letter.pageviews ?? 0, "page view")}`;
    return { lead: [`${views}.`], subject: `: ${views}` };
  }
  const count = `${write.count(visitors)} ${nameUnit(Number(visitors), "visitor")}`;
  const subject = `: ${count}`;
  if (comparison === null) {
    const reason = isFirst(letter) ? [NO_DAYS_BEFORE] : [];
    return { lead: [`${count}${period.partial ? " so far" : ""}.`, ...reason], subject };
  }
  const { previous, per_day, small_sample, visitors: change } = comparison;
  const span = formatSpan(previous);
  const before = previous.visitors;
  if (typeof visitors === "string" || typeof before !== "number" || (!per_day && change.absolute === null)) {
    return { lead: [`${count}. They are not compared with those from ${span}.`], subject };
  }
  const [days, daysBefore] = [countDays({ ...comparison, days: period.days }), countDays(previous)];
  const inDays = (days: number) => (per_day ? ` in ${days} ${nameUnit(days, "day")}` : "");
  const both = `${count}${inDays(days)}, and ${write.count(before)}${inDays(daysBefore)} from ${span}.`;
  if (small_sample) {
    const known = `${write.count(before)} before${inDays(daysBefore)}; small sample`;
    return {
      lead: [both, "With so few visitors, the difference may be due to chance."],
      subject: `${subject} (${known})`,
    };
  }
  const { percent } = per_day?.visitors ?? change;
  if (percent === null) return { lead: [both], subject };
  if (isByChance(visitors, expectedOf(letter)(before))) {
    return {
      lead: [
        `${count}${describeChange(percent, comparison, write, percent === 0 ? "" : ", which may be chance")}`,
      ],
      subject: `${subject} (${write.count(before)} before${inDays(daysBefore)})`,
    };
  }
  const size = `${percent > 0 ? "+" : "-"}${write.percent(percent)}${per_day ? " a day" : ""}`;
  return {
    lead: [`${count}${describeChange(percent, comparison, write)}`, ...describeCause(letter, write)],
    subject: `${subject} (${size})`,
  };
}

const countDays = ({ days, days_with_data }: { days: number; days_with_data?: number | undefined }) =>
  days_with_data ?? days;

/** Numbers as sentences have them; a percentage without its sign. */
function createWriter(screen: Screen) {
  const format = createCellFormat({ ...screen, pictures: false });
  const column = { key: "value", label: "" };
  return {
    count: (value: number | string) => format({ ...column, kind: "count" }, { value }),
    average: (value: number) => format({ ...column, kind: "count", unit: "tenths" }, { value }),
    percent: (value: number) => format({ ...column, kind: "percent" }, { value: Math.abs(value) }),
  };
}

function describeChange(
  percent: number,
  { previous, per_day }: ComparedTotals,
  write: Write,
  doubt = "",
): string {
  const average = per_day?.visitors;
  const before = average ? `${write.average(average.previous)} a day` : write.count(previous.visitors ?? 0);
  const than = `the ${before} from ${formatSpan(previous)}`;
  const change =
    percent === 0
      ? `as many as ${than}`
      : `${write.percent(percent)} ${percent > 0 ? "more" : "fewer"} than ${than}`;
  return `${average ? `: ${write.average(average.current)} a day, ` : ", "}${change}${doubt}.`;
}

/** The source that brought most of the change, if one did. */
function describeCause({ comparison, moved = [] }: Letter, write: Write): string[] {
  const [first] = moved.find(({ dimension }) => dimension === "referrers")?.movers ?? [];
  const total = comparison?.per_day?.visitors.change ?? comparison?.visitors.absolute ?? 0;
  const change = first?.per_day?.change ?? first?.change?.absolute ?? 0;
  // Who came without a referrer came by ways that nobody knows.
  if (!first || first.value === null || first.current === null || first.previous === null) return [];
  if (change * total <= 0 || 2 * Math.abs(change) < Math.abs(total)) return [];
  const source = quote(cleanText(first.label, 60));
  const { per_day } = first;
  const [now, before] = per_day
    ? [`${write.average(per_day.current)} a day`, write.average(per_day.previous)]
    : [write.count(first.current), write.count(first.previous)];
  return [
    `Most of the ${total > 0 ? "rise" : "fall"} is one source: ${source} sent ${now}, before ${before}.`,
  ];
}
