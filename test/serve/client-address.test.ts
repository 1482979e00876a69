import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { readAddress } from "../../src/serve/client-address.ts";

const ask = (remoteAddress: string, forwarded?: string) =>
  ({ headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe("the address that a request is counted for", () => {
  it.each([
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "::ffff:203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:0002:ffff::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ])("%s is %s", (address, expected) => {
    expect(readAddress(ask(address), false)).toBe(expected);
  });

  it("is read from the last proxy only, and only if it is trusted", () => {
    const request = ask("10.0.0.1", "198.51.100.1, 203.0.113.9");
    expect(readAddress(request, true)).toBe("203.0.113.9");
    expect(readAddress(request, false)).toBe("10.0.0.1");
    expect(readAddress(ask("10.0.0.1"), true)).toBe("10.0.0.1");
  });
});
