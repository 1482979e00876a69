import type { GivenKey } from "../../config/access.ts";
import { readApiKey } from "../../config/api-key.ts";
import { completeAddress, readBaseUrl } from "../../config/base-url.ts";
import { readGivenKey } from "../../config/given-key.ts";
import { findMapping, type GivenMapping } from "../../config/given-mapping.ts";
import type { Profile } from "../../config/profiles.ts";
import { findHostedAddress, findNamedService, type SiteTimezones } from "../../config/services.ts";
import { readVariable } from "../../config/variables.ts";
import { AnalyticsError, type ErrorCode, quoteWord } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import { sites } from "../../operations/index.ts";
import type { AnswerOf } from "../../operations/operation.ts";
import { findListed } from "../../operations/site-name.ts";
import { SITES_DEADLINE } from "../../setup/service-trial.ts";
import type { Described } from "../../sources/described/capabilities.ts";
import type { GatewayKind } from "../../sources/gateways/gateway.ts";
import { findGateway } from "../../sources/gateways/gateway-kinds.ts";
import { createContractCall, createServiceCall, reachService } from "../../sources/service-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import { suggestSite } from "../../suggest.ts";
import type { Io } from "../io.ts";
import { showProgress } from "../output/progress-line.ts";
import { printNote } from "../output/streams.ts";
import type { Ask, Field } from "./login-prompt.ts";
import {
  askForTimezones,
  assertHasUse,
  createNotThereError,
  findGivenTimezones,
  readWord,
  recognizeService,
} from "./login-service.ts";

export interface Service {
  /** The gateway to a service with an API of its own. */
  kind: GatewayKind | undefined;
  baseUrl: string;
  /** With a user's name, the password. */
  apiKey: string;
  user: string | undefined;
  siteTimezones: SiteTimezones | undefined;
  /** Set if a person can be asked for timezones, with those to propose. */
  asksTimezones?: { saved: SiteTimezones | undefined } | undefined;
  /** Where a service that only describes itself has its fields. */
  mapping: GivenMapping | undefined;
  /** Whether a person typed the key, and can type another. */
  isTyped: boolean;
  /** The options that choose profile and key, for a command to try next. */
  loginOptions: readonly string[];
}

export interface ServiceFlags extends SourceFlags {
  siteTimezones?: string | undefined;
}

export type KnownSites = AnswerOf<typeof sites>["sites"];

const NO_SITE = "none";

/** Asks for the key; first for a user's name, where name and password can stand in for it. */
function createKeyFields(
  kind: GatewayKind | undefined,
  saved?: string,
): [user: Field | undefined, key: Field] {
  const { label = "API key", where } = kind?.key ?? {};
  const isUser = kind?.signIn !== undefined;
  let named = "";
  const hint = where === undefined || isUser ? "" : ` (${where})`;
  const key: Field = {
    label: isUser ? `Password, or ${label}` : `${label}${hint}`,
    hidden: true,
    // Of a user who was named, it would be the password.
    get fallback() {
      return named === "" ? saved : undefined;
    },
    read: (text) => (named === "" ? readApiKey(text, "What you typed", where) : readWord(text)),
  };
  const user: Field = {
    label: `User name in ${kind?.title}, or nothing if you have an ${label}${saved === undefined ? "" : " or keep the saved one"}`,
    read: (text) => {
      named = text === "" ? "" : readWord(text);
      return named;
    },
  };
  return [isUser ? user : undefined, key];
}

/** Reads address and key from the options, and asks at the terminal for what they lack. Throws AnalyticsError. */
export async function readService(
  io: Io,
  ask: Ask,
  flags: ServiceFlags,
  saved: Profile | undefined,
): Promise<Service> {
  const { environment } = io;
  const named = findKind(io, flags, saved);
  const given = await findGivenKey(io, flags, saved, named);
  // Whether a service without a name tells its timezones shows when it is asked.
  if (named !== undefined) assertHasUse(named, flags.siteTimezones);
  const earlier = saved?.service === named?.name ? saved : undefined;
  const suggested =
    earlier?.baseUrl ?? readVariable(environment, "ANALYTICS_BASE_URL") ?? findHostedAddress(named?.name);
  // A key from a pipe means a script: nobody is asked anything.
  const isTyped = given === undefined;
  const text = flags.baseUrl ?? (isTyped ? undefined : suggested);
  if ((text === undefined || isTyped) && !io.stdin.isTTY) throw createNoTerminalError(named, !isTyped);
  const address =
    text === undefined
      ? await ask(createAddressField(io, named, suggested))
      : readAddress(text, environment, flags.baseUrl && "--base-url", named);
  // A script's key is tried first: most addresses are of services that need no other look.
  const kind = isTyped ? await recognizeAt(io, named ? address : cutBasePath(address), named) : named;
  const timezones = findGivenTimezones(io, flags.siteTimezones, earlier);
  const service: Service = {
    kind,
    baseUrl: kind === named ? address : readBaseUrl(cutBasePath(address), environment, undefined, kind?.name),
    user: undefined,
    apiKey: given?.apiKey ?? "",
    siteTimezones: kind === undefined || kind.asksFor !== undefined ? timezones : undefined,
    mapping: findMapping(flags, environment, { service: kind?.name }),
    isTyped,
    loginOptions: listLoginOptions(flags),
  };
  return isTyped ? askForKey(ask, service, flags, saved) : service;
}

/** The key that an option gives; that of a saved profile, if the options are only about how its service is read. */
async function findGivenKey(
  io: Io,
  flags: ServiceFlags,
  saved: Profile | undefined,
  named: GatewayKind | undefined,
): Promise<GivenKey | undefined> {
  const given = await readGivenKey(flags, io.stdin, named?.key.where);
  for (const warning of given?.warnings ?? []) await printNote(io, `warning: ${warning}`);
  const isAboutReading = flags.baseUrl === undefined && (flags.mapping ?? flags.siteTimezones) !== undefined;
  if (given !== undefined || saved === undefined || !isAboutReading || saved.service !== named?.name)
    return given;
  return { apiKey: saved.apiKey, source: "the profile" };
}

const listLoginOptions = ({ profile, apiKeyFile, apiKeyStdin }: ServiceFlags): string[] => [
  ...(profile === undefined ? [] : ["--profile", profile]),
  ...(apiKeyFile === undefined ? [] : ["--api-key-file", apiKeyFile]),
  ...(apiKeyStdin ? ["--api-key-stdin"] : []),
];

/** Asks for the key, and for sites that the service does not list. */
async function askForKey(
  ask: Ask,
  service: Service,
  { siteTimezones }: ServiceFlags,
  saved: Profile | undefined,
): Promise<Service> {
  const { kind, baseUrl } = service;
  // A saved key goes nowhere else.
  const isSaved = saved?.baseUrl === baseUrl && saved.service === kind?.name;
  const [user, key] = createKeyFields(kind, isSaved ? saved.apiKey : undefined);
  const typed = answer(service, await askFor(ask, { user, key }));
  if (kind?.asksFor === undefined || siteTimezones !== undefined) return typed;
  const asking = { ...typed, siteTimezones: undefined, asksTimezones: { saved: service.siteTimezones } };
  // Websites that the service lists show first whether the key is right.
  return kind.asksFor === "sites" ? askZones(ask, kind, asking) : asking;
}

const askZones = async (ask: Ask, kind: GatewayKind, service: Service): Promise<Service> => ({
  ...service,
  siteTimezones: await askForTimezones(ask, kind, service.siteTimezones ?? service.asksTimezones?.saved),
});

const readAddress = (
  text: string,
  environment: Io["environment"],
  source: string | undefined,
  kind: GatewayKind | undefined,
) => readBaseUrl(completeAddress(text), environment, source, kind?.name);

const cutBasePath = (baseUrl: string) => baseUrl.slice(0, -BASE_PATH.length);

/**
 * The service with an API of its own that answers at an address, without the contract's path; the one that was named, unless another
 * answers. Throws AnalyticsError if nothing answers there, or another service.
 */
async function recognizeAt(io: Io, address: string, named?: GatewayKind) {
  const kind = await recognizeService(io, address, named);
  if (named !== undefined) {
    if (kind === undefined || kind === named) return named;
    throw new AnalyticsError("bad_answer", `At ${address} is ${kind.title}, not ${named.title}.`, {
      hint: `For ${kind.title}: --service ${kind.name}. Or check the address: it is the one at which you open ${named.title} in a browser.`,
    });
  }
  if (kind !== undefined) await printNote(io, `This is ${kind.title}, which has an API of its own.`);
  return kind;
}

/** The gateway that was named, or that the same profile had at the same address. */
function findKind({ environment }: Io, flags: ServiceFlags, saved: Profile | undefined) {
  const same = flags.baseUrl === undefined ? saved?.service : undefined;
  const service = findNamedService(flags, environment) ?? same;
  return service && findGateway(service);
}

function createAddressField(
  { environment }: Io,
  kind: GatewayKind | undefined,
  suggested: string | undefined,
): Field {
  return {
    label:
      kind === undefined || findHostedAddress(kind.name) !== undefined
        ? `Address of ${kind?.title ?? "the analytics service"}`
        : `Address of ${kind.title}, as you open it in a browser`,
    fallback: suggested?.replace(/\/api\/v1\/?$/, ""),
    read: (text) => readAddress(text, environment, "What you typed", kind),
  };
}

/** A service with what was typed. */
const answer = (service: Service, { user, key }: { user?: string; key?: string }): Service => ({
  ...service,
  user: user || undefined,
  apiKey: key ?? service.apiKey,
});

/** Asks for the fields that are there, in their order. */
async function askFor<Name extends string>(ask: Ask, fields: Record<Name, Field | undefined>) {
  const answers: Partial<Record<Name, string>> = {};
  // The names are those of the fields.
  for (const [name, field] of Object.entries(fields) as [Name, Field | undefined][])
    if (field !== undefined) answers[name] = await ask(field);
  return answers;
}

export interface Tried {
  answer: AnswerOf<typeof sites>;
  /** How the service is read if it only describes itself. */
  described: Described | undefined;
}

/**
 * Tries the key, and returns the sites. If the service refuses a typed key, asks for another until Ctrl-C. For a script, a service that
 * turns out to have an API of its own is asked by that.
 */
export async function tryKey(io: Io, ask: Ask, given: Service): Promise<Service & Tried> {
  for (let service = given; ; ) {
    try {
      service = await signIn(io, service);
      const asked = service;
      const tried = await showProgress(io, new URL(asked.baseUrl), () => askSites(io, asked));
      return { ...service, ...tried };
    } catch (error) {
      if (!(error instanceof AnalyticsError)) throw error;
      const other = service.isTyped
        ? await askForZones(io, ask, service, error)
        : await findOther(io, service, error);
      service = other ?? (await askAgain(io, ask, service, error));
    }
  }
}

/** The service with the sites or timezones of a person, if these are what was wrong; undefined if not. */
async function askForZones(io: Io, ask: Ask, service: Service, error: AnalyticsError) {
  const { kind, asksTimezones, siteTimezones } = service;
  const isOther = error.code !== "usage" && error.code !== "site_not_found";
  if (kind === undefined || asksTimezones === undefined || isOther) return undefined;
  // The first time, nothing was wrong.
  if (siteTimezones !== undefined) {
    const { printProblem } = await import("./login-prompt.ts");
    await printProblem(io, error);
  }
  return askZones(ask, kind, service);
}

/** Changes a user's name and password into a key. */
async function signIn(io: Io, service: Service): Promise<Service> {
  const { kind, user, apiKey: password } = service;
  if (user === undefined || kind?.signIn === undefined) return service;
  const context = await openGatewayContext(io, service);
  return { ...service, apiKey: await kind.signIn(context, user, password), user: undefined };
}

async function openGatewayContext(io: Io, service: Service) {
  const { environment, clock } = io;
  const target = await openTarget(io, service, "");
  return { target, siteTimezones: service.siteTimezones, clock, environment, limits: undefined };
}

async function openTarget({ environment }: Io, service: Service, apiKey: string) {
  const { kind, baseUrl, siteTimezones, loginOptions } = service;
  const open = await reachService(environment, { baseUrl, service: kind?.name, siteTimezones });
  return { ...open(apiKey), keySource: "the key that you gave", loginOptions };
}

/** Asks for another key. Throws the error if another would not help, or nobody is there to type it. */
async function askAgain(io: Io, ask: Ask, service: Service, error: AnalyticsError): Promise<Service> {
  const { kind, baseUrl, isTyped } = service;
  if (kind !== undefined && isNotThere(error)) throw createNotThereError(baseUrl, kind, error);
  // Whoever has another plan has no better key.
  if (error.code !== "invalid_api_key" || error.status === 402 || !isTyped) throw error;
  const address = kind === undefined ? new URL(baseUrl).origin : baseUrl;
  // It may not tell a wrong key from a site that the key may not see.
  const isSites = kind?.asksFor === "sites";
  const refusal =
    service.user !== undefined
      ? `${address} does not accept this user name and password. ${error.hint}`
      : `${address} does not accept this key${isSites ? ", or the key may not see a site that you named" : ""}. ${kind === undefined ? "Check the key" : `Copy it again from ${kind.key.where}`}${isSites ? ", and look at how the sites are written there" : ""}.`;
  await printNote(io, `${refusal} Ctrl-C cancels.`);
  const [user, key] = createKeyFields(kind, isSites ? service.apiKey : undefined);
  const again = { ...key, label: `${key.label} again`, kept: "this one" };
  const typed = answer(service, await askFor(ask, { user, key: again }));
  return isSites ? askZones(ask, kind, typed) : typed;
}

export async function askSites(io: Io, service: Service): Promise<Tried> {
  const { kind, mapping } = service;
  const target = await openTarget(io, service, service.apiKey);
  const { clock, environment } = io;
  const options = { readTarget: () => target, clock, environment, limits: { deadline: SITES_DEADLINE } };
  if (kind !== undefined) {
    return {
      answer: await createServiceCall(kind.name, options)(sites, {}, { withDates: true }),
      described: undefined,
    };
  }
  const call = createContractCall({ ...options, readMapping: () => mapping, learnsAnew: true });
  return { answer: await call(sites, {}), described: await call.readDescribed({}) };
}

/** What an address answers at which there is another program than was named. */
const isNotThere = ({ code, status }: AnalyticsError) =>
  code === "not_found" || code === "bad_answer" || code === "method_not_allowed" || status === 501;

/** What an address answers that is no API of the contract. */
const MAY_BE_ANOTHER: ReadonlySet<ErrorCode> = new Set([
  "not_found",
  "bad_answer",
  "redirected",
  "invalid_api_key",
  "method_not_allowed",
  "internal_error",
]);

/** The same address and key, as those of a service with an API of its own, if there is one. */
async function findOther(io: Io, service: Service, error: AnalyticsError): Promise<Service | undefined> {
  if (service.kind !== undefined || !MAY_BE_ANOTHER.has(error.code)) return undefined;
  const address = cutBasePath(service.baseUrl);
  const kind = await recognizeAt(io, address);
  if (kind === undefined) return undefined;
  const baseUrl = readBaseUrl(address, io.environment, undefined, kind.name);
  return { ...service, kind, baseUrl, ...(kind.asksFor === undefined && { siteTimezones: undefined }) };
}

/** Asks which site to use when none is named. Returns undefined for none. */
export async function askForDefaultSite(ask: Ask, known: KnownSites, saved: string | undefined) {
  const domains = known.map(({ domain }) => domain);
  const read = (text: string) => {
    const word = text === NO_SITE ? "" : text;
    const site = findListed(known, word);
    if (word !== "" && site === undefined) {
      const guess = suggestSite(word, domains) || `Name one of the sites above, or ${NO_SITE}.`;
      throw new AnalyticsError("usage", `There is no site ${quoteWord(word)}.`, { hint: guess.trim() });
    }
    return site ?? "";
  };
  const label = "Site to use when none is named";
  const site = await ask({ label, fallback: saved ?? NO_SITE, read });
  return site === "" ? undefined : site;
}

/** The site as `findListed` finds it, if one was named. */
export const findKnownSite = (known: KnownSites, site: string | undefined): string | undefined =>
  site === undefined ? undefined : findListed(known, site);

const LOGS_NEED_NONE = " Access logs need no key: analytics-mcp login --logs '/var/log/nginx/access.log*'";

/** @param kind Of the service that was named. */
function createNoTerminalError(kind: GatewayKind | undefined, hasKey: boolean): AnalyticsError {
  if (hasKey) {
    return new AnalyticsError("no_base_url", "There is no service address to log in to.", {
      hint: "Add --base-url, for example --base-url https://stats.example.com.",
    });
  }
  const named = kind === undefined ? "" : ` --service ${kind.name}`;
  const address = findHostedAddress(kind?.name) === undefined ? " --base-url <url>" : "";
  const about = kind && ` Its ${kind.key.label} is in ${kind.title}: ${kind.key.where}.`;
  return new AnalyticsError(
    "no_api_key",
    "login asks for the key at a terminal, but standard input is not one.",
    {
      hint: `In a script: analytics-mcp login${named}${address} --api-key-stdin < file, or --api-key-file <file>.${about ?? LOGS_NEED_NONE}`,
    },
  );
}
