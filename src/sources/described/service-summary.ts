import type { AnalyticsError } from "../../errors.ts";
import { readMember } from "../../member.ts";
import type { CallOptions } from "../../operations/call.ts";
import { dimensions } from "../../operations/dimensions.ts";
import { breakdown, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import { again } from "./allowed-days.ts";
import { isOfOneAnswer, UnknownSiteError } from "./answer-errors.ts";
import type { Cell } from "./answer-tables.ts";
import type { Described } from "./capabilities.ts";
import {
  type FieldMapping,
  type Found,
  fieldMapping,
  type Reading,
  type ServiceSite,
} from "./field-mapping.ts";
import { UnclearFieldError, wordOf } from "./find-field.ts";
import { namesOf, type Pointer } from "./json-pointer.ts";
import { readRecord } from "./read-record.ts";
import { isCounted, listUnread, nameChosen } from "./read-rows.ts";
import { applyReading } from "./read-table.ts";
import type { ServiceReader } from "./service-reader.ts";
import { findSite } from "./service-sites.ts";
import { isNoCount, isOtherMetric, rankDimension, rankName } from "./words.ts";

/** How a service that only describes itself is read, for the person who uses it. */
export interface ServiceSummary {
  fields: SummaryField[];
  /** What cannot be read. */
  problems: Problem[];
  /** Undefined if nothing is unclear. */
  proposal: Proposal | undefined;
  /** How many operations were asked. */
  tried: number;
  /** What the service does not have. */
  lacks: {
    active: boolean;
    events: boolean;
    timezone: boolean;
    breakdownDays: boolean;
    description: boolean;
    /** The only numbers of days that it answers for; none if it takes any. */
    days: readonly string[];
  };
  /** The site that was asked about; undefined if there is none. */
  site: ServiceSite | undefined;
  /** The reading as a mapping. */
  mapping: FieldMapping;
}

/** A mapping that would choose what is unclear, with what it says already, and what of it is proposed. */
export interface Proposal {
  mapping: FieldMapping;
  choices: readonly ProposedPlace[];
}

export interface ProposedPlace {
  operation: string;
  field: string;
  /** Undefined if it is left open. */
  place: Pointer | undefined;
  /** What else it could be, and what is known about these places. */
  others: readonly Pointer[];
  about: string;
}

interface Problem {
  operation: string;
  error: AnalyticsError;
}

/** A field, where it is, and what is there. */
export interface SummaryField extends Found {
  operation: string;
  field: string;
  example: Cell;
}

const DAYS = 7;
const LIMIT = 5;
const DIMENSION = "pages";
const ROWS = `${breakdown.name} ${DIMENSION}`;

/**
 * Asks each operation once, for one site. An operation that cannot be read is a problem, and the others go on. Throws
 * AnalyticsError for a failure that is not about one answer, such as a refused key.
 *
 * @param asked The site; the first one if undefined.
 */
export async function summarizeService(
  described: Described,
  asked: string | undefined,
  options: CallOptions,
): Promise<ServiceSummary> {
  const { reader } = described;
  const { sites: known } = reader.learned();
  const site = asked === undefined ? known[0] : findSite(known, asked);
  const problems: Problem[] = [];
  let unread: readonly Pointer[] = [];
  let timezone = site?.timezone;
  const fields = listFields(sites.name, reader.learned().readings[sites.name], ({ field }) =>
    site === undefined ? null : (Object.entries(site).find(([name]) => name === field)?.[1] ?? null),
  );
  const steps = site === undefined ? [] : listSteps(described, site, options);
  for (const { operation, key, read, ask } of steps) {
    try {
      const named = await read();
      timezone ??= named;
    } catch (error) {
      if (!isOfOneAnswer(error)) throw error;
      // An answer can need that of another operation, which has the problem then.
      if (readMember(reader.learned().readings, key) === undefined) problems.push({ operation, error });
    }
    const reading = readMember(reader.learned().readings, key);
    if (reading === undefined) continue;
    const answer = await ask();
    fields.push(...listFields(operation, reading, findExample(answer, reading)));
    if (key === ROWS) unread = listUnreadRows(answer, reading);
  }
  const has = (operation: string, field?: string) =>
    fields.some((found) => found.operation === operation && (field ?? found.field) === found.field);
  // A site that the service does not know is another matter.
  const isAbsent = ({ operation, error }: Problem) =>
    operation === realtime.name && error.code === "not_found" && has(stats.name);
  const hasActive = !problems.some(isAbsent);
  return {
    fields,
    problems: problems.filter((problem) => !isAbsent(problem)),
    proposal: proposeMapping(reader.mapping, problems, unread),
    tried: steps.length - Number(!hasActive),
    lacks: {
      active: !hasActive,
      events: has(stats.name) && !has(stats.name, "events"),
      timezone: site !== undefined && timezone === undefined,
      breakdownDays: has(breakdown.name) && !reader.takes(breakdown.path, "days"),
      description: !reader.learned().isDescribed,
      days: (reader.parameter(stats.path, "days")?.allowed ?? []).map(String),
    },
    site,
    mapping: {
      ...buildMapping(reader, fields),
      ...(!hasActive && { realtime: { visitors: null } }),
    },
  };
}

type Places = Record<string, Pointer | null | undefined>;

/**
 * What is unclear, chosen in one mapping: a field by the same name in all answers.
 *
 * @param rows Counts in the rows of a breakdown that are not read.
 */
export function proposeMapping(
  given: FieldMapping,
  problems: readonly Problem[],
  rows: readonly Pointer[],
): Proposal | undefined {
  let mapping: Record<string, unknown> = { ...given };
  const choices = new Map<string, ProposedPlace>();
  const names = nameChosen(given);
  const chosenFor = (operation: string) => (readMember(mapping, operation) ?? {}) as Places;
  const add = (choice: ProposedPlace) => choices.set(`${choice.operation}.${choice.field}`, choice);
  const choose = (operation: string, field: string, known: readonly Pointer[], about = "") => {
    const taken = Object.values(chosenFor(operation));
    const place = known.find(isNamed(field)) ?? known.find((each) => !taken.includes(each));
    const isLike = (last = "") => !isNoCount(last) && !isOtherMetric(last);
    const others = known.filter((other) => other !== place && isLike(namesOf(other).at(-1)));
    add({ operation, field, place, others, about });
    mapping = {
      ...mapping,
      [operation]: { ...chosenFor(operation), ...(place !== undefined && { [field]: place }) },
    };
    const isNew = operation !== realtime.name && isCounted(field) && !names.has(field);
    if (isNew && place !== undefined) names.set(field, wordOf(place));
  };
  const isNamed = (field: string) => (place: Pointer) => wordOf(place) === names.get(field);
  for (const { error } of problems) {
    if (error instanceof UnknownSiteError) {
      const { sites: ids } = error.proposal;
      mapping = { ...mapping, ...error.proposal };
      add({ operation: sites.name, field: "id", place: ids.id, others: [], about: "" });
    }
    if (!(error instanceof UnclearFieldError)) continue;
    const { operation, places } = error.choice;
    for (const [field, known] of Object.entries(places)) choose(operation, field, known, error.about);
  }
  for (const field of names.keys()) {
    const isUnread = readMember(chosenFor(breakdown.name), field) === undefined;
    if (isUnread && rows.some(isNamed(field))) choose(breakdown.name, field, rows);
  }
  return choices.size === 0 ? undefined : { mapping, choices: [...choices.values()] };
}

/** A mapping as a file: what is read, with what is chosen or proposed. */
export function buildFile(read: FieldMapping, chosen: FieldMapping = {}): FieldMapping {
  const members = Object.keys(fieldMapping().shape).flatMap((name): [string, unknown][] => {
    const parts = [read, chosen]
      .map((mapping): unknown => readMember(mapping, name))
      .filter((part) => part !== undefined);
    const isObject = typeof parts[0] === "object";
    return parts.length === 0 ? [] : [[name, isObject ? Object.assign({}, ...parts) : parts.at(-1)]];
  });
  return Object.fromEntries(members);
}

interface Step {
  operation: string;
  /** The name of its reading. */
  key: string;
  /** Reads the answer, and returns the timezone that it names. */
  read(): Promise<string | undefined>;
  /** The same answer as it came. */
  ask(): Promise<unknown>;
}

function listSteps({ service, reader }: Described, site: ServiceSite, options: CallOptions): Step[] {
  const [of, limit] = [site.id, Math.min(LIMIT, reader.parameter(breakdown.path, "limit")?.maximum ?? LIMIT)];
  const daysOf = (operation: { path: string }) => reader.allowedDays(operation).comeNear(DAYS);
  const days = daysOf(timeseries);
  const ranked = { limit, days: daysOf(breakdown) };
  return [
    {
      operation: stats.name,
      key: stats.name,
      read: () => again(() => service.totals(of, daysOf(stats), options)).then(() => undefined),
      ask: () => reader.askSite(stats.path, site, { days: daysOf(stats) }, options),
    },
    {
      operation: timeseries.name,
      key: timeseries.name,
      read: () =>
        service.answer(timeseries, { site: of, days }, options).then(({ period }) => period?.timezone),
      ask: () => reader.askSite(timeseries.path, site, { days }, options),
    },
    {
      operation: breakdown.name,
      key: ROWS,
      read: () =>
        service
          .answer(breakdown, { site: of, dimension: DIMENSION, ...ranked }, options)
          .then(({ period }) => period?.timezone),
      ask: () => reader.askDimension(site, DIMENSION, ranked, options),
    },
    {
      operation: realtime.name,
      key: realtime.name,
      read: () => service.answer(realtime, { site: of }, options).then(() => undefined),
      ask: () => reader.askSite(realtime.path, site, {}, options),
    },
  ];
}

const listFields = (
  operation: string,
  reading: Reading = {},
  findCell: (place: { field: string; pointer: string }) => Cell | undefined,
): SummaryField[] =>
  Object.entries(reading).map(([field, found]) => ({
    operation,
    field,
    ...found,
    example: findCell({ field, pointer: found.pointer }) ?? null,
  }));

/** Finds what an answer has in a place: of a table, in its first row. */
function findExample(answer: unknown, reading: Reading) {
  const [row] = applyReading(answer, withoutTotal(reading))?.rows ?? [];
  const cells = readRecord(answer);
  return ({ field, pointer }: { field: string; pointer: string }): Cell | undefined => {
    if (field === "list") return null;
    if (pointer === "") return typeof answer === "number" || typeof answer === "string" ? answer : null;
    return (field === "total_rows" ? undefined : row?.get(pointer)) ?? cells.get(pointer);
  };
}

function listUnreadRows(answer: unknown, reading: Reading): Pointer[] {
  const table = applyReading(answer, withoutTotal(reading));
  return table === undefined ? [] : listUnread(table, reading);
}

/** The number of all rows stands beside the table, not in it. */
const withoutTotal = ({ total_rows: _, ...columns }: Reading): Reading => columns;

/** The fields that a person would look for, where the service has none. */
const ABSENT = [
  [sites.name, "timezone"],
  [stats.name, "events"],
] as const;

function buildMapping(reader: ServiceReader, fields: readonly SummaryField[]): FieldMapping {
  const site = reader.mapping.site ?? reader.learned().site;
  const names = listDimensions(reader).filter(
    ([dimension, name]) => name !== undefined && name !== dimension,
  );
  const members = [sites, stats, timeseries, breakdown, realtime].flatMap(({ name: operation }) => {
    const own = fields.filter((found) => found.operation === operation && !isOfRows(found));
    const absent = ABSENT.filter(
      ([name, field]) => name === operation && own.length > 0 && !own.some((found) => found.field === field),
    );
    const found = [
      ...own.map(({ field, pointer }) => [field, pointer] as const),
      ...absent.map(([, field]) => [field, null] as const),
    ];
    return found.length === 0 ? [] : [[operation, Object.fromEntries(found)] as const];
  });
  return {
    ...(site !== undefined && { site }),
    ...(names.length > 0 && { dimensions: Object.fromEntries(names) }),
    ...Object.fromEntries(members),
  };
}

/**
 * Whether a place is only that of the rows that were asked for: it has the name of their dimension, or the answer names the
 * metric beside its rows. Those of other dimensions can be elsewhere.
 */
const isOfRows = ({ operation, field, pointer, by }: SummaryField): boolean => {
  if (operation !== breakdown.name) return false;
  const names = namesOf(pointer);
  const isCount = field === "visitors" || field === "pageviews" || field === "events";
  return (
    names.some((name) => rankDimension(name, DIMENSION) !== undefined) ||
    (isCount && by === "name" && rankName(names, field) === undefined)
  );
};

/** The service's names of all dimensions; undefined for one that its description does not list. */
export const listDimensions = (reader: ServiceReader): [dimension: string, name: string | undefined][] =>
  dimensions.map((dimension) => {
    try {
      return [dimension, reader.nameDimension(dimension)];
    } catch {
      return [dimension, undefined];
    }
  });
