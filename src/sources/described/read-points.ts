import { readMember } from "../../member.ts";
import { timeseries } from "../../operations/index.ts";
import { readDates, readWritten } from "./answer-dates.ts";
import type { Cell, Table } from "./answer-tables.ts";
import type { Found, Reading } from "./field-mapping.ts";
import { createMissingError, findFields, readCount } from "./find-field.ts";
import {
  applyReading,
  cellsOf,
  findColumn,
  findOnly,
  findTable,
  isCount,
  isEmptyList,
  listCounts,
  type TableQuery,
} from "./read-table.ts";
import type { ServiceDay } from "./service-days.ts";
import type { ServiceReader } from "./service-reader.ts";

/** The days of a series, ascending. Throws AnalyticsError `bad_answer` for days that cannot be read, or that are there twice. */
export function readPoints(reader: ServiceReader, answer: unknown, timezone: string | undefined) {
  const { path, name } = timeseries;
  if (reader.learned().readings[name] === undefined && isEmptyList(answer)) return [];
  const query = { operation: name, path, chosen: reader.mapping.timeseries ?? {}, texts: reader.texts(path) };
  const sought = { ...query, field: "date" };
  const apply = (reading: Reading): ServiceDay[] | undefined => {
    const table = applyReading(answer, reading);
    if (table === undefined) return isEmptyList(answer) ? [] : undefined;
    const cells = (field: string) =>
      table.rows.map((row) => row.get(readMember(reading, field)?.pointer ?? "") ?? null);
    const [visitors, pageviews] = [cells("visitors"), cells("pageviews")];
    const written = cells("date").map(readWritten);
    const known = written.filter((day) => day !== undefined);
    if (known.length < written.length) return undefined;
    const dates = readDates(known, timezone);
    if (dates === undefined)
      throw createMissingError(sought, {
        reason: "has times whose day cannot be told without a timezone, its",
      });
    return dates.flatMap((date, index): ServiceDay[] => {
      const [day, views] = [readCount(visitors[index]), readCount(pageviews[index])];
      return day === undefined || views === undefined ? [] : [{ date, visitors: day, pageviews: views }];
    });
  };
  const points = reader.read(name, path, answer, {
    apply,
    find: () => findTable(answer, query, (table) => readSeriesColumns(table, query)).reading,
  });
  const sorted = points.toSorted((a, b) => Number(a.date > b.date) - Number(a.date < b.date));
  const repeated = sorted.find(({ date }, index) => date === sorted[index - 1]?.date);
  if (repeated) throw createMissingError(sought, { reason: `has ${repeated.date} twice, its` });
  return sorted;
}

const isDay = (cell: Cell) => readWritten(cell) !== undefined;

/** Where a series has its days and their counts. */
function readSeriesColumns(table: Table, query: TableQuery): Reading {
  const date = findDate(table, query);
  if (date === undefined) throw createMissingError({ ...query, field: "date" }, { places: table.columns });
  const findCounts = (field: "visitors" | "pageviews") => (chosen: TableQuery["chosen"]) => {
    const given = { ...query, chosen };
    const found = findColumn(table, field, given, isCount);
    if (found === undefined) throw createMissingError({ ...given, field }, { places: listCounts(table) });
    return found;
  };
  return findFields(query, {
    date: () => date,
    visitors: findCounts("visitors"),
    pageviews: findCounts("pageviews"),
  });
}

function findDate(table: Table, query: TableQuery): Found | undefined {
  if (query.chosen.date === undefined && table.days !== undefined)
    return { pointer: table.days, by: "shape" };
  const named = findColumn(table, "date", query, isDay);
  if (named !== undefined) return named;
  const isWritten = (cell: Cell) => typeof cell === "string" && isDay(cell);
  return findOnly(table.columns.filter((column) => cellsOf(table, column).every(isWritten)));
}
