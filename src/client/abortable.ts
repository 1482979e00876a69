/**
 * Settles as the promise does, or rejects with the signal's reason as soon as it is aborted: not every operation
 * listens to a signal.
 *
 * @param late Receives a value that comes after the abort, to release it.
 */
export function abortable<T>(
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
