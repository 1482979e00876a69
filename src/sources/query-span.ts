import { createParameterError, quote, quoteIfNeeded } from "../errors.ts";
import type { Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import {
  type Condition,
  type Filter,
  formatCondition,
  formatFilter,
  parseFilter,
  readFilter,
} from "../operations/filter.ts";
import { createMatch } from "../operations/filter-matching.ts";
import { normalizeSite } from "../operations/site-name.ts";
import {
  NO_SUCH_VALUE,
  NOT_RECORDED_EVENTS,
  ONLY_EVENTS,
  type Warning,
  warnOfDataStart,
} from "../operations/warning.ts";
import type { PartialSource, SourceSite, Span } from "./data-source.ts";
import { assertPossibleValues } from "./dimension-values.ts";
import { createSiteNotFound } from "./site-not-found.ts";
import { buildPeriod, resolveSpan } from "./span.ts";

/** What an answer is computed from. */
export interface AnswerContext {
  source: PartialSource;
  /** What the source is, for people: `Umami`. */
  label?: string | undefined;
  /** Milliseconds since 1970. Rounded down to a second, like the contract's timestamps; nothing later is counted. */
  now: number;
  signal?: AbortSignal | undefined;
  /** As in `CallOptions`. */
  withDates?: boolean | undefined;
}

/** Finds the site and the days of a query, and what every answer about days begins with. */
export async function openSpan(
  params: { site: string; days: number } & Partial<Days>,
  context: AnswerContext,
) {
  const { source, now, signal } = context;
  if (source.spans === false) assertNoSpan(params);
  const { site, filter } = await openSite(params, source, signal);
  const days = resolveSpan(params, site, source.daysKept, now);
  const span: Span = { site, ...days, now, ...(filter && { filter }) };
  const { dataSince = null } = span.site;
  const warnings = [
    ...warnOfDataStart(dataSince, span.from),
    ...((await source.warnings?.(span, signal)) ?? []),
  ];
  return {
    span,
    head: {
      site: { id: site.id, domain: site.domain },
      period: buildPeriod(span),
      ...(filter && { filter: formatFilter(filter) }),
    },
    warnings,
  };
}

function assertNoSpan(params: Partial<Days>): void {
  const parameter = (["from", "to"] as const).find((name) => params[name] !== undefined);
  if (parameter === undefined) return;
  throw createParameterError(parameter, "is unknown: this source only answers for days until today", {
    code: "unknown_parameter",
  });
}

/** Finds the site and the conditions of a query. Like all parameters, conditions are checked before the site. */
export async function openSite(
  params: { site: string },
  source: PartialSource,
  signal: AbortSignal | undefined,
): Promise<{ site: SourceSite; filter: Filter | undefined }> {
  const filter = readConditions(params, source);
  const site = await findSite(source, params.site, signal);
  for (const { dimension } of filter ?? []) await assertRecorded(source, site, dimension, "filter", signal);
  return { site, filter };
}

/** The conditions of a query. Throws AnalyticsError if the source has no filters, or no such value. */
function readConditions(params: object, source: PartialSource): Filter | undefined {
  const texts = readFilter(params);
  if (texts === undefined || texts.length === 0) return undefined;
  if (source.filters === undefined) {
    throw createParameterError("filter", "cannot be used: this source has no filters", {
      code: "unknown_parameter",
    });
  }
  const filter = parseFilter(texts);
  if (source.filters === true) assertPossibleValues(filter);
  for (const condition of filter) assertCountable(condition, source, "filter");
  return filter;
}

/** Finds a site by its id or domain, as a person may write it. Throws AnalyticsError `site_not_found`. */
export async function findSite(
  source: PartialSource,
  name: string,
  signal?: AbortSignal,
): Promise<SourceSite> {
  const wanted = normalizeSite(name);
  const site = source.site
    ? await source.site(wanted, signal)
    : (await source.sites(signal, true)).find(({ id, domain }) => id === wanted || domain === wanted);
  if (site) return site;
  throw createSiteNotFound();
}

/** Refuses events and pages that the source cannot know: its 0 would read as if they had been looked for. */
export function assertCountable(
  condition: Condition,
  source: PartialSource,
  parameter: "filter" | "steps",
): void {
  assertPages(condition, source, parameter);
  assertKnownEvents(condition, source, parameter);
}

function assertPages(
  { dimension, alternatives, isNot }: Condition,
  { explainNoPage }: PartialSource,
  parameter: "filter" | "steps",
): void {
  if (isNot || explainNoPage === undefined || !PAGES.has(dimension)) return;
  const reasons = alternatives.map((parts) =>
    parts?.length === 1 ? explainNoPage(parts[0] ?? "") : undefined,
  );
  if (reasons.includes(undefined)) return;
  const asked = quote(formatCondition({ dimension, alternatives, ofVisit: false, isNot }));
  throw createParameterError(parameter, `is ${asked}, but ${[...new Set(reasons)].join(", and ")}`);
}

const PAGES: ReadonlySet<Dimension> = new Set(["pages", "entry_pages", "exit_pages"]);

function assertKnownEvents(
  { dimension, alternatives }: Condition,
  { onlyEvents }: PartialSource,
  parameter: "filter" | "steps",
): void {
  if (dimension !== "events" || onlyEvents === undefined || alternatives.includes(null)) return;
  if (onlyEvents.some(createMatch({ alternatives, isNot: false }))) return;
  const asked = quote(formatCondition({ dimension, alternatives, ofVisit: false, isNot: false }));
  throw createParameterError(parameter, `is ${asked}, but ${describeEvents(onlyEvents)}`, {
    hint: "If visitors then see a page such as /thanks, ask for that page: pages=/thanks.",
  });
}

/** Says of a list without rows that it could have had few. */
export const warnOfEvents = (dimension: Dimension, { onlyEvents }: PartialSource): Warning[] =>
  dimension !== "events" || onlyEvents === undefined
    ? []
    : [{ code: ONLY_EVENTS, detail: `There are no events: ${describeEvents(onlyEvents)}.` }];

const describeEvents = (events: readonly string[]) =>
  `this source records no event other than ${events.map((event) => quote(event)).join(", ")}`;

/** The option that the source would need to record a dimension, as the end of a sentence. */
function nameMissing({ missingOption }: PartialSource, dimension: Dimension): string {
  const option = missingOption?.(dimension);
  return option === undefined ? "" : ` without ${option}`;
}

/** Says that no events were counted where the source has none. */
export async function warnOfNoEvents(
  site: SourceSite,
  { source, signal }: AnswerContext,
): Promise<Warning[]> {
  const recorded = await source.dimensions?.(site, signal);
  if (recorded === undefined || recorded.includes("events")) return [];
  const detail = `Events are not recorded${nameMissing(source, "events")}, so 0 is not a count of them.`;
  return [{ code: NOT_RECORDED_EVENTS, detail }];
}

export async function assertRecorded(
  source: PartialSource,
  site: SourceSite,
  dimension: Dimension,
  parameter: "dimension" | "filter" | "steps",
  signal?: AbortSignal,
): Promise<void> {
  const recorded = await source.dimensions?.(site, signal);
  if (recorded === undefined || recorded.includes(dimension)) return;
  const detail = `is ${dimension}, which this source does not record${nameMissing(source, dimension)}; it has ${recorded.join(", ")}`;
  throw createParameterError(parameter, detail, { allowed: recorded });
}

/** How many values are looked for. */
const MAX_SOUGHT = 10;

/** Says that there is nothing because nobody had the value of a condition. */
export async function warnOfValues(
  span: Span,
  counts: readonly { visitors: number; events?: number }[],
  { source, signal }: AnswerContext,
): Promise<Warning[]> {
  if (span.filter === undefined || counts.some(({ visitors, events = 0 }) => visitors + events > 0))
    return [];
  const sought = span.filter.flatMap(({ isNot, alternatives, ...condition }) =>
    isNot || alternatives.includes(null)
      ? []
      : alternatives.map((parts) => ({ ...condition, isNot, alternatives: [parts] })),
  );
  const missing: Condition[] = [];
  for (const condition of sought.slice(0, MAX_SOUGHT)) {
    const found = await source.days({ ...span, filter: [condition] }, signal);
    if (found.every(({ visitors }) => visitors === 0)) missing.push(condition);
  }
  const [first] = missing;
  if (first === undefined) return [];
  const detail = `Nothing in these days has ${missing.map((each) => quoteIfNeeded(formatCondition(each))).join(" or ")}: a value that was never recorded, or not in these days.`;
  return [{ code: NO_SUCH_VALUE, detail, values: { filter: formatCondition(first) } }];
}
