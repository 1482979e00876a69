import { getEventListeners } from "node:events";
import { afterEach, expect, it, vi } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { readConsistently } from "../../src/reports/compared-windows.ts";
import { overview } from "../../src/reports/overview.ts";
import { answerInTime } from "../../src/reports/query.ts";

afterEach(() => void vi.useRealTimers());

/** A service that never answers, and records the requests that were given up. */
function connectToNobody() {
  const gone: string[] = [];
  const fetch = (url: string, { signal }: RequestInit) =>
    new Promise<never>((_, reject) => {
      signal?.addEventListener("abort", () => {
        gone.push(new URL(url).pathname);
        reject(signal.reason);
      });
    });
  const target = { baseUrl: "https://x.test/api/v1", apiKey: "canary", fetch };
  return { call: createHttpClient({ readTarget: () => target, clock: Date.now }).call, gone };
}

it("a query with several calls has one time limit and leaves no request behind", async () => {
  const { call, gone } = connectToNobody();
  const asked = answerInTime(
    {},
    (options) => overview.compute(call, { site: "x.test", days: 7 }, options),
    50,
  );
  await expect(asked).rejects.toMatchObject({
    code: "timeout",
    message: "The service took longer than 0.05 seconds in total.",
    hint: "Ask for less at once, such as one list, or try again later.",
  });
  expect(gone).toHaveLength(2);
});

it("a query whose caller leaves is cancelled, not timed out", async () => {
  const { call } = connectToNobody();
  const asked = answerInTime({ signal: AbortSignal.timeout(20) }, (options) =>
    overview.compute(call, { site: "x.test", days: 7 }, options),
  );
  await expect(asked).rejects.toMatchObject({ code: "cancelled" });
});

it.each([
  [1_000, 3],
  [11_000, 1],
])("answers that disagree are read again while there is time: each takes %d ms", async (takes, times) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let count = 0;
  const read = async () => {
    vi.advanceTimersByTime(takes);
    return ++count;
  };
  expect(await readConsistently({}, read, () => true)).toBe(times);
});

it("leaves neither a timer nor a listener behind", async () => {
  const { signal } = new AbortController();
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const asked = answerInTime({ signal }, async () => [timers(), getEventListeners(signal, "abort").length]);
  expect(await asked).toEqual([before + 1, 1]);
  expect([timers(), getEventListeners(signal, "abort").length]).toEqual([before, 0]);
});

it("notices a caller who has already left", async () => {
  const reason = new Error("gone");
  const asked = answerInTime({ signal: AbortSignal.abort(reason) }, async ({ signal }) => {
    signal?.throwIfAborted();
  });
  await expect(asked).rejects.toBe(reason);
});
