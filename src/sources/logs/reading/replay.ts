import { Readable } from "node:stream";

/** In bytes: this much is kept for a second reading. */
const MAX_KEPT = 8_000_000;

/**
 * Lets a stream that can be read only once be opened several times: its first bytes are kept, so that a log's format can be
 * recognized before it is read. Throws if it is opened again after more than that was read.
 */
export function createReplay(openSource: () => Readable): () => Readable {
  const kept: Buffer[] = [];
  let size = 0;
  let isDropped = false;
  let source: AsyncIterator<Buffer> | undefined;
  let reading: Promise<void> | undefined;
  let isDone = false;

  const readMore = async () => {
    source ??= openSource()[Symbol.asyncIterator]();
    const { value, done } = await source.next();
    isDone = done === true;
    if (isDone) return;
    kept.push(Buffer.from(value));
    size += value.length;
  };
  const replay = async function* () {
    for (let index = 0; ; ) {
      const chunk = kept[index];
      if (chunk !== undefined) {
        yield chunk;
        if (size > MAX_KEPT) {
          isDropped = true;
          kept.splice(0, index + 1);
          index = 0;
        } else index++;
      } else if (isDone) return;
      else {
        // An earlier reader may have stopped while it waited for the same bytes.
        reading ??= readMore().finally(() => {
          reading = undefined;
        });
        await reading;
      }
    }
  };
  return () => {
    if (isDropped) throw new TypeError("The stream was read further than what is kept of it.");
    return Readable.from(replay(), { objectMode: false });
  };
}
