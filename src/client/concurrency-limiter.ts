/** Runs at most `count` functions at once. The others wait in order, and leave the queue when their signal is aborted. */
export function createConcurrencyLimiter(count: number) {
  let free = count;
  const queue: (() => void)[] = [];

  const take = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (free > 0) {
        free--;
        return resolve();
      }
      const enter = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.push(enter);
    });

  return async <T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    await take(signal);
    try {
      return await run();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}
