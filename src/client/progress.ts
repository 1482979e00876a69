import { AsyncLocalStorage } from "node:async_hooks";

/** How far a question has come: requests that were answered, of those that are known so far. */
export type ProgressListener = (done: number, known: number, title: string) => void;

interface Progress {
  done: number;
  known: number;
  /** The requests under way: one that is asked for again meanwhile is not sent again. */
  open: Set<string>;
  listener: ProgressListener;
}

/** Found by the question that is being answered: the layers between it and its requests need not pass it on. */
const questions = new AsyncLocalStorage<Progress>();

/** Runs a question, whose requests to a service with an API of its own are counted. */
export const withProgress = <T>(listener: ProgressListener, run: () => Promise<T>): Promise<T> =>
  questions.run({ done: 0, known: 0, open: new Set(), listener }, run);

/**
 * Counts a request of the question that is being answered.
 *
 * @param title Whom it asks.
 * @param key What it asks.
 */
export async function countRequest<T>(title: string, key: string, send: () => Promise<T>): Promise<T> {
  const progress = questions.getStore();
  if (progress === undefined || progress.open.has(key)) return send();
  progress.open.add(key);
  progress.known++;
  try {
    return await send();
  } finally {
    progress.open.delete(key);
    progress.done++;
    progress.listener(progress.done, progress.known, title);
  }
}

const QUIET_MS = 1_000;
const EVERY_MS = 500;

/** Says nothing about a question that is answered at once, and little about any other. */
export function throttleProgress(listener: ProgressListener, now: () => number): ProgressListener {
  let next = now() + QUIET_MS;
  return (done, known, title) => {
    if (now() < next) return;
    next = now() + EVERY_MS;
    listener(done, known, title);
  };
}

export const describeProgress = (done: number, known: number, title: string): string =>
  `${done} of ${known} requests to ${title}`;
