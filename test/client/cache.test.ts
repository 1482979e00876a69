import { describe, expect, it } from "vitest";
import { createCache } from "../../src/client/concurrency.ts";

function start() {
  const readings: { key: string; signal: AbortSignal; end: (value: string) => void }[] = [];
  const read = createCache<string>(
    1000,
    () => 0,
    (key, signal) => new Promise((end) => readings.push({ key, signal, end })),
  );
  const ask = (key: string) => {
    const leaving = new AbortController();
    return { answer: read(key, leaving.signal).catch(({ message }) => message), leaving };
  };
  return { readings, ask };
}

describe("of those who wait for the same", () => {
  it("the first to leave takes nothing from the others", async () => {
    const { readings, ask } = start();
    const [one, two] = [ask("a"), ask("a")];
    one.leaving.abort(new Error("left"));
    expect(await one.answer).toBe("The call was cancelled.");
    expect(readings.map(({ signal }) => signal.aborted)).toEqual([false]);
    readings[0]?.end("value");
    expect(await two.answer).toBe("value");
    expect(await ask("a").answer).toBe("value");
  });

  it("the last to leave ends the reading, and who comes then starts another", async () => {
    const { readings, ask } = start();
    for (const { leaving } of [ask("a"), ask("a")]) leaving.abort(new Error("left"));
    const next = ask("a");
    expect(readings.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    readings[1]?.end("value");
    expect(await next.answer).toBe("value");
  });

  it("the last to leave ends the reading also if many other questions came since", () => {
    const { readings, ask } = start();
    const first = ask("first");
    for (let index = 0; index < 300; index++) ask(String(index));
    first.leaving.abort(new Error("left"));
    expect(readings[0]?.signal.aborted).toBe(true);
  });

  it("may be many with one signal, without a warning of Node's about a leak", async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => void warnings.push(message);
    process.on("warning", note);
    const read = createCache<string>(
      1000,
      () => 0,
      async (key) => key,
    );
    const { signal } = new AbortController();
    const keys = Array.from({ length: 30 }, (_, index) => String(index));
    expect(await Promise.all(keys.map((key) => read(key, signal)))).toEqual(keys);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });
});
