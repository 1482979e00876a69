import { dimensions } from "../../operations/dimensions.ts";
import { breakdown, stats } from "../../operations/index.ts";
import { answers, askWith, ofEach } from "../reply-checks.ts";
import type { Rules } from "../rule.ts";
import { periodOperations, siteOperations } from "../subject.ts";
import { demandAllowed, demandBounds, isInvalid } from "./parameter-requests.ts";

const days = (...values: string[]) => values.map((value) => ({ days: value }));
const limits = (...values: string[]) => values.map((value) => ({ limit: value }));
const dimensionNames = (...values: string[]) => values.map((value) => ({ dimension: value }));

/** A 7 in full width, which Unicode normalization makes an ASCII digit, and in Arabic-Indic digits, which `\d` may match. */
export const FOREIGN_DIGITS = ["\uff17", "\u0667"];

/** What parsers accept that are not made for decimal digits alone. */
const WRONG_NUMBERS = ["seven", "1.5", "1e1", "-1", "+7", "07", "7d", " 7", "7\n", ...FOREIGN_DIGITS];

export const valueRules = {
  "params.days-bounds": {
    must: "days below 1 or above 365 is refused, never clamped: 400, invalid_parameter.",
    fix: "Refuse values out of bounds: a clamped period answers a different question.",
    check: ofEach(periodOperations, days("0", "366"), isInvalid),
  },
  "params.days-form": {
    must: "days is only decimal digits: no sign, space, leading zero, fraction or unit.",
    fix: "Check that the whole text is ASCII digits before parsing it: most parsers accept 7d, 1e1, 07 or a line break, and \\d may match other scripts.",
    check: async (subject) => {
      await ofEach(periodOperations, days("7d", ...FOREIGN_DIGITS), isInvalid)(subject);
      await ofEach([stats], days(...WRONG_NUMBERS), isInvalid)(subject);
    },
  },
  "params.days-inclusive": {
    must: "days accepts its bounds, 1 and 365.",
    fix: "Count both bounds as allowed.",
    check: ofEach(periodOperations, days("1", "365"), answers(200)),
  },
  "params.limit-bounds": {
    must: "limit below 1 or above 1000 is refused, never clamped: 400, invalid_parameter.",
    fix: "Refuse values out of bounds, and list the bounds in the error.",
    check: ofEach([breakdown], limits("0", "1001"), isInvalid),
  },
  "params.limit-form": {
    must: "limit is only decimal digits: no sign, space, leading zero or fraction.",
    fix: "Check that the whole text is ASCII digits before parsing it.",
    check: ofEach([breakdown], limits(...WRONG_NUMBERS), isInvalid),
  },
  "params.limit-inclusive": {
    must: "limit accepts its bounds, 1 and 1000.",
    fix: "Count both bounds as allowed.",
    check: ofEach([breakdown], limits("1", "1000"), answers(200)),
  },
  "params.dimension-refused": {
    must: "An unknown dimension is refused: 400, invalid_parameter.",
    fix: "Refuse the dimension; do not answer with an empty list.",
    check: ofEach([breakdown], [{ dimension: "conform" }], isInvalid),
  },
  "params.dimension-exact": {
    must: "A dimension is compared exactly: Pages, or pages with a space, is unknown.",
    fix: "Compare the whole text; do not trim it or change its case.",
    check: ofEach([breakdown], dimensionNames("Pages", " pages", "pages "), isInvalid),
  },
  "params.dimension-listed": {
    must: "The error for an unknown dimension lists the allowed ones, including all of the contract's.",
    fix: "Put the names of the dimensions into allowed of the entry.",
    check: ofEach([breakdown], [{ dimension: "conform" }], (reply) =>
      demandAllowed(reply, "dimension", dimensions),
    ),
  },
  "params.site-length": {
    must: "A site of more than 253 characters is refused: 400, invalid_parameter.",
    fix: "Check the length before looking up the site.",
    check: ofEach(siteOperations, [{ site: "x".repeat(254) }], isInvalid),
  },
  "params.bounds-listed": {
    must: "The error for days, limit or site lists the bounds as minimum and maximum.",
    fix: "Put minimum and maximum into the parameter's entry. For site they are lengths.",
    check: async (subject) => {
      demandBounds(await askWith(subject, stats, { days: "0" }), "days", 1, 365);
      demandBounds(await askWith(subject, breakdown, { limit: "0" }), "limit", 1, 1000);
      demandBounds(await askWith(subject, stats, { site: "x".repeat(254) }), "site", 1, 253);
    },
  },
} satisfies Rules;
