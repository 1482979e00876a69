import { afterEach, expect, it, vi } from "vitest";
import { createSingleFlight } from "../../src/client/concurrency.ts";
import { RetryableError, retry } from "../../src/client/retry.ts";
import { limitTime } from "../../src/client/time-limit.ts";
import { AnalyticsError } from "../../src/errors.ts";

afterEach(() => void vi.restoreAllMocks());

const unavailable = new AnalyticsError("unavailable", "Not now.");
const patient = { deadline: 10_000, attempts: 8, firstBackoff: 20, maxBackoff: 40 };

/** Throws the given failures one by one, then succeeds. `waits` has the milliseconds before each attempt. */
function failing(...failures: unknown[]) {
  const waits: number[] = [];
  let last = performance.now();
  const attempt = async () => {
    waits.push(performance.now() - last);
    last = performance.now();
    if (failures.length > 0) throw failures.shift();
    return "answer";
  };
  return { attempt, waits };
}

const passing = (count: number, wait?: number) =>
  Array.from({ length: count }, () => new RetryableError(unavailable, wait));

it("a wait is random, doubles, and is bounded", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const { attempt, waits } = failing(...passing(7));
  expect(await retry(attempt, patient)).toBe("answer");
  expect(waits).toHaveLength(8);
  for (const [index, least] of [0, 19, 39, 39].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(least);
  }
  // Without the bound they would take 2,540 ms.
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(2_500);
});

it("a wait may be zero", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { attempt, waits } = failing(...passing(3));
  await retry(attempt, { ...patient, firstBackoff: 5_000, maxBackoff: 5_000 });
  expect(Math.max(...waits)).toBeLessThan(4_900);
});

it("a wait that the service asks for is kept in full, plus a random part", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const { attempt, waits } = failing(...passing(1, 30));
  await retry(attempt, { ...patient, firstBackoff: 50, maxBackoff: 0 });
  expect(waits[1]).toBeGreaterThanOrEqual(79);
});

it.each([
  ["the attempts are used up", { ...patient, attempts: 3, maxBackoff: 1 }, undefined, 3],
  ["the wait would pass the deadline", patient, 10_000, 1],
])("the last failure is thrown if %s", async (_, pace, wait, attempts) => {
  const { attempt, waits } = failing(...passing(9, wait));
  await expect(retry(attempt, pace)).rejects.toBe(unavailable);
  expect(waits).toHaveLength(attempts);
});

it("the last failure is thrown if nobody would wait so long, or if the question ends before", async () => {
  const hour = { ...patient, deadline: 3_600_000 };
  await expect(retry(failing(...passing(9, 90_000)).attempt, hour)).rejects.toBe(unavailable);
  const { attempt, waits } = failing(...passing(9, 10_000));
  const asked = limitTime(5_000, undefined, ({ signal }) =>
    createSingleFlight()("question", (shared) => retry(attempt, hour, shared), signal),
  );
  await expect(asked).rejects.toBe(unavailable);
  expect(waits).toHaveLength(1);
});

it("an error that is not retryable is thrown as it is", async () => {
  const fault = new TypeError("a fault");
  const { attempt, waits } = failing(fault);
  await expect(retry(attempt, patient)).rejects.toBe(fault);
  expect(waits).toHaveLength(1);
});

/** Never ends by itself. */
const hang = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
const late = {
  code: "timeout",
  message: "The service gave no answer within 0.05 seconds.",
  hint: "Try again later.",
};
const cancelled = { code: "cancelled", message: "The call was cancelled." };

it("an attempt is ended by the deadline", async () => {
  await expect(retry(hang, { ...patient, deadline: 50 })).rejects.toMatchObject(late);
});

it.each([
  ["before the first attempt", () => AbortSignal.abort(), 0],
  ["within an attempt", () => AbortSignal.timeout(20), 1],
])("the caller may abort %s", async (_, leave, attempts) => {
  const attempt = vi.fn(hang);
  await expect(retry(attempt, patient, leave())).rejects.toMatchObject(cancelled);
  expect(attempt).toHaveBeenCalledTimes(attempts);
});

it("the caller may abort during a wait", async () => {
  const { attempt, waits } = failing(...passing(9, 25_000));
  const hours = { ...patient, deadline: 3_600_000 };
  await expect(retry(attempt, hours, AbortSignal.timeout(20))).rejects.toMatchObject(cancelled);
  expect(waits).toHaveLength(1);
});
