import fc from "fast-check";

const { FUZZ_SECONDS, FUZZ_SEED } = process.env;

/**
 * Random values are the same in each run of the tests, so that one that fails does so again; `FUZZ_SEED` chooses others,
 * and fuzzing by hand for `FUZZ_SECONDS` has others each time.
 */
export const SEED = Number(
  FUZZ_SEED ?? (FUZZ_SECONDS === undefined ? 1 : Math.floor(Math.random() * 2 ** 31)),
);

// Runs before each test file, for the properties that name no seed.
fc.configureGlobal({ seed: SEED });
