import fc from "fast-check";

/** Text of any code points, including lone surrogates. `fc.string({ unit: "binary" })` takes 700 ms to build. */
export function anyText(maxLength: number): fc.Arbitrary<string> {
  const codes = fc.array(fc.integer({ min: 0, max: 0x10_ff_ff }), { maxLength });
  return codes.map((list) => String.fromCodePoint(...list));
}
