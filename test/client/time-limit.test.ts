import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { limitTime } from "../../src/client/time-limit.ts";

it("an abort before the time is over counts as an abort, however long the end takes", async () => {
  const caller = new AbortController();
  const over = await limitTime(30, caller.signal, async ({ signal, hasTimedOut }) => {
    caller.abort(new Error("gone"));
    await wait(60);
    return [hasTimedOut(), signal.aborted, signal.reason.message];
  });
  expect(over).toEqual([false, true, "gone"]);
});

it("the time is over, and the caller did not abort", async () => {
  const over = await limitTime(10, undefined, async ({ signal, hasTimedOut }) => {
    await wait(40);
    return [hasTimedOut(), signal.aborted, signal.reason.name];
  });
  expect(over).toEqual([true, true, "TimeoutError"]);
});
