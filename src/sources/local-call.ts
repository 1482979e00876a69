import type { Call } from "../operations/call.ts";
import { parseParams } from "../operations/parameters.ts";
import type { DataSource } from "./data-source.ts";
import { answer } from "./operation-answers.ts";
import { refuseDaysWithSpan } from "./span.ts";

/** Asks a source in this process: no key, no HTTP, no cache. It is opened at the first call. */
export function createLocalCall(open: () => Promise<DataSource>, clock: () => number): Call {
  let opened: Promise<DataSource> | undefined;
  const call: Call = async (operation, input, { signal } = {}) => {
    signal?.throwIfAborted();
    const params = parseParams(operation.allParams, input);
    refuseDaysWithSpan((name) => Object.hasOwn(input, name));
    // After a failure again: what was missing may be there by then.
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    const source = await opened;
    // The operation that was asked gives its own result.
    return answer(operation, params, { source, now: clock(), signal }) as never;
  };
  return call;
}
