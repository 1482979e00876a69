import { DEFAULT_PROFILE } from "../../config/profiles.ts";
import type { AnalyticsError } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import { breakdown, stats, timeseries } from "../../operations/index.ts";
import { quoteForShell } from "../../operations/shell-command.ts";
import { cleanText, formatJson } from "../../render/clean-text.ts";
import { UnknownSiteError } from "./answer-errors.ts";
import type { FieldMapping, Found } from "./field-mapping.ts";
import { UnclearFieldError } from "./find-field.ts";
import type { ServiceReader } from "./service-reader.ts";
import { adviseOnTimezone } from "./service-sites.ts";
import { listDimensions, type Proposal, type ProposedPlace, type ServiceSummary } from "./service-summary.ts";

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

/** Where a service is saved: in a profile, or only at its address so far. */
export interface SavedPlace {
  profile?: string | undefined;
  baseUrl: string;
  apiKeyFile?: string | undefined;
}

/** The command that saves more about a service. */
const formatSave = (place: SavedPlace, ...more: readonly string[]) => formatSetUp("login", place, more);

function formatSetUp(
  command: string,
  { profile, baseUrl, apiKeyFile }: SavedPlace,
  more: readonly string[] = [],
) {
  const address = ["--base-url", baseUrl.replace(BASE_PATH, "")];
  const key = apiKeyFile === undefined ? [] : ["--api-key-file", apiKeyFile];
  const named = profile === undefined ? [...address, ...key] : ["--profile", profile];
  const options = [...(profile === DEFAULT_PROFILE ? [] : named), ...more];
  return [`analytics-mcp ${command}`, ...options.map(quoteForShell)].join(" ");
}

/** What the service does not have, and what that means. */
export const listLacks = ({ lacks, site }: ServiceSummary, place: SavedPlace): string[] => [
  ...(lacks.events ? ["It has no events."] : []),
  ...(lacks.active ? ["It has no active visitors (/realtime): everything else works without them."] : []),
  ...(lacks.breakdownDays
    ? [
        `Its lists take no days: ${lacks.description ? "there is no description (/openapi.json) that can be read" : "its description (/openapi.json) does not list the parameter days for /breakdown"}.`,
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
  ...(lacks.description && !lacks.breakdownDays
    ? ["It has no description (/openapi.json) that can be read."]
    : []),
  ...(lacks.timezone && site
    ? [`It names no timezone: its last day is taken as today.${adviseOnTimezone(formatSave(place), site)}`]
    : []),
];

/** What cannot be read, and what is known about it; what is known of several is said once. */
export function listProblems({ problems }: ServiceSummary): string[] {
  const lines = problems.map(({ operation, error }) => listProblem(operation, error));
  return lines.flatMap(([message = "", about = ""], index) =>
    about === "" || lines[index + 1]?.[1]?.startsWith(about) ? [message] : [message, about],
  );
}

export const listProblem = (operation: string, error: AnalyticsError): string[] =>
  [`${operation}: ${error.message}`, aboutOf(error)].map((text) => cleanText(text, MAX_PROBLEM));

/** The hint, without the mapping: that of all problems is one. */
const aboutOf = (error: AnalyticsError): string =>
  error instanceof UnclearFieldError || error instanceof UnknownSiteError ? error.about : (error.hint ?? "");

/** A mapping as a file with a line an operation, which is not wrapped. */
export const showMapping = (mapping: object): string =>
  `  {\n${Object.entries(mapping)
    .map(([name, value]) => `    ${formatJson(name)}: ${formatJson(value)}`)
    .join(",\n")}\n  }`;

/** A mapping as a file, with a comment on each place that is proposed or left open. */
export function formatMappingFile(
  file: FieldMapping,
  { choices }: Pick<Proposal, "choices"> = { choices: [] },
): string {
  const members = Object.entries(file).map(([name, value]) => {
    const comments = choices.filter(({ operation }) => operation === name).flatMap(commentOn);
    const text = `${formatJson(name)}: ${formatJson(value, 2)}`;
    const end = text.endsWith("{}") ? "\n" : "";
    const lines = comments.map((comment) => `\n  // ${cleanText(comment, MAX_PROBLEM)}`).join("");
    return `  ${comments.length === 0 ? text : text.replace("{", () => `{${lines}${end}`)}`.replaceAll(
      "\n",
      "\n  ",
    );
  });
  return members.length === 0 ? "{}" : `{\n${members.join(",\n")}\n}`;
}

function commentOn({ field, place, others, about }: ProposedPlace): string[] {
  if (place === undefined)
    return [
      `${field}: left open. ${about} Name its place without the slashes:`,
      `"${field}": "/place/of/${field}",`,
    ];
  const places = others.slice(0, MAX_PLACES).map((other) => formatJson(other));
  return [
    `${field}: proposed, please check.${places.length === 0 ? "" : ` It could also be ${places.join(", ")}.`}`,
  ];
}

const MAX_PLACES = 8;

/** Whether a mapping leaves a place open. */
export const isOpen = ({ choices }: Proposal): boolean => choices.some(({ place }) => place === undefined);

/** The mapping that is proposed, as a file with a line an operation, and the command that saves it; nothing if there is none. */
export function listProposal({ proposal, problems }: ServiceSummary, place: SavedPlace): string[] {
  if (proposal === undefined) return [];
  const save = `  ${formatSave(place, "--mapping", "service.json")}`;
  if (isOpen(proposal))
    return [
      "Print a mapping file, name the places that it leaves open, and save it:",
      `  ${formatPrint(place)}`,
      save,
    ];
  return [
    `${problems.length > 0 ? "" : "Its lists can have visitors or page views, too. "}If this mapping is right, save it as service.json; if not, change it first:`,
    showMapping(proposal.mapping),
    "Then:",
    save,
  ];
}

const formatPrint = (place: SavedPlace) => `${formatSetUp("mapping", place)} > service.json`;

/** The same in one sentence, with what is known about a problem. */
export function adviseOnProposal(error: AnalyticsError, proposal: Proposal, place: SavedPlace): string {
  const [how, what] = isOpen(proposal)
    ? ["Name the places that this file leaves open", formatPrint(place)]
    : ["If this mapping is right, save it as service.json", formatJson(proposal.mapping)];
  return `${aboutOf(error)} ${how}: ${what} Then: ${formatSave(place, "--mapping", "service.json")}`.trim();
}

/** The same for a file with its comments, in one line; nothing if nothing is proposed. */
export function listChoices({ proposal }: Pick<ServiceSummary, "proposal">, place: SavedPlace): string[] {
  const named = proposal?.choices.map(({ operation, field }) => `${operation}.${field}`) ?? [];
  const save = formatSave(place, "--mapping", "service.json");
  return named.length === 0 ? [] : [`Choices to check in the file: ${named.join(", ")}. Then: ${save}`];
}

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
