import fc from "fast-check";

/** Stand for a list in a list in a list, and for objects so, which no parser of the test itself is to meet. */
const DEEP = "<deep>";
const DEEP_OBJECT = "<deep object>";
const DEPTH = 20_000;

/** Values where others are expected. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    -0,
    1.5,
    1e308,
    2 ** 53,
    "",
    " ",
    "\u0000",
    "__proto__",
    "${KEY}",
    "'\"<&>",
    DEEP,
    DEEP_OBJECT,
    [],
    {},
    [null],
    { toString: 1 },
    { toString: null, valueOf: null },
    { length: 1e9 },
    [[[{}]]],
    "x".repeat(5_000),
    "\ud800",
    "日本語",
    "\u202e",
    "%00",
    "../../..",
    "https://",
    "http://[",
    "a\r\nb: c",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** The same as text. */
export const oddText: fc.Arbitrary<string> = oddValue.map((value) =>
  typeof value === "string" ? value : printJson(value),
);

type Change = { at: number; how: "replace" | "drop" | "add" | "wrap"; name: string; value: unknown };

const oddName = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "id",
  "method",
  "params",
  "_meta",
  "name",
  "",
  "x",
  "error",
);

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(200),
  how: fc.constantFrom("replace", "drop", "add", "wrap"),
  name: oddName,
  value: oddValue,
});

/** A value of JSON with some of its members replaced, dropped, added or wrapped. */
export function mutateValue(base: fc.Arbitrary<unknown>, maxChanges = 3): fc.Arbitrary<unknown> {
  return fc
    .tuple(base, fc.array(change, { maxLength: maxChanges }))
    .map(([value, changes]) => changes.reduce(apply, structuredClone(value)));
}

/** Every place of a value, by the object that holds it. */
function listPlaces(holder: object): [object, string][] {
  return Object.entries(holder).flatMap(([name, value]) => [
    [holder, name] as [object, string],
    ...(typeof value === "object" && value !== null ? listPlaces(value) : []),
  ]);
}

function apply(value: unknown, { at, how, name, value: odd }: Change): unknown {
  const root = { value };
  const places = listPlaces(root);
  const [holder, key] = places[at % places.length] ?? [root, "value"];
  const member: unknown = Reflect.get(holder, key);
  const put = (target: object, property: string, content: unknown) =>
    Object.defineProperty(target, property, {
      value: structuredClone(content),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  if (how === "drop") Reflect.deleteProperty(holder, key);
  else if (how === "wrap") put(holder, key, [member]);
  else if (how === "add" && typeof member === "object" && member !== null && !Array.isArray(member)) {
    put(member, name, odd);
  } else put(holder, key, odd);
  return root.value;
}

type Cut = { at: number; length: number; put: string };

const cut: fc.Arbitrary<Cut> = fc.record({
  at: fc.nat(100_000),
  length: fc.constantFrom(0, 0, 1, 1, 2, 5, 1_000),
  put: fc.oneof(
    fc.constantFrom(
      "",
      "",
      "\n",
      "\r",
      "\u0000",
      '"',
      "\\",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\ufeff",
      "/*",
      "#",
      "=",
    ),
    fc.string({ unit: "binary", maxLength: 5 }),
  ),
});

/** A text with some of its characters cut out, and others put in. */
export function mutateText(base: fc.Arbitrary<string>, maxCuts = 3): fc.Arbitrary<string> {
  return fc.tuple(base, fc.array(cut, { maxLength: maxCuts })).map(([text, cuts]) =>
    cuts.reduce((rest, { at, length, put }) => {
      const start = at % (rest.length + 1);
      return rest.slice(0, start) + put + rest.slice(start + length);
    }, text),
  );
}

/** JSON of a value, in which the deep one is written out by `writeOut`. */
export function printJson(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

export const writeOut = (text: string): string =>
  text
    .replaceAll(`"${DEEP}"`, () => "[".repeat(DEPTH) + "]".repeat(DEPTH))
    .replaceAll(`"${DEEP_OBJECT}"`, () => `${'{"a":'.repeat(DEPTH)}0${"}".repeat(DEPTH)}`);
