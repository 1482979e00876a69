import { createHttpClient } from "../../client/http-client.ts";
import { readApiKey } from "../../config/api-key.ts";
import { completeAddress, readBaseUrl } from "../../config/base-url.ts";
import { readGivenKey } from "../../config/given-key.ts";
import type { Profile } from "../../config/profiles.ts";
import { readVariable } from "../../config/variables.ts";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { sites } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { suggest } from "../../render/suggest.ts";
import { reachService } from "../../sources/service-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import type { Field } from "./login-prompt.ts";

interface Service {
  baseUrl: string;
  apiKey: string;
  /** Whether a person typed the key, and can type another. */
  isTyped: boolean;
}

export type KnownSites = ResultOf<typeof sites>["sites"];

const NO_SITE = "none";

const keyField: Field = {
  label: "API key",
  hidden: true,
  read: (text) => readApiKey(text, "What you typed"),
};

/** Reads address and key from the options, and asks at the terminal for what they lack. Throws AnalyticsError. */
export async function readService(io: Io, flags: SourceFlags, saved: Profile | undefined): Promise<Service> {
  const given = await readGivenKey(flags, io.stdin);
  for (const warning of given?.warnings ?? []) await printNote(io, `warning: ${warning}`);
  const suggested = saved?.baseUrl ?? readVariable(io.environment, "ANALYTICS_BASE_URL");
  const addressField: Field = {
    label: "Address of the analytics service",
    fallback: suggested?.replace(/\/api\/v1\/?$/, ""),
    read: (text) => readBaseUrl(completeAddress(text), io.environment, "What you typed"),
  };
  // A key from a pipe means a script: nobody is asked anything.
  const text = flags.baseUrl ?? (given === undefined ? undefined : suggested);
  const fields = [...(text === undefined ? [addressField] : []), ...(given === undefined ? [keyField] : [])];
  const source = flags.baseUrl === undefined ? undefined : "--base-url";
  const baseUrl = text === undefined ? undefined : readBaseUrl(completeAddress(text), io.environment, source);
  if (fields.length > 0 && !io.stdin.isTTY) throw createNoTerminalError(given !== undefined);
  const answers = fields.length === 0 ? [] : await ask(io, fields);
  return {
    baseUrl: baseUrl ?? answers.shift() ?? "",
    apiKey: given?.apiKey ?? answers.shift() ?? "",
    isTyped: given === undefined,
  };
}

/** Tries the key, and returns the sites. If the service refuses a typed key, asks for another until Ctrl-C. */
export async function tryKey(io: Io, { baseUrl, apiKey, isTyped }: Service) {
  const openTarget = await reachService(io.environment, { baseUrl });
  for (let key = apiKey; ; [key = ""] = await ask(io, [{ ...keyField, label: "API key again" }])) {
    const target = { ...openTarget(key), keySource: "the key that you gave" };
    try {
      const { call } = createHttpClient({ readTarget: () => target, clock: io.clock });
      return { apiKey: key, answer: await call(sites, {}) };
    } catch (error) {
      const isWrong = error instanceof AnalyticsError && error.status === 401;
      if (!isWrong || !isTyped) throw error;
      await printNote(
        io,
        `${new URL(baseUrl).origin} does not accept this key. Copy it again from your analytics dashboard, section API keys; Ctrl-C cancels.`,
      );
    }
  }
}

/** Asks which site to use when none is named. Returns undefined for none. */
export async function askForDefaultSite(
  io: Io,
  known: KnownSites,
  saved: string | undefined,
): Promise<string | undefined> {
  const domains = known.map(({ domain }) => domain);
  const read = (text: string) => {
    const word = text === NO_SITE ? "" : text;
    const site = findKnownSite(known, word) ?? findKnownSite(known, normalizeSite(word));
    if (word !== "" && site === undefined) {
      const guess = suggest(word, domains) || `Name one of the sites above, or ${NO_SITE}.`;
      throw new AnalyticsError("usage", `There is no site ${quoteWord(word)}.`, { hint: guess.trim() });
    }
    return site ?? "";
  };
  const label = "Site to use when none is named";
  const [site = ""] = await ask(io, [{ label, fallback: saved ?? NO_SITE, read }]);
  return site === "" ? undefined : site;
}

/** The site as it was named, if the key has it. */
export function findKnownSite(known: KnownSites, site: string | undefined): string | undefined {
  return known.some(({ domain, id }) => domain === site || id === site) ? site : undefined;
}

async function ask(io: Io, fields: readonly Field[]): Promise<string[]> {
  const { askAtTerminal } = await import("./login-prompt.ts");
  return askAtTerminal(io, fields);
}

function createNoTerminalError(hasKey: boolean): AnalyticsError {
  if (hasKey) {
    return new AnalyticsError("no_base_url", "There is no service address to log in to.", {
      hint: "Add --base-url, for example --base-url https://stats.example.com.",
    });
  }
  return new AnalyticsError(
    "no_api_key",
    "login asks for the key at a terminal, but standard input is not one.",
    {
      hint: "In a script: analytics-mcp login --base-url <url> --api-key-stdin < file, or --api-key-file <file>.",
    },
  );
}
