import { expect, it } from "vitest";
import { start } from "../oauth/connector-fixture.ts";

it("checks the store at most once a second, for both addresses, however many ask", async () => {
  const connector = await start({ adminListen: { host: "127.0.0.1", port: 0 } });
  let [checks, isWell] = [0, true];
  connector.store.check = async () => {
    checks++;
    if (!isWell) throw new Error("The disk is gone.");
  };
  const origins = [connector.publicUrl, `http://127.0.0.1:${connector.connector.adminPort}`];
  const askAll = async () => {
    const asked = Array.from({ length: 10 }, (_, index) => fetch(`${origins[index % 2]}/readyz`));
    return new Set((await Promise.all(asked)).map(({ ok }) => ok));
  };
  expect(await askAll()).toEqual(new Set([true]));
  isWell = false;
  connector.time.now += 999;
  expect(await askAll()).toEqual(new Set([true]));
  expect(checks).toBe(1);
  connector.time.now += 1;
  expect(await askAll()).toEqual(new Set([false]));
  isWell = true;
  connector.time.now += 1_000;
  expect(await askAll()).toEqual(new Set([true]));
  expect(checks).toBe(3);
});
