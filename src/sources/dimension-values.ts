import { quote } from "../errors.ts";
import { findCountry, nameCountries } from "../names/countries.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { createFilterError, type Filter, MAX_SHOWN } from "../operations/filter.ts";
import { findNearest } from "../suggest.ts";

/** The values of dimensions whose values the contract lists. */
const LISTS: Partial<Record<Dimension, readonly string[]>> = {
  channels: [
    ...[
      "Direct",
      "Organic Search",
      "Organic Social",
      "Organic Video",
      "Organic Shopping",
      "Referral",
      "Email",
    ],
    ...["Paid Search", "Paid Social", "Paid Video", "Paid Shopping", "Paid Other", "Display", "Affiliates"],
    ...["AI assistants", "SMS", "Audio", "Mobile Push Notifications", "Cross-network", "Unassigned"],
  ],
  devices: ["desktop", "mobile", "tablet", "tv", "console", "wearable"],
};

/** What values look like where there are too many to list: ISO 3166-2, and BCP 47. */
const FORMS: Partial<Record<Dimension, { form: RegExp; example: string }>> = {
  regions: { form: /^[A-Z]{2}-[A-Z0-9]{1,3}$/, example: "DE-BE" },
  languages: { form: /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,8}$/, example: "de-AT" },
};

/**
 * Refuses values that no row can have, and names the nearest ones. Only whole values of closed lists can be judged: others
 * may come tomorrow. Throws AnalyticsError `invalid_parameter`.
 */
export function assertPossibleValues(filter: Filter): void {
  for (const { dimension, alternatives } of filter) {
    for (const parts of alternatives) {
      const [value, ...more] = parts ?? [];
      if (value !== undefined && more.length === 0) assertOneOrSeveral(dimension, value);
    }
  }
}

function assertOneOrSeveral(dimension: Dimension, value: string): void {
  if (isPossibleValue(dimension, value)) return;
  const several = value.split(",").map((part) => part.trim());
  if (several.length > 1 && several.every((part) => isPossibleValue(dimension, part))) {
    const example = quote(`${dimension}=${several.join("|")}`, { maxLength: MAX_SHOWN });
    throw createFilterError(`has several values of ${dimension}, which | separates: ${example}`);
  }
  assertPossible(dimension, value);
}

/** Whether a row of the contract can have a value. */
export function isPossibleValue(dimension: Dimension, value: string): boolean {
  try {
    assertPossible(dimension, value);
    return true;
  } catch {
    return false;
  }
}

function assertPossible(dimension: Dimension, value: string): void {
  const shown = quote(value, { maxLength: MAX_SHOWN });
  const list = LISTS[dimension];
  if (list !== undefined && !list.includes(value)) {
    const nearest = findNearest(value, list);
    throw createFilterError(
      `has no value ${shown} in ${dimension}${nearest === undefined ? "" : `; the nearest is ${nearest}`}`,
      list,
    );
  }
  const known = FORMS[dimension];
  if (known !== undefined && !known.form.test(value))
    throw createFilterError(`has no value ${shown} in ${dimension}: they look like ${known.example}`);
  if (dimension !== "countries") return;
  const names = nameCountries();
  if (names.has(value)) return;
  const nearest = findNearestCountry(value);
  const advice =
    nearest === undefined
      ? "they are two letters, such as DE"
      : `the nearest is ${nearest} (${names.get(nearest)})`;
  throw createFilterError(`has no value ${shown} in countries (ISO 3166-1): ${advice}`);
}

/** The code of a country by its name, spelled nearly right, or by the code in other letters. */
function findNearestCountry(text: string): string | undefined {
  const names = nameCountries();
  const name = findNearest(text, [...names.values()]);
  return findCountry(text) ?? [...names].find(([, each]) => each === name)?.[0];
}
