import type { JsonSchema } from "../../src/operations/json-schema.ts";

export interface Spoiled {
  name: string;
  /** The body as text, since JSON.stringify could not write some of them. */
  text: string;
}

type Path = (string | number)[];

/** A placeholder for text that JSON.stringify could not write. */
const RAW = "\u0001raw\u0001";

/** Replacements for a value of any type. `undefined` removes the member. */
const replacements = (value: unknown, canary: string): [string, unknown, string?][] => [
  ["removed", undefined],
  ["null", null],
  ["true", true],
  ["false", false],
  ["an empty text", ""],
  ["a text", "text"],
  ["itself as a text", String(value)],
  ["NaN as a text", "NaN"],
  ["Infinity as a text", "Infinity"],
  ["a number as a text", "17"],
  ["a negative number as a text", "-1"],
  ["zero", 0],
  ["minus zero", RAW, "-0"],
  ["a negative number", -1],
  ["a fraction", 0.5],
  ["a great number", 2 ** 53 - 1],
  ["a number that is not exact", RAW, "9007199254740993"],
  ["a huge number", 1e300],
  ["more than any number", RAW, "1e999"],
  ["no JSON", RAW, "NaN"],
  ["an array", []],
  ["itself in an array", [value]],
  ["an object", {}],
  ["itself in an object", { value }],
  ["a date that there is not", "2026-02-30"],
  ["another date", "1970-01-01"],
  ["another time", "1970-01-01T00:00:00Z"],
  ["control characters", "\u001b[2J\u202e\u0000"],
  ["half a surrogate pair", RAW, '"\\ud800"'],
  ["a long text", "x".repeat(100_000)],
  ["a name of the language", "__proto__"],
  ["the key", canary],
];

/** Members that no schema has. */
const additions: [string, string][] = [
  ["__proto__", '{"visitors":1,"polluted":true}'],
  ["constructor", '{"prototype":{"polluted":true}}'],
  ["toString", "1"],
  ["toJSON", '"x"'],
  ["then", "1"],
  ["length", "-1"],
  ["", "null"],
  ["bounce_rate", "[[[[{}]]]]"],
];

/**
 * Spoils an answer in every field of its schema; in lists the first and the last entry, in records the first
 * member.
 */
export function* spoilAnswer(schema: JsonSchema, body: unknown, canary: string): Generator<Spoiled> {
  for (const { path, value } of listPlaces(schema, body).slice(1)) {
    for (const [what, replacement, text] of replacements(value, canary)) {
      const spoiled = JSON.stringify(replace(body, path, replacement)) ?? "";
      yield { name: `${formatPath(path)}: ${what}`, text: spoiled.replace(JSON.stringify(RAW), text ?? "") };
    }
  }
}

/** Adds unknown members to each object of an answer. */
export function* extendAnswer(schema: JsonSchema, body: unknown): Generator<Spoiled> {
  for (const place of listPlaces(schema, body)) {
    const { path, value } = place;
    // A record has no unknown members.
    if (place.schema.properties === undefined || typeof value !== "object") continue;
    for (const [name, text] of additions) {
      const extended = JSON.stringify(replace(body, path, { ...value, [RAW]: 0 }));
      yield {
        name: `${formatPath(path)} with ${name}`,
        text: extended.replace(`${JSON.stringify(RAW)}:0`, `${JSON.stringify(name)}:${text}`),
      };
    }
  }
}

interface Place {
  path: Path;
  schema: JsonSchema;
  value: unknown;
}

/** Every place in a value that the schema describes and the value has, the whole value first. */
function listPlaces(schema: JsonSchema, value: unknown, path: Path = []): Place[] {
  const here = { path, schema, value };
  if (typeof value !== "object" || value === null) return [here];
  if (Array.isArray(value)) {
    const ends = [...new Set([0, value.length - 1])].filter((index) => index >= 0);
    return [here, ...ends.flatMap((index) => listPlaces(schema.items ?? {}, value[index], [...path, index]))];
  }
  const { properties, additionalProperties: others } = schema;
  const [first = ""] = Object.keys(value);
  const members = properties ?? (typeof others === "object" ? { [first]: others } : {});
  return [
    here,
    ...Object.entries(members).flatMap(([name, each]) =>
      Object.hasOwn(value, name) ? listPlaces(each, Reflect.get(value, name), [...path, name]) : [],
    ),
  ];
}

/** A copy with one value replaced. */
function replace(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(body)) {
    return body.flatMap((each, index) => {
      if (index !== key) return [each];
      const replaced = replace(each, rest, value);
      return replaced === undefined ? [] : [replaced];
    });
  }
  return { ...Object(body), [key]: replace(Reflect.get(Object(body), key), rest, value) };
}

const formatPath = (path: Path) => (path.length === 0 ? "the body" : path.join("."));
