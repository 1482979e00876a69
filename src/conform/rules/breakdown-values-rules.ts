import { isCountry } from "../country-codes.ts";
import { quote } from "../reply.ts";
import { defineRules } from "../rule.ts";
import { ofEachRow, SAMPLE } from "./breakdown-ranking.ts";

/** The parts after the country are too many and too changeable to list; none is only zeros. */
function isRegion(value: string): boolean {
  const [, country = "", part = ""] = /^([A-Z]{2})-([A-Z0-9]{1,3})$/.exec(value) ?? [];
  return isCountry(country) && /[^0]/.test(part);
}

/** Longer words than an ISO 639 code are well-formed, too, but none is registered. */
function isLanguage(value: string): boolean {
  try {
    return /^[a-z]{2,3}(-|$)/i.test(value) && Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/** Rules on the values and labels of rows. */
export const rowValueRules = defineRules(
  {
    id: "breakdown.labels",
    severity: "should",
    title: "Every row has a label for people that is not empty.",
    fix: 'If there is no value, send a label such as "(none)".',
    check: ofEachRow(SAMPLE, ({ label }) => (label.trim() === "" ? "a label" : undefined)),
  },
  {
    id: "breakdown.countries",
    title: "Values of countries are assigned ISO 3166-1 alpha-2 codes (or XK) or null: not XX, ZZ or UK.",
    fix: "Send DE as value and Germany as label, and null if the country is unknown.",
    check: ofEachRow(["countries"], ({ value }) =>
      value === null || isCountry(value) ? undefined : "an assigned code such as DE, or null if unknown",
    ),
  },
  {
    id: "breakdown.regions",
    title: "Values of regions are ISO 3166-2 codes of such a country or null.",
    fix: "Send DE-BE as value and Berlin as label, and null if the region is unknown.",
    check: ofEachRow(["regions"], ({ value }) =>
      value === null || isRegion(value) ? undefined : "a code such as DE-BE, or null if unknown",
    ),
  },
  {
    id: "breakdown.languages",
    title: "Values of languages are BCP 47 tags that begin with an ISO 639 code, or null.",
    fix: "Send de or pt-BR, with a hyphen, and null if the language is unknown.",
    check: ofEachRow(["languages"], ({ value }) =>
      value === null || isLanguage(value) ? undefined : "a tag such as pt-BR, or null if unknown",
    ),
  },
  {
    id: "breakdown.channels",
    severity: "should",
    title: "The value of a channel is its name, the same as its label.",
    fix: "Send the same text as value and label.",
    check: ofEachRow(["channels"], ({ value, label }) =>
      value === null || value === label ? undefined : quote(label),
    ),
  },
);
