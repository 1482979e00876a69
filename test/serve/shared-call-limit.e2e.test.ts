import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import { callMcp, signIn } from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";
import { type Medium, media, type Replicas, startReplicas } from "../support/replicas.ts";

const isRefused = ({ text }: { text: string }) => text.includes("the limit is 6 a minute");

for (const { name, absent, start } of media) {
  describe.skipIf(absent)(`the calls of a grant in a minute, on ${name}`, () => {
    let medium: Medium;
    let replicas: Replicas;
    beforeEach(async () => {
      medium = await start();
      replicas = await startReplicas(medium, { callsPerMinute: 6 });
    });
    afterEach(async () => {
      await replicas.close();
      await medium.stop();
    });

    it("are counted together, one by one or at once, and others are not affected", async () => {
      const { publicUrl, both, time } = replicas;
      const [own, other] = [await signIn(publicUrl), await signIn(publicUrl)];
      const call = (index: number) => callMcp(`${both[index % 2 ? 1 : 0].origin}/mcp`, own.access);
      for (let index = 0; index < 6; index++) expect(isRefused(await call(index))).toBe(false);
      const before = medium.readVersion();
      for (let index = 0; index < 2; index++) {
        const { text } = await call(index);
        expect(text).toContain("Wait 60 seconds, then call again.");
      }
      expect(medium.readVersion()).toBe(before);
      expect(isRefused(await callMcp(`${publicUrl}/mcp`, other.access))).toBe(false);
      time.now += 60_000;
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));
      expect(answers.filter((answer) => !isRefused(answer))).toHaveLength(6);
    });
  });
}

describe("while the store can be read but not written", () => {
  it("a replica counts its own calls, and asks the store again after ten seconds", async () => {
    const connector = await startTestConnector({ callsPerMinute: 6 });
    const { store, time, mcp, lines } = connector;
    const { access } = await signIn(connector.publicUrl);
    const { hit } = store;
    let asked = 0;
    store.hit = async () => {
      asked++;
      throw new AnalyticsError("unavailable", "The sign-in store is unavailable: its disk is full.");
    };
    for (let index = 0; index < 6; index++) expect(isRefused(await callMcp(mcp, access))).toBe(false);
    expect(isRefused(await callMcp(mcp, access))).toBe(true);
    expect(asked).toBe(1);
    expect(lines.filter((line) => line.includes("its disk is full"))).toHaveLength(1);
    time.now += 10_000;
    store.hit = hit;
    for (let index = 0; index < 6; index++) expect(isRefused(await callMcp(mcp, access))).toBe(false);
    expect(isRefused(await callMcp(mcp, access))).toBe(true);
    await connector.close();
  });
});
