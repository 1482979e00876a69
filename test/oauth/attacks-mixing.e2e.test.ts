import { expect, it } from "vitest";
import { DEMO_KEY, GLOBEX_KEY } from "../support/api.ts";
import { callMcp, signIn } from "../support/attacker.ts";
import { connectHttp } from "../support/clients.ts";
import { IS_LONG } from "../support/seed.ts";
import { underAttack } from "../support/under-attack.ts";

/** At once. LONG=1 makes more of them. */
const CALLS = IS_LONG ? 200 : 60;
const SESSION = "11111111-1111-4111-8111-111111111111";

underAttack((scene) => {
  it("one grant's answer never reaches another: calls of two grants with equal ids and one session", async () => {
    const { publicUrl, mcp } = scene();
    const grants = [await signIn(publicUrl, DEMO_KEY), await signIn(publicUrl, GLOBEX_KEY)];
    const headers = { "mcp-session-id": SESSION };
    const calls = Array.from({ length: CALLS }, async (_, index) => {
      const { access } = grants[index % 2] ?? { access: "" };
      const { text } = await callMcp(mcp, access, { id: Math.floor(index / 2) % 10, headers });
      return [index % 2, text.includes("docs.example.com"), text.includes("globex")];
    });
    for (const [index, acme, globex] of await Promise.all(calls)) {
      expect([index, acme, globex]).toEqual([index, index === 0, index === 1]);
    }
  });

  it.each(["v1", "v2 auto"] as const)(
    "one grant's answer never reaches another: clients of either era (%s)",
    async (kind) => {
      const { publicUrl, mcp } = scene();
      const keys = [DEMO_KEY, GLOBEX_KEY];
      const clients = await Promise.all(
        keys.map(async (key) => connectHttp(kind, mcp, (await signIn(publicUrl, key)).access)),
      );
      // Both clients start their ids at the same number.
      const calls = Array.from({ length: CALLS / 2 }, async (_, index) => {
        const result = await clients[index % 2]?.callTool("list_sites");
        const text = JSON.stringify(result?.structuredContent);
        return [index % 2, text.includes("docs.example.com"), text.includes("globex")];
      });
      for (const [index, acme, globex] of await Promise.all(calls)) {
        expect([index, acme, globex]).toEqual([index, index === 0, index === 1]);
      }
      for (const client of clients) await client.close();
    },
  );

  it("one grant cannot cancel another's call with its session and id", async () => {
    const { publicUrl, both } = scene();
    const [own, thief] = [await signIn(publicUrl, DEMO_KEY), await signIn(publicUrl, GLOBEX_KEY)];
    const [{ origin, hold }] = both;
    const cancel = async (token: string) => {
      const response = await fetch(`${origin}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "mcp-session-id": SESSION,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }),
      });
      expect(response.status).toBe(202);
    };
    const askAndCancel = async (days: number, token: string) => {
      let release = () => {};
      hold.until = new Promise((resolve) => {
        release = resolve;
      });
      const call = { id: 7, name: "get_stats", args: { site: "example.com", days } };
      const asked = callMcp(`${origin}/mcp`, own.access, { ...call, headers: { "mcp-session-id": SESSION } });
      await expect.poll(() => hold.waiting).toBeGreaterThan(0);
      await cancel(token);
      release();
      return (await asked).text;
    };
    expect(await askAndCancel(7, thief.access)).toContain('"visitors"');
    // Its own client can cancel it.
    expect(await askAndCancel(8, own.access)).not.toContain('"visitors"');
  });
});
