import type { Source } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";

const ERASE_LINE = "\r\u001b[K";
/** In milliseconds: a screen that stays blank for longer looks as if nothing happened. */
const BLANK_MS = 3_000;

/**
 * Shows at a terminal that a question is waited for, and how far it has come if it takes many requests; the line is gone when it is
 * answered.
 *
 * @param source Whom it asks: an address, or the source that knows it.
 */
export async function showProgress<T>(
  { stderr }: Io,
  source: Source | URL,
  ask: () => Promise<T>,
): Promise<T> {
  if (!stderr.isTTY) return ask();
  const { describeProgress, throttleProgress, withProgress } = await import("../../client/progress.ts");
  let isOver = false;
  let isShown = false;
  const show = (text: string) => {
    if (isOver) return;
    isShown = true;
    stderr.write(`${ERASE_LINE}${text} …`);
  };
  const report = throttleProgress(
    (...progress) => show(describeProgress(...progress)),
    performance.now.bind(performance),
  );
  const timer = setTimeout(async () => {
    const text = await describeWait(source).catch(() => undefined);
    if (text !== undefined && !isShown) show(text);
  }, BLANK_MS);
  try {
    return await withProgress(report, ask);
  } finally {
    isOver = true;
    clearTimeout(timer);
    if (isShown) stderr.write(ERASE_LINE);
  }
}

async function describeWait(source: Source | URL): Promise<string> {
  if (source instanceof URL) return `Waiting for ${source.host}`;
  if (source.kind === "service") return `Waiting for ${new URL((await source.readAccess()).baseUrl).host}`;
  return `${source.local.kind.readsFiles ? "Reading" : "Waiting for"} ${source.about.label}`;
}
