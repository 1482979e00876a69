import { quote } from "../../errors.ts";
import { isPossibleValue } from "../../sources/dimension-values.ts";
import type { Rules } from "../rule.ts";
import { ofEachRow, SAMPLE } from "./breakdown-ranking.ts";

/**
 * The officially assigned codes of ISO 3166-1 alpha-2, and XK (Kosovo): user-assigned, but in common use. Not UK (for GB),
 * EU, XX or ZZ.
 */
const CODES =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
  "CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
  "GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
  "KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT " +
  "MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
  "SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG " +
  "UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

const codes = new Set(CODES.split(" "));

const isCountry = (code: string): boolean => codes.has(code);

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

export const rowValueRules = {
  "breakdown.labels": {
    should: "Every row has a label for people that is not empty.",
    fix: 'If there is no value, send a label such as "(none)".',
    check: ofEachRow(SAMPLE, ({ label }) => (label.trim() === "" ? "a label" : undefined)),
  },
  "breakdown.countries": {
    must: "Values of countries are assigned ISO 3166-1 alpha-2 codes (or XK) or null: not XX, ZZ or UK.",
    fix: "Send DE as value and Germany as label, and null if the country is unknown.",
    check: ofEachRow(["countries"], ({ value }) =>
      value === null || isCountry(value) ? undefined : "an assigned code such as DE, or null if unknown",
    ),
  },
  "breakdown.regions": {
    must: "Values of regions are ISO 3166-2 codes of such a country or null.",
    fix: "Send DE-BE as value and Berlin as label, and null if the region is unknown.",
    check: ofEachRow(["regions"], ({ value }) =>
      value === null || isRegion(value) ? undefined : "a code such as DE-BE, or null if unknown",
    ),
  },
  "breakdown.languages": {
    must: "Values of languages are BCP 47 tags that begin with an ISO 639 code, or null.",
    fix: "Send de or pt-BR, with a hyphen, and null if the language is unknown.",
    check: ofEachRow(["languages"], ({ value }) =>
      value === null || isLanguage(value) ? undefined : "a tag such as pt-BR, or null if unknown",
    ),
  },
  "breakdown.channels": {
    should: "The value of a channel is its name: one that the contract knows, or the same as its label.",
    fix: "Send Organic Search, not an id, as value. The label may be in another language.",
    check: ofEachRow(["channels"], ({ value, label }) =>
      value === null || value === label || isPossibleValue("channels", value) ? undefined : quote(label),
    ),
  },
} satisfies Rules;
