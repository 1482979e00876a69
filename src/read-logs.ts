import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "./sources/logs/open.ts";
import type { WorkerInput } from "./sources/logs/read-in-worker.ts";

/** The thread that `readInWorker` starts. */
const { flags, environment, now }: WorkerInput = workerData;
const ahead = now - Date.now();
const stop = new AbortController();
parentPort?.on("message", () => stop.abort());

const { store } = openStore({ flags, environment, clock: () => Date.now() + ahead });
store
  .read(stop.signal)
  // The thread that waits for this one then reads the rest itself, and reports the same failure.
  .catch(() => {})
  .finally(() => parentPort?.close());
