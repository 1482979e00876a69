import { readMember } from "../member.ts";
import { nameHour } from "../operations/days.ts";
import { type Cell, type Column, POINTS } from "../operations/view.ts";
import { cleanCell, cleanText } from "./clean-text.ts";
import { formatDuration } from "./duration.ts";
import { describePoints, isPoints } from "./points.ts";
import { paint, type Screen, type Style } from "./terminal-screen.ts";

const TEXTS = new Set<Column["kind"]>(["text", "word", "date", "day", "hour", "month", "time", "status"]);
export const isNumeric = ({ kind }: Column) => !TEXTS.has(kind);

const STATUS_STYLES: Readonly<Record<string, Style>> = {
  ok: "green",
  warning: "yellow",
  failed: "red",
  skipped: "dim",
};

const known = new WeakMap<Screen, ReturnType<typeof makeCellFormat>>();

/** Formats cells for people, made once for all tables of a screen. Colour is added later (`paintCell`), because it takes no room. */
export function createCellFormat(screen: Screen) {
  const format = known.get(screen) ?? makeCellFormat(screen);
  known.set(screen, format);
  return format;
}

function makeCellFormat(screen: Screen) {
  const numbers = new Intl.NumberFormat(screen.locale);
  const decimals = new Map(
    [1, 2].map((digits) => [
      digits,
      new Intl.NumberFormat(screen.locale, { minimumFractionDigits: digits, maximumFractionDigits: 2 }),
    ]),
  );
  const formatNumber = (value: number, unit: Cell | undefined) => {
    if (unit === "seconds") return `${value < 0 ? "-" : ""}${formatDuration(Math.abs(value))}`;
    const digits = unit === "hundredths" ? 2 : unit === "tenths" || unit === POINTS ? 1 : 0;
    return (decimals.get(digits) ?? numbers).format(value);
  };
  const percents = new Intl.NumberFormat(screen.locale, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const smallPercents = new Intl.NumberFormat(screen.locale, {
    style: "percent",
    maximumSignificantDigits: 2,
  });
  // As the locale writes it, but with a plain space, as everywhere in a table. What is not zero does not look like it.
  const formatPercent = (value: number) => {
    const { format } = value !== 0 && Math.abs(value) < 0.1 ? smallPercents : percents;
    return format(value / 100).replaceAll(/\s/g, " ");
  };
  const readName = createNames(screen.locale);

  const months = new Intl.DateTimeFormat(screen.locale, { month: "short", year: "numeric", timeZone: "UTC" });

  const weekdays = new Intl.DateTimeFormat(screen.locale, { weekday: "short", timeZone: "UTC" });

  const sign = (value: number, text: string) => {
    if (!screen.pictures) return value > 0 ? `+${text}` : text;
    const arrow = value > 0 ? "▲ +" : value < 0 ? "▼ " : "  ";
    return `${arrow}${text}`;
  };

  const readText = ({ names, kind }: Column, row: Record<string, Cell>, cell: string): string => {
    if (kind === "hour") return nameHour(cell);
    if (kind === "day") return `${cell} ${weekdays.format(Date.parse(cell))}`;
    if (kind === "month") return months.format(Date.parse(cell));
    if (kind === "time") return readTime(cell);
    // What programs know by its unit.
    if (row.unit === "seconds") return cell.replace("seconds", "time");
    return names ? readName(names, row.value, cell) : cell;
  };

  return (column: Column, row: Record<string, Cell>): string => {
    const cell = row[column.key] ?? null;
    if (cell === null) return "–";
    // A count that is known only as a range: `217–1300`, `6–8 fewer`.
    if (typeof cell === "string" && isNumeric(column))
      return cleanText(cell).replaceAll(/\d+(?:\.\d+)?/g, (digits) => numbers.format(Number(digits)));
    if (typeof cell === "string") return closeGaps(cleanCell(column, readText(column, row, cell)));
    if (column.kind === "percent") return formatPercent(cell);
    if (column.kind === "percent_change") return sign(cell, formatPercent(cell));
    if (isPoints(column, row)) return describePoints(cell, numbers.format);
    const text = formatNumber(cell, column.unit ?? row.unit);
    return column.kind === "change" && cell > 0 ? `+${text}` : text;
  };
}

/** A timestamp without what nobody reads in a table: `2026-11-20 14:05`, in the timezone it is written in. Other text stays. */
const readTime = (text: string) => text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).{0,20}$/, "$1 $2");

/** Columns are two spaces apart, so a cell with two spaces in its text could look like two cells. */
const closeGaps = (text: string) => text.replaceAll(/[\s\u2800]{2,}/g, " ");

/** Colours changes by their direction and checks by their status; other cells, and changes of less than 1 %, keep the terminal's colour. */
export function paintCell(screen: Screen, column: Column, row: Record<string, Cell>, text: string): string {
  const cell = isPoints(column, row) ? null : (row[column.key] ?? null);
  const style =
    column.kind === "status" ? readMember(STATUS_STYLES, String(cell)) : styleOf(column, cell, row);
  return style ? paint(screen, style, text) : text;
}

function styleOf({ kind }: Column, cell: Cell, row: Record<string, Cell>): Style | undefined {
  const isChange = kind === "change" || kind === "percent_change";
  const percent = row.percent ?? row.change_per_day_percent ?? null;
  const isRate = row.unit === "seconds" || row.unit === "hundredths";
  const isSlight = typeof percent === "number" ? Math.abs(percent) < 1 : isRate;
  if (!isChange || typeof cell !== "number" || cell === 0 || isSlight) return undefined;
  return cell > 0 ? "green" : "red";
}

/** Names codes in the reader's language; uses the service's English name for English and for unknown codes. */
function createNames(locale: string) {
  if (locale.startsWith("en")) return (_: string, __: Cell | undefined, name: string) => name;
  const names = {
    region: new Intl.DisplayNames(locale, { type: "region", fallback: "none" }),
    language: new Intl.DisplayNames(locale, { type: "language", fallback: "none" }),
  };
  return (kind: "region" | "language", code: Cell | undefined, name: string) => {
    try {
      return names[kind].of(String(code)) ?? name;
    } catch {
      return name;
    }
  };
}
