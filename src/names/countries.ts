import { readMember } from "../member.ts";

/** English names by code (ISO 3166-1), in the order of the codes. Computed at the first call, since Intl is slow. */
export function nameCountries(): ReadonlyMap<string, string> {
  known ??= readCountries();
  return known;
}

let known: Map<string, string> | undefined;

function readCountries(): Map<string, string> {
  const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return new Map(
    codes.flatMap((code) => {
      const name = names.of(code);
      // Intl also names what is no longer a country, such as the Germany of `DD`, and UK, which stands for GB.
      return name === undefined || readCode(code) !== code ? [] : [[code, name] as const];
    }),
  );
}

/** The code that is used today for two letters. */
const readCode = (letters: string): string | undefined => new Intl.Locale(`und-${letters}`).region;

/** What people call countries beside the names of Intl. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  usa: "US",
  america: "US",
  "united states of america": "US",
  "great britain": "GB",
  holland: "NL",
  turkey: "TR",
  "czech republic": "CZ",
  uae: "AE",
};

/** The code of a country by its English name or its code, in letters of any case; undefined if there is none. */
export function findCountry(text: string): string | undefined {
  const code = /^[a-z]{2}$/i.test(text) ? readCode(text) : undefined;
  if (code !== undefined && nameCountries().has(code)) return code;
  const wanted = text.toLowerCase();
  const other = readMember(OTHER_NAMES, wanted);
  if (other !== undefined) return other;
  return [...nameCountries()].find(([, name]) => name.toLowerCase() === wanted)?.[0];
}
