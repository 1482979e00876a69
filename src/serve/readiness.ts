/** For how many milliseconds an answer is reused. */
const REUSED_MS = 1_000;

/** Checks at most once a second, however often it is asked: anyone may ask. */
export function createReadiness(check: () => Promise<void>, clock: () => number): () => Promise<void> {
  let last: { at: number; answer: Promise<void> } | undefined;
  return () => {
    const now = clock();
    // A clock may be set back.
    if (last === undefined || Math.abs(now - last.at) >= REUSED_MS) last = { at: now, answer: check() };
    return last.answer;
  };
}
