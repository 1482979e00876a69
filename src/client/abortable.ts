/**
 * What a promise comes to, or the signal's reason as soon as it is aborted: not everything that is waited for listens
 * to a signal.
 *
 * @param late Gets what comes all the same when nobody waits for it any more.
 */
export function within<T>(
  signal: AbortSignal,
  promise: Promise<T>,
  late: (value: T) => void = () => {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    promise
      .then((value) => {
        if (signal.aborted) late(value);
        resolve(value);
      }, reject)
      .finally(() => signal.removeEventListener("abort", stop));
  });
}
