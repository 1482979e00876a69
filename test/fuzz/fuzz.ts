import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, onTestFailed } from "vitest";
import { SEED } from "../support/seed.ts";

const { FUZZ_SECONDS, FUZZ_PATH } = process.env;

/** For how long each property is tried. */
export const SECONDS = Number(FUZZ_SECONDS ?? 0.5);
/** For tests that shrink what they find, and what they wait for at the end. */
export const TIMEOUT_MS = (SECONDS + 180) * 1000;

const MAX_SHOWN = 3_000;
/** How often a test has drawn values: each time gives others, whatever other files of the process have drawn. */
const drawn = new Map<string, number>();

/** Values for a test that is no property: one that fails says the seed. */
export function sample<T>(values: fc.Arbitrary<T>, count: number): T[] {
  onTestFailed(() => void process.stdout.write(`Again with FUZZ_SEED=${SEED}\n`));
  const { currentTestName = "" } = expect.getState();
  const times = drawn.get(currentTestName) ?? 0;
  drawn.set(currentTestName, times + 1);
  return fc.sample(values, { numRuns: count, seed: SEED + times });
}

/**
 * Tries a property on what is kept in the corpus, then on random values until the time is over, at least on one. A
 * failure says its seed and path, which `FUZZ_SEED` and `FUZZ_PATH` take.
 *
 * @param corpus Name of the file in `test/fuzz/corpus` with the values kept.
 */
export async function fuzz<T>(
  corpus: string,
  values: fc.Arbitrary<T>,
  holds: (value: T) => Promise<void> | void,
  seconds = SECONDS,
): Promise<void> {
  for (const value of readCorpus<T>(corpus)) {
    try {
      await holds(value);
    } catch (cause) {
      const { message = "" } = Object(cause);
      throw new Error(`Of the corpus: ${show(value)}\n${message}`, { cause });
    }
  }
  const began = performance.now();
  let tried = 0;
  const property = fc.asyncProperty(values, async (value) => {
    // fast-check's own limit abandons the run under way, and fails a property whose first run it abandons.
    if (tried > 0 && performance.now() - began >= seconds * 1000) throw new fc.PreconditionFailure(true);
    tried += 1;
    await holds(value);
  });
  const details = await fc.check(property, {
    numRuns: Number.MAX_SAFE_INTEGER,
    seed: SEED,
    ...(FUZZ_PATH !== undefined && { path: FUZZ_PATH }),
  });
  if (FUZZ_SECONDS !== undefined) {
    const took = Math.round((performance.now() - began) / 1000);
    process.stdout.write(`fuzz: ${corpus}: ${details.numRuns} in ${took} s, seed ${details.seed}\n`);
  }
  if (!details.failed) return;
  const again = `FUZZ_SEED=${details.seed} FUZZ_PATH=${details.counterexamplePath}`;
  const { message = "" } = Object(details.errorInstance);
  throw new Error(`${show(details.counterexample)}\nAgain with ${again}\n${message}`, {
    cause: details.errorInstance,
  });
}

const show = (value: unknown) => JSON.stringify(value)?.slice(0, MAX_SHOWN);

/** What was found once, and what real clients send: each value is tried every time. */
function readCorpus<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`./corpus/${name}.json`, import.meta.url), "utf8"));
}
