import { ForeignAnswerError } from "../../client/foreign-answer.ts";
import type { HttpClient, ReadText, Target } from "../../client/http-client.ts";
import { readBoundedJson } from "../../client/result-parser.ts";
import { AnalyticsError } from "../../errors.ts";
import type { AllDays, Call, CallOptions } from "../../operations/call.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { breakdown, openapi, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import { onceDone } from "../../operations/schemas.ts";
import type { CAPABILITIES, Described, DescribedCall } from "./capabilities.ts";
import type { DescribedService } from "./described-answers.ts";
import type { FieldMapping } from "./field-mapping.ts";
import { readPointer } from "./json-pointer.ts";
import type { LearnedMemory } from "./learned-memory.ts";

/*
 * Services that keep the specification in words of their own. This folder imports the contract, `client/`, `config/`, `names/`, `render/`,
 * what all sources share, and nothing of another source.
 */

export interface DescribedCallContext {
  client: HttpClient;
  readTarget: () => Promise<Target>;
  clock: () => number;
  /** Opens what is kept about the service between processes. */
  openMemory: (target: Target, mapping: FieldMapping | undefined) => LearnedMemory;
  /** The person's own mapping; undefined without one. */
  readMapping: () => Promise<FieldMapping | undefined>;
}

/** The operations of the specification. */
const SPECIFIED = new Set<string>([sites, stats, timeseries, breakdown, realtime].map(({ name }) => name));

/**
 * Calls of a service that keeps the contract, or only the specification in words of its own. A question is first asked as the
 * contract has it; only an answer that the contract does not have leads to the service's own words. Where they are known, or
 * the person gave a mapping, the service is asked by them at once.
 */
export function createDescribedCall(context: DescribedCallContext): DescribedCall {
  const { client, readTarget, clock, openMemory, readMapping } = context;
  let isContract = false;
  let isRemembered = false;
  let described: Promise<Described> | undefined;
  const { readText } = client;

  const open = onceDone(async () => {
    const target = await readTarget();
    const mapping = await readMapping();
    return { target, mapping, memory: openMemory(target, mapping) };
  });
  const understand = ({ signal }: CallOptions): Promise<Described> => {
    const started = (async () => {
      const { target, mapping, memory } = await open();
      const [{ openServiceReader }, { createDescribedService }] = await Promise.all([
        import("./service-reader.ts"),
        import("./described-answers.ts"),
      ]);
      const learned = memory.read();
      isRemembered = learned !== undefined;
      const isNew = mapping !== undefined && !isRemembered;
      if (isNew && (await keepsContract(readText, { signal }).catch(() => false)))
        throw createNeedlessMappingError();
      const context = { readText, mapping: mapping ?? {}, memory, learned };
      const reader = await openServiceReader(context, { signal });
      const { siteTimezones = {}, login } = target;
      return { reader, service: createDescribedService({ reader, clock, siteTimezones, login }) };
    })();
    described = started;
    // After a failure, the next question tries again.
    started.catch(() => {
      if (described === started) described = undefined;
    });
    return started;
  };
  /** Whether the service is known to be read by its own words, without a request. */
  const isDescribed = async (): Promise<boolean> => {
    if (isContract || described !== undefined) return described !== undefined;
    const { mapping, memory } = await open();
    return mapping !== undefined || memory.read() !== undefined;
  };
  const findDescribed = async (options: CallOptions): Promise<Described | undefined> =>
    (await isDescribed()) ? (described ?? understand(options)) : undefined;

  /** Finds out whether a service that answered otherwise than the contract is one that only describes itself. */
  const recognize = async (error: ForeignAnswerError, options: CallOptions): Promise<Described> => {
    if (error.status === 200 && claimsContract(error.text)) throw error;
    if (described !== undefined) return described;
    if (await keepsContract(readText, options).catch(() => false)) {
      isContract = true;
      throw error;
    }
    const found = await (described ?? understand(options));
    try {
      await found.reader.listSites(options);
      return found;
    } catch (cause) {
      described = undefined;
      // Without sites, a refusal is about something else: another address, for example.
      throw error.status === 200 ? cause : error;
    }
  };

  /** Asks by the service's own words. What an earlier process learned may no longer be so: then they are learned anew, once. */
  const answerDescribed: Call = async (operation, params, options = {}) => {
    const { service } = await (described ?? understand(options));
    try {
      return await service.answer(operation, params, options);
    } catch (error) {
      if (!isRemembered || !isUnreadable(error)) throw error;
      (await open()).memory.forget();
      return (await understand(options)).service.answer(operation, params, options);
    }
  };

  const call: Call = async (operation, params, options = {}) => {
    const isSpecified = SPECIFIED.has(operation.name);
    if (operation.name !== openapi.name && (await findDescribed(options)) !== undefined) {
      return answerDescribed(operation, params, options);
    }
    try {
      const answer = await client.call(operation, params, options);
      isContract ||= isSpecified;
      return answer;
    } catch (error) {
      if (operation.name === openapi.name) throw await explainNoDescription(error, options);
      if (isContract || !isSpecified || !(error instanceof ForeignAnswerError)) throw error;
      await recognize(error, options);
      return answerDescribed(operation, params, options);
    }
  };

  /** A refusal is about the description alone if the rest of the API answers. */
  const explainNoDescription = async (error: unknown, options: CallOptions) => {
    if (!(error instanceof ForeignAnswerError) || error.code !== "not_found") return error;
    const answers = await call(sites, {}, options).catch(() => undefined);
    return answers === undefined ? error : createUndescribedError(error);
  };

  /** A capability that the service's own words decide, where it is known to be read by them. */
  const decide = async <T>(
    options: CallOptions,
    byWords: (service: DescribedService) => T | Promise<T>,
    byContract: () => T | Promise<T>,
  ): Promise<T> => {
    const found = await findDescribed(options);
    return found === undefined ? byContract() : byWords(found.service);
  };
  const no = () => false;
  const yes = () => true;
  const unknown = () => undefined;
  const capabilities: Pick<DescribedCall, (typeof CAPABILITIES)[number]> = {
    readSite: client.call.readSite,
    offersSpans: (operation, options) =>
      decide(options, no, () => client.call.offersSpans(operation, options)),
    offersFilter: (operation, options) =>
      decide(options, no, () => client.call.offersFilter(operation, options)),
    offersHours: (options) => decide(options, no, () => client.call.offersHours(options)),
    mayOffer: async ({ name }) => SPECIFIED.has(name) || !(await isDescribed()),
    listed: (options) =>
      decide<readonly Dimension[] | undefined>(options, (service) => service.listed(), unknown),
    today: (site, options) =>
      decide<string | undefined>(options, (service) => service.today(site, options), unknown),
    lastDay: (site, options) =>
      decide<string | undefined>(options, (service) => service.lastDay(site, options), unknown),
    addsUp: (site, days, options) => decide(options, (service) => service.addsUp(site, days, options), yes),
    offersDays: (operation, options) => decide(options, (service) => service.offersDays(operation), yes),
    fitDays: (operation, days, options) =>
      decide(
        options,
        (service) => service.fitDays(operation, days),
        () => days,
      ),
    allDays: (operation, site, options) =>
      decide<AllDays | undefined>(options, (service) => service.allDays(operation, site, options), unknown),
    readDescribed: async (options: CallOptions) => {
      if (!isContract && described === undefined) await call(sites, {}, options);
      return findDescribed(options);
    },
  };
  return Object.assign(call, capabilities);
}

/** Whether an answer has members that only the contract has: then it is to be judged by it. */
function claimsContract(text: string): boolean {
  const answer = readBoundedJson(text);
  const period = Object(readPointer(answer, "/period"));
  return (
    Object.hasOwn(period, "complete_through") ||
    readPointer(answer, "/window_minutes") !== undefined ||
    readPointer(answer, "/sites/0/data_since") !== undefined
  );
}

/** Whether the service's list of sites is that of the contract. */
async function keepsContract(readText: ReadText, options: CallOptions): Promise<boolean> {
  const { text } = await readText(sites.path, {}, options);
  const parsed = sites.result.safeParse(readBoundedJson(text));
  return parsed.success && parsed.data.sites.length > 0;
}

const createUndescribedError = (cause: ForeignAnswerError) =>
  new AnalyticsError("not_found", `This service has no description (${openapi.path}) that can be read.`, {
    hint: "Everything else works without it.",
    status: cause.status,
    cause,
  });

const createNeedlessMappingError = () =>
  new AnalyticsError("usage", "A mapping has no use here: this service keeps the contract.", {
    hint: "Leave out --mapping and ANALYTICS_MAPPING. If a profile has one, log in again with a mapping file of {}.",
  });

/** Whether an error may come from words that have changed. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof ForeignAnswerError || (error instanceof AnalyticsError && error.code === "bad_answer");
