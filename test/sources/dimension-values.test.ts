import { describe, expect, it } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import { parseFilter } from "../../src/operations/filter.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { assertPossibleValues } from "../../src/sources/dimension-values.ts";

const assertPossible = (...texts: string[]) => assertPossibleValues(parseFilter(texts));

function refuse(text: string) {
  try {
    assertPossible(text);
  } catch (error) {
    if (error instanceof AnalyticsError) return error;
    throw error;
  }
  return expect.unreachable(`${text} should have been refused`);
}

describe("values that a row can have", () => {
  it.each([
    ["channels=Direct|AI assistants|Cross-network"],
    ["devices=desktop|wearable"],
    ["countries=DE|GB|XK|AQ"],
    ["regions=DE-BE|NP-P3|FR-75C"],
    ["languages=de|en-GB|zh-Hant-TW|es-419"],
    // Others may come tomorrow.
    ["pages=anything", "browsers=Ladybird", "cities=Berlin", "utm_sources=x", "events=Sign up"],
  ])("%s are taken", (...texts) => {
    expect(() => assertPossible(...texts)).not.toThrow();
  });

  it.each([
    ["channels=direct*|*"],
    ["countries=*ermany"],
    ["devices="],
    ["regions=|de*"],
    ["languages!=|*_DE"],
  ])("%s: patterns and none are", (text) => {
    expect(() => assertPossible(text)).not.toThrow();
  });

  it("those of all fixtures are", () => {
    const { places, sources, technologies } = readFixtures();
    const texts = [
      ...Object.values(places).flatMap(({ country, region, language }) => [
        `countries=${country ?? ""}`,
        `regions=${region ?? ""}`,
        `languages=${language ?? ""}`,
      ]),
      ...Object.values(sources).map(({ channel }) => `channels=${channel}`),
      ...Object.values(technologies).map(({ device }) => `devices=${device ?? ""}`),
    ];
    for (const text of texts) expect(() => assertPossible(text), text).not.toThrow();
  });
});

describe("a value that no row can have is refused", () => {
  it.each([
    ["channels=direct", "Direct"],
    ["channels=Direct|organic search", "Organic Search"],
    ["channels=Paid Serch", "Paid Search"],
    ["channels!=Refferal", "Referral"],
    ["devices=Mobil", "mobile"],
    ["countries=de", "DE"],
    ["countries=Germany", "DE"],
    ["countries=germny", "DE"],
    ["countries=DE|Frnace", "FR"],
    // Everybody knows what is meant, but no row has it.
    ["countries=UK", "GB"],
    ["countries=DD", "DE"],
  ])("%s: the nearest is %s", (text, nearest) => {
    const { code, message } = refuse(text);
    expect(code).toBe("invalid_parameter");
    expect(message).toMatch(new RegExp(`; the nearest is ${nearest}\\b|: the nearest is ${nearest} \\(`));
  });

  it("with all values of a list that is closed", () => {
    expect(refuse("devices=phone")).toMatchObject({
      status: 400,
      message:
        'filter has no value "phone" in devices; it can be desktop, mobile, tablet, tv, console, wearable.',
      parameters: [
        { parameter: "filter", allowed: ["desktop", "mobile", "tablet", "tv", "console", "wearable"] },
      ],
    });
  });

  it.each([
    ["countries=12345678", "they are two letters, such as DE"],
    ["countries=QQ", "they are two letters, such as DE"],
    ["regions=Berlin", "they look like DE-BE"],
    ["regions=de-be", "they look like DE-BE"],
    ["languages=de_DE", "they look like de-AT"],
    ["languages=Deutsch (Österreich)", "they look like de-AT"],
  ])("%s: %s", (text, advice) => {
    expect(refuse(text).message).toContain(advice);
  });

  it("however long it is", () => {
    const { message } = refuse(`countries=${"x".repeat(7_000)}`);
    expect(message.length).toBeLessThan(250);
  });
});
