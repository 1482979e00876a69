import { describe, expect, it, vi } from "vitest";
import { AnalyticsError } from "../../src/errors.ts";
import { readConsistently } from "../../src/reports/compared-windows.ts";
import { createTestApi } from "../support/api.ts";
import { connectInProcess, textOf } from "../support/clients.ts";

const SINGLE = "ask for totals, days and lists one at a time.";
const LESS = `compare by one dimension, or ${SINGLE}`;

/** A client of a service with a quota, whose headers can be changed. */
async function connect(limit: number, edit = (_: Headers) => {}, { window = 60, passes = 0 } = {}) {
  const { api, time } = createTestApi({ quota: { limit, window } });
  const client = await connectInProcess({
    fetch: async (url, init) => {
      time.now += passes;
      const response = await api(new Request(url, init));
      const headers = new Headers(response.headers);
      edit(headers);
      return new Response(response.body, { status: response.status, headers });
    },
  });
  const ask = async (name: string, args = {}) => {
    const result = await client.callTool(name, { site: "example.com", ...args });
    return { isError: result.isError === true, lines: textOf(result).split("\n") };
  };
  return { ask, close: client.close };
}

const withoutPolicy = (headers: Headers) => {
  headers.delete("ratelimit-policy");
  headers.delete("ratelimit");
};

describe("a quota that is smaller than what a query needs", () => {
  it.each<[string, object, number, number, string]>([
    ["get_overview", {}, 14, 11, LESS],
    ["compare_periods", {}, 17, 16, LESS],
    ["compare_periods", { dimension: "pages" }, 8, 7, SINGLE],
    ["compare_periods", { dimension: "events" }, 8, 7, SINGLE],
  ])("is named: %s %j needs %d", async (name, args, needed, limit, less) => {
    const { ask, close } = await connect(limit);
    expect(await ask(name, args)).toEqual({
      isError: true,
      lines: [
        `This query needs ${needed} requests at once, but the service's quota is ${limit} in 60 seconds.`,
        `Waiting does not help. Ask for less: ${less}`,
      ],
    });
    await close();
    const enough = await connect(needed);
    expect((await enough.ask(name, args)).isError).toBe(false);
    await enough.close();
  });

  it("is named if only its number is known", async () => {
    const { ask, close } = await connect(6, (headers) => {
      withoutPolicy(headers);
      headers.set("x-ratelimit-limit", "6");
    });
    const { lines } = await ask("get_overview");
    expect(lines[0]).toBe("This query needs 14 requests at once, but the service's quota is 6.");
    await close();
  });

  it("is suspected if the service does not name it", async () => {
    const { ask, close } = await connect(6, withoutPolicy);
    expect((await ask("get_overview")).lines).toEqual([
      "The key's quota is used up: try again in 60 seconds.",
      `This query takes at least 14 requests at once. If it fails again, the quota may be smaller than that: ${LESS}`,
    ]);
    await close();
  });
});

it("a quota that others have used up is waited for", async () => {
  const { ask, close } = await connect(13);
  expect((await ask("get_overview")).isError).toBe(false);
  expect((await ask("get_overview")).lines).toEqual(["The key's quota is used up: try again in 60 seconds."]);
  await close();
});

it("a quota that does not suffice to read again leaves the first answers", async () => {
  const read = vi.fn<() => Promise<{ drift: number }>>();
  read.mockResolvedValueOnce({ drift: 1 });
  read.mockRejectedValueOnce(new AnalyticsError("rate_limited", "The quota is used up."));
  expect(await readConsistently({}, read, ({ drift }) => drift > 0)).toEqual({ drift: 1 });
  expect(read).toHaveBeenCalledTimes(2);
});
