/**
 * Creates a lookup of the English names of countries (ISO 3166-1) and languages (BCP 47) by their codes. The formatters are
 * created when first needed, since Intl is slow.
 */
export function createCodeNames(): (dimension: string, code: string) => string | undefined {
  let countries: Intl.DisplayNames | undefined;
  let languages: Intl.DisplayNames | undefined;
  return (dimension, code) => {
    if (dimension === "countries") {
      countries ??= new Intl.DisplayNames("en", { type: "region" });
      return countries.of(code) ?? code;
    }
    if (dimension !== "languages") return undefined;
    languages ??= new Intl.DisplayNames("en", { type: "language" });
    return languages.of(code) ?? code;
  };
}
