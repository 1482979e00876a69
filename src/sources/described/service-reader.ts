import { ForeignAnswerError } from "../../client/foreign-answer.ts";
import type { ReadText } from "../../client/http-client.ts";
import { findSentence } from "../../client/problem-parser.ts";
import { parseJson } from "../../client/result-parser.ts";
import { quote, quoteIfNeeded } from "../../errors.ts";
import { readMember } from "../../member.ts";
import type { CallOptions } from "../../operations/call.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { breakdown, sites, stats } from "../../operations/index.ts";
import { type AllowedDays, findOtherDays, OtherDaysError, readAllowedDays } from "./allowed-days.ts";
import { createBrokenError, explainRefusal, isOfOneAnswer, UnknownSiteError } from "./answer-errors.ts";
import type { DescribedParameter } from "./description.ts";
import { findNamed, listDimensions, nameDimension, renameToDimension } from "./dimension-names.ts";
import type { FieldMapping, Learned, Reading, ServiceSite } from "./field-mapping.ts";
import type { Pointer } from "./json-pointer.ts";
import { learnDescription, SPECIFIED } from "./learn-description.ts";
import type { LearnedMemory } from "./learned-memory.ts";
import { findNextPage } from "./next-page.ts";
import { findOtherId, findTimezone, readSites } from "./service-sites.ts";

export type SiteForm = "id" | "domain" | "name";
const FORMS: readonly SiteForm[] = ["id", "domain", "name"];

export type RequestOptions = Pick<CallOptions, "signal" | "fresh">;
type Params = Record<string, unknown>;
type HowToRead<T> = { apply: (reading: Reading) => T | undefined; find: () => Reading };

/** Asks a service that keeps the specification in words of its own, and remembers what it learns about them. */
export interface ServiceReader {
  mapping: FieldMapping;
  learned(): Learned;
  listSites(options: RequestOptions): Promise<{ sites: ServiceSite[]; isCut: boolean }>;
  /** Asks about a site, in the form that the service wants. Parameters that it does not have are left out. */
  askSite(path: string, site: ServiceSite, params: Params, options: RequestOptions): Promise<unknown>;
  /** Asks for a dimension, by the service's name for it. */
  askDimension(site: ServiceSite, by: Dimension, params: Params, options: RequestOptions): Promise<unknown>;
  /** The timezone that a site's totals name; undefined if they name none. They are asked for once. */
  learnTimezone(site: ServiceSite, days: number, options: RequestOptions): Promise<string | undefined>;
  /** The service's name for a dimension. Throws AnalyticsError if its description lists none that is the same. */
  nameDimension(dimension: Dimension): string;
  /** The dimensions that its description lists; undefined if it lists none. */
  listed(): Dimension[] | undefined;
  /** What the description says about a parameter; undefined if there is none. */
  parameter(path: string, name: string): DescribedParameter | undefined;
  /** The numbers of days that a request may have. */
  allowedDays(operation: { path: string }): AllowedDays;
  /** Whether a request may have the parameter. */
  takes(path: string, name: string): boolean;
  texts(path: string): ReadonlyMap<Pointer, string>;
  /**
   * Reads an answer where its fields were found before, else finds them. A reading that no longer fits is made anew. Throws
   * AnalyticsError `bad_answer` for a field that cannot be found.
   */
  read<T>(key: string, path: string, answer: unknown, how: HowToRead<T>): T;
}

export interface ReaderContext {
  readText: ReadText;
  mapping: FieldMapping;
  memory: LearnedMemory;
  /** What was learned before. */
  learned: Learned | undefined;
}

const EMPTY: Learned = {
  dimensions: {},
  sites: [],
  timezones: {},
  readings: {},
  parameters: {},
  texts: {},
  paging: [],
  isDescribed: false,
};

export async function openServiceReader(
  { readText, mapping, memory, learned: before }: ReaderContext,
  options: RequestOptions,
): Promise<ServiceReader> {
  let learned = before ?? { ...EMPTY, ...(await learnDescription(readText, options)) };
  const update = (change: Partial<Learned>) => {
    learned = { ...learned, ...change };
    memory.keep(learned);
  };
  const get = async (path: string, params: Params, given: RequestOptions) => {
    const { text, link } = await readText(path, params, given);
    const answer = parseJson(text, (reason, cause) => createBrokenError(path, reason, cause));
    return { answer, link };
  };
  const parameter = (path: string, name: string) => readMember(readMember(learned.parameters, path), name);
  const takes = (path: string, name: string) =>
    readMember(SPECIFIED, path)?.includes(name) === true || parameter(path, name) !== undefined;
  const texts = (path: string) => new Map(Object.entries(readMember(learned.texts, path) ?? {}));

  const read: ServiceReader["read"] = (key, path, answer, { apply, find }) => {
    const known = readMember(learned.readings, key);
    const applied = known && apply(known);
    if (applied !== undefined) return applied;
    let reading: Reading;
    try {
      reading = find();
    } catch (error) {
      throw explainRefusal(path, answer) ?? error;
    }
    const found = apply(reading);
    if (found === undefined) throw createBrokenError(path, "it has no counts where they were found");
    update({ readings: { ...learned.readings, [key]: reading } });
    return found;
  };

  /** Whether a site has an identifier of its own. Without, its domain stands in. */
  const hasId = ({ id, domain }: ServiceSite) =>
    id !== domain || readMember(learned.readings, sites.name)?.id !== undefined;
  const askSite: ServiceReader["askSite"] = async (path, site, params, given) => {
    const sent = Object.fromEntries(Object.entries(params).filter(([name]) => takes(path, name)));
    const fixed = mapping.site ?? learned.site;
    const forms = fixed === undefined ? orderForms(parameter(path, "site")) : [fixed];
    const names = [...new Set(forms.map((form) => site[form]))];
    let refusal: ForeignAnswerError | undefined;
    for (const name of names) {
      try {
        const { answer } = await get(path, { site: name, ...sent }, given);
        const form = forms.find((each) => site[each] === name && (each !== "id" || hasId(site)));
        if (fixed === undefined && form !== undefined) update({ site: form });
        return answer;
      } catch (error) {
        const refused = learnDays(path, sent.days, error);
        refusal ??= refused;
      }
    }
    throw refusal?.code === "not_found"
      ? await explainNotFound(refusal, names, given)
      : refusal && explainParameters(refusal, path, ["site", ...Object.keys(sent)]);
  };

  /** Throws OtherDaysError for a refusal that names the numbers of days that can be had, and what is no refusal as it is. */
  const learnDays = (path: string, days: unknown, error: unknown): ForeignAnswerError => {
    if (!(error instanceof ForeignAnswerError)) throw error;
    const { code, message, status } = error;
    const others = typeof days === "number" && findOtherDays(findSentence(error.text) ?? "", days);
    if (!others) return error;
    const known = { text: "", ...parameter(path, "days"), ...others };
    const ofPath = { ...readMember(learned.parameters, path), days: known };
    update({ parameters: { ...learned.parameters, [path]: ofPath } });
    throw new OtherDaysError(code, message, {
      status,
      parameters: [{ parameter: "days", detail: "is refused" }],
    });
  };

  const list = (names: readonly string[]) =>
    [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" and ");
  /** What a service wants that this program does not send, by its description, else by its refusal. */
  const explainParameters = (error: ForeignAnswerError, path: string, sent: readonly string[]) => {
    const { code, message, text, status } = error;
    const described = Object.entries(readMember(learned.parameters, path) ?? {});
    const wanted = described.flatMap(([name, { isRequired }]) =>
      isRequired && !sent.includes(name) ? [quoteIfNeeded(name.slice(0, MAX_SENT))] : [],
    );
    const isMissing = /\b(required|missing)\b/i.test(findSentence(text) ?? "");
    if (wanted.length === 0 && !isMissing) return error;
    const wants =
      wanted.length > 0 ? `, but its description requires ${list(wanted.slice(0, MAX_WANTED))}` : "";
    return new ForeignAnswerError(code, message, text, {
      status,
      hint: `This program sends only ${list(sent)} to ${path}${wants}. No mapping changes what is sent: let the service answer to these alone.`,
    });
  };

  /** The list of sites came from there, so that the address is right. */
  const explainNotFound = async (
    error: ForeignAnswerError,
    sent: readonly string[],
    given: RequestOptions,
  ) => {
    const shown = sent.map((name) => quote(name, { maxLength: MAX_SENT })).join(", then ");
    const isOpen = (mapping.site ?? learned.site) === undefined;
    const list = isOpen ? await get(sites.path, {}, given).catch(() => undefined) : undefined;
    const other = list && findOtherId(list.answer, learned.readings[sites.name]);
    const hint = `${sites.path} answers at this address, so either the service has no such path, or it does not know the site by what was sent as \`site\`: ${shown}.`;
    if (other !== undefined) return new UnknownSiteError(error, hint, other);
    const { code, message, text, status } = error;
    return new ForeignAnswerError(code, message, text, { status, hint });
  };

  const readPage = async (params: Record<string, string>, given: RequestOptions) => {
    const { answer, link } = await get(sites.path, params, given);
    const { name: operation, path } = sites;
    const query = { operation, path, chosen: mapping.sites ?? {}, texts: texts(path) };
    const known = learned.readings[sites.name];
    const { sites: listed, reading } = readSites(answer, query, known);
    if (reading !== undefined && reading !== known) {
      update({ readings: { ...learned.readings, [sites.name]: reading } });
    }
    return { sites: listed, next: findNextPage(answer, link) };
  };

  const findName = (dimension: Dimension) => mapping.dimensions?.[dimension] ?? learned.dimensions[dimension];
  const nameOf: ServiceReader["nameDimension"] = (dimension) =>
    findName(dimension) ?? nameDimension(dimension, parameter(breakdown.path, "dimension"));

  return {
    mapping,
    learned: () => learned,
    nameDimension: nameOf,
    listed: () => {
      const found = listDimensions(parameter(breakdown.path, "dimension"));
      return found && dimensions.filter((each) => findName(each) !== undefined || found.includes(each));
    },
    parameter,
    allowedDays: ({ path }) => readAllowedDays(parameter(path, "days")),
    takes,
    texts,
    read,
    askSite,
    learnTimezone: async (site, days, given) => {
      const known = readMember(learned.timezones, site.id);
      if (known !== undefined) return known ?? undefined;
      try {
        const named = findTimezone(await askSite(stats.path, site, { days }, given));
        update({ timezones: { ...learned.timezones, [site.id]: named ?? null } });
        return named;
      } catch (error) {
        if (isOfOneAnswer(error) && !(error instanceof OtherDaysError)) return undefined;
        throw error;
      }
    },
    listSites: async (given) => {
      const found = new Map<string, ServiceSite>();
      let next: Record<string, string> | undefined = {};
      for (let page = 0; next !== undefined && page < MAX_PAGES; page++) {
        const size = found.size;
        const read = await readPage(next, given);
        for (const site of read.sites) found.set(site.id, site);
        // A page that repeats the ones before it leads nowhere.
        next = found.size > size ? read.next : undefined;
        if (next !== undefined && !allowsPaging(learned, next)) break;
      }
      const all = [...found.values()];
      const kept = all.slice(0, MAX_KEPT_SITES);
      if (JSON.stringify(kept) !== JSON.stringify(learned.sites)) update({ sites: kept });
      return { sites: all, isCut: next !== undefined };
    },
    askDimension: async (site, dimension, params, given) => {
      const known = findName(dimension);
      const name = nameOf(dimension);
      try {
        return await askSite(breakdown.path, site, { ...params, dimension: name }, given);
      } catch (error) {
        if (!(error instanceof ForeignAnswerError)) throw error;
        // A refusal often lists what is allowed.
        const other = known === undefined ? findNamed(error.text, dimension, name) : undefined;
        if (other === undefined) throw renameToDimension(error, dimension, name);
        const answer = await askSite(breakdown.path, site, { ...params, dimension: other }, given);
        update({ dimensions: { ...learned.dimensions, [dimension]: other } });
        return answer;
      }
    },
  };
}

const MAX_SENT = 60;
const MAX_WANTED = 5;
const MAX_PAGES = 100;
/** Of a service with more, the list is asked for when a site is named that is not among them. */
const MAX_KEPT_SITES = 1_000;

/** Whether parameters lead to another page, and may be sent. */
function allowsPaging({ paging }: Learned, next: Record<string, string>): boolean {
  const names = Object.keys(next);
  return names.length > 0 && (paging.length === 0 || names.every((name) => paging.includes(name)));
}

/** What requests send as `site`: what the description of the parameter speaks of, else the identifier. */
function orderForms(parameter: DescribedParameter | undefined): readonly SiteForm[] {
  const text = parameter?.text.toLowerCase() ?? "";
  const wantsDomain =
    /\b(domain|host ?name)\b/.test(text) && !/\b(id|uuid|identifier|integer|number)\b/.test(text);
  return wantsDomain ? ["domain", "id", "name"] : FORMS;
}
