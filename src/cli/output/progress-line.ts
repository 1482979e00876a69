import type { Io } from "../io.ts";

const ERASE_LINE = "\r\u001b[K";

/** Shows at a terminal how far a question has come that takes many requests; the line is gone when it is answered. */
export async function showProgress<T>({ stderr }: Io, ask: () => Promise<T>): Promise<T> {
  if (!stderr.isTTY) return ask();
  const { describeProgress, throttleProgress, withProgress } = await import("../../client/progress.ts");
  let isShown = false;
  const report = throttleProgress((...progress) => {
    isShown = true;
    stderr.write(`${ERASE_LINE}${describeProgress(...progress)} …`);
  }, performance.now.bind(performance));
  try {
    return await withProgress(report, ask);
  } finally {
    if (isShown) stderr.write(ERASE_LINE);
  }
}
