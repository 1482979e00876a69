import { AnalyticsError, quoteWord } from "../../errors.ts";
import type { sites } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { suggest } from "../../render/suggest.ts";
import type { Field } from "./login-prompt.ts";

const NONE = "none";

export type KnownSites = ResultOf<typeof sites>["sites"];

/** The site as it was named, if the key has it. */
export function findKnownSite(known: KnownSites, site: string | undefined): string | undefined {
  return known.some(({ domain, id }) => domain === site || id === site) ? site : undefined;
}

/** Asks which site to use when none is named. Returns undefined for none. */
export async function askForDefaultSite(
  known: KnownSites,
  usual: string | undefined,
  ask: (field: Field) => Promise<string[]>,
): Promise<string | undefined> {
  const domains = known.map(({ domain }) => domain);
  const read = (text: string) => {
    const word = text === NONE ? "" : text;
    const site = findKnownSite(known, word) ?? findKnownSite(known, normalizeSite(word));
    if (word !== "" && site === undefined) {
      const guess = suggest(word, domains) || `Name one of the sites above, or ${NONE}.`;
      throw new AnalyticsError("usage", `There is no site ${quoteWord(word)}.`, { hint: guess.trim() });
    }
    return site ?? "";
  };
  const [site = ""] = await ask({ label: "Site to use when none is named", fallback: usual ?? NONE, read });
  return site === "" ? undefined : site;
}
