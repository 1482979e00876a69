import { describe, expect, it } from "vitest";
import { createRateLimit } from "../../src/mcp/call-rate-limit.ts";
import { queries } from "../../src/reports/queries.ts";
import { connectInProcess } from "../support/clients.ts";

describe("the rate limit of calls", () => {
  it("allows a minute's calls at once, then refills steadily", () => {
    let now = 0;
    const admit = createRateLimit(60, () => now);
    const take = (count: number) => {
      for (let taken = 0; taken < count; taken++) admit();
    };
    take(60);
    expect(admit).toThrow("the limit is 60 a minute");
    now += 999;
    expect(admit).toThrow();
    now += 1;
    take(1);
    expect(admit).toThrow();
    now += 3_600_000;
    take(60);
    expect(admit).toThrow();
    now -= 7_200_000;
    expect(admit).toThrow();
    now += 1_000;
    take(1);
  });

  it("tells an assistant how long to wait", async () => {
    const client = await connectInProcess({ callsPerMinute: 2 });
    try {
      for (const _ of [1, 2]) expect((await client.callTool("list_sites")).isError).toBeFalsy();
      const refused = await client.callTool("list_sites");
      expect(refused.isError).toBe(true);
      expect(refused.content[0]?.text).toContain("Wait 30 seconds");
      await expect(client.readResource("analytics://sites")).rejects.toThrow("Too many calls");
      expect((await client.listTools()).tools).toHaveLength(queries.length);
      client.time.now += 30_000;
      expect((await client.callTool("list_sites")).isError).toBeFalsy();
      expect((await client.callTool("list_sites")).isError).toBe(true);
    } finally {
      await client.close();
    }
  });
});
