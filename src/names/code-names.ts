/**
 * Creates a lookup of the English names of countries (ISO 3166-1) and languages (BCP 47) by their codes. Undefined for
 * another dimension, and for a text that is no code. The formatters are created when first needed, since Intl is slow.
 */
export function createCodeNames(): (dimension: string, code: string) => string | undefined {
  let countries: Intl.DisplayNames | undefined;
  let languages: Intl.DisplayNames | undefined;
  return (dimension, code) => {
    if (dimension === "countries") {
      countries ??= new Intl.DisplayNames("en", { type: "region" });
      return nameCode(countries, code);
    }
    if (dimension !== "languages") return undefined;
    languages ??= new Intl.DisplayNames("en", { type: "language" });
    return nameCode(languages, code);
  };
}

/** Sources may have other texts in place of codes, such as `Germany` or `en_US`, for which Intl throws. */
function nameCode(names: Intl.DisplayNames, code: string): string | undefined {
  try {
    const name = names.of(code);
    // Intl writes what it does not know in its own way: `english` for English.
    return name?.toLowerCase() === code.toLowerCase() ? undefined : name;
  } catch {
    return undefined;
  }
}
