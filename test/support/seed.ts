import fc from "fast-check";

const { FUZZ_SECONDS, FUZZ_SEED, LONG } = process.env;

/**
 * Random values are the same in each run of the tests, so that one that fails does so again; `FUZZ_SEED` chooses others,
 * and fuzzing by hand for `FUZZ_SECONDS` has others each time.
 */
export const SEED = Number(
  FUZZ_SEED ?? (FUZZ_SECONDS === undefined ? 1 : Math.floor(Math.random() * 2 ** 31)),
);

// Runs before each test file, for the properties that name no seed.
fc.configureGlobal({ seed: SEED });

/** `LONG=1` tries by hand what takes too long for each run. */
export const IS_LONG = LONG !== undefined;

/** Some of many alike: `FUZZ_SEED` chooses others, and `LONG=1` takes all of them. */
export function pick<T>(list: readonly T[], count: number): T[] {
  if (IS_LONG) return [...list];
  const some = fc.subarray([...list], { minLength: count, maxLength: count });
  return fc.sample(some, { numRuns: 1, seed: SEED }).flat();
}

/** One in `parts` of many alike: so many turns take all of them. `FUZZ_SEED` begins elsewhere, and `LONG=1` takes all each time. */
export const share = <T>(list: readonly T[], parts: number, turn: number): T[] =>
  list.filter((_, index) => IS_LONG || (index + turn + SEED) % parts === 0);
