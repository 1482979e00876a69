import { DEFAULT_PROFILE } from "../../config/profiles.ts";
import type { AnalyticsError } from "../../errors.ts";
import { breakdown, stats, timeseries } from "../../operations/index.ts";
import { cleanText } from "../../render/clean-text.ts";
import type { Found } from "./field-mapping.ts";
import type { ServiceReader } from "./service-reader.ts";
import { listDimensions, type ServiceSummary } from "./service-summary.ts";

/** Sentences about how a service is read. Its own words in them are cleaned and cut. */

const MAX_WORD = 60;
const MAX_NAMES = 30;

/** Something that the service wrote. */
export const cutWord = (text: string, maxLength: number = MAX_WORD): string => cleanText(text, maxLength);

/** By what a field was found. */
export const LEARNED_FROM: Readonly<Record<Found["by"], string>> = {
  mapping: "the mapping",
  name: "its name",
  description: "the description",
  shape: "its shape",
};

/** One line an operation: `stats: visitors from /data/users, page views from /data/views`. */
export function listReadings({ fields }: ServiceSummary): string[] {
  const operations = [...new Set(fields.map(({ operation }) => operation))];
  return operations.map((operation) => {
    const own = fields.filter((found) => found.operation === operation && found.field !== "list");
    const places = own.map(({ field, pointer }) => `${field} from ${cutWord(pointer) || "the whole answer"}`);
    return `${operation}: ${places.join(", ")}`;
  });
}

/**
 * What the service does not have, and what that means.
 *
 * @param profile The one that it is saved in, if that has a name.
 */
export const listLacks = ({ lacks, site }: ServiceSummary, profile?: string | undefined): string[] => [
  ...(lacks.events ? ["It has no events."] : []),
  ...(lacks.active ? ["It has no active visitors (/realtime): everything else works without them."] : []),
  ...(lacks.breakdownDays
    ? [
        "It does not say which days its lists cover: no description (/openapi.json) has the parameter days for /breakdown.",
      ]
    : []),
  ...(lacks.days.length > 0
    ? [
        `It answers only for ${lacks.days
          .slice(0, MAX_NAMES)
          .map((count) => cutWord(count))
          .join(", ")} days up to today.`,
      ]
    : []),
  ...(lacks.description ? ["It has no description (/openapi.json) that can be read."] : []),
  ...(lacks.timezone
    ? [
        `It names no timezone: its dates are its own. If you know it: analytics-mcp login${profile === undefined || profile === DEFAULT_PROFILE ? "" : ` --profile ${profile}`} --site-timezones ${nameZone(site)}`,
      ]
    : []),
];

/** A timezone of the site as people give it; of all sites, if its name would not stand in a command as it is. */
const nameZone = (site: ServiceSummary["site"]) =>
  /^[\w-]+(\.[\w-]+)+$/.test(site?.domain ?? "") ? `${site?.domain}=Europe/Berlin` : "Europe/Berlin";

/** What cannot be read, and the line of a mapping that would choose. */
export const listProblems = ({ problems }: ServiceSummary): string[] =>
  problems.flatMap(({ operation, error }) => listProblem(operation, error));

export const listProblem = (operation: string, { message, hint }: AnalyticsError): string[] =>
  [`${operation}: ${message}`, ...(hint === undefined ? [] : [hint])].map((text) =>
    cleanText(text, MAX_PROBLEM),
  );

const MAX_PROBLEM = 1_000;

/** What requests send: the form of a site, names of dimensions, bounds. */
export function listRequestFacts(reader: ServiceReader, { site, mapping }: ServiceSummary): string[] {
  const names = listDimensions(reader);
  const isListed = (reader.parameter(breakdown.path, "dimension")?.allowed ?? []).length > 0;
  const other = names.flatMap(([dimension, name]) =>
    name === undefined || name === dimension ? [] : [`${dimension} as ${cutWord(name)}`],
  );
  const missing = names.flatMap(([dimension, name]) => (name === undefined ? [dimension] : []));
  const form = mapping.site;
  return [
    ...(form && site ? [`Requests send the site's ${form}, such as ${cutWord(site[form])}.`] : []),
    ...(other.length > 0 ? [`It calls ${other.slice(0, MAX_NAMES).join(", ")}.`] : []),
    ...(missing.length > 0 ? [`It has no lists of ${missing.join(", ")}.`] : []),
    ...(isListed ? [] : ["It does not list its dimensions: they are asked for by their usual names."]),
    ...[stats, timeseries, breakdown].flatMap(({ path }) => describeBounds(reader, path, "days")),
    ...describeBounds(reader, breakdown.path, "limit"),
  ];
}

function describeBounds(reader: ServiceReader, path: string, name: string): string[] {
  const { allowed = [], minimum, maximum } = reader.parameter(path, name) ?? {};
  const values = allowed.slice(0, MAX_NAMES).map((value) => cutWord(String(value)));
  const bounds =
    values.length > 0
      ? `one of ${values.join(", ")}`
      : [
          ...(minimum === undefined ? [] : [`at least ${minimum}`]),
          ...(maximum === undefined ? [] : [`at most ${maximum}`]),
        ].join(", ");
  return bounds === "" ? [] : [`${name} of ${path}: ${bounds}.`];
}
