import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { readAddress } from "../../src/serve/client-address.ts";

const ask = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ headers: { "x-forwarded-for": forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage;

describe("the address that a request is counted for", () => {
  const addresses: [address: string, expected: string][] = [
    ["203.0.113.9", "203.0.113.9"],
    ["::ffff:203.0.113.9", "203.0.113.9"],
    ["::FFFF:203.0.113.9", "203.0.113.9"],
    ["::ffff:cb00:7109", "203.0.113.9"],
    ["0:0:0:0:0:ffff:203.0.113.9", "203.0.113.9"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:DB8:0001:0002:ffff::", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8::1:2:3:198.51.100.1", "2001:db8:0:1::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
  ];

  it.each(addresses)("%s is %s, from the connection and from a proxy", (address, expected) => {
    expect(readAddress(ask(address), false)).toBe(expected);
    expect(readAddress(ask("10.0.0.1", address), true)).toBe(expected);
  });

  it.each([
    ["203.0.113.9:4711", "203.0.113.9"],
    ["[2001:db8:1:2::1]", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::1]:4711", "2001:db8:1:2::/64"],
    ["[::ffff:203.0.113.9]:4711", "203.0.113.9"],
    [" 203.0.113.9 ", "203.0.113.9"],
    ["198.51.100.1, 203.0.113.9:1", "203.0.113.9"],
    ["198.51.100.1,203.0.113.9", "203.0.113.9"],
  ])("is read from a proxy's %s as %s", (forwarded, expected) => {
    expect(readAddress(ask("10.0.0.1", forwarded), true)).toBe(expected);
  });

  it.each([
    "unknown",
    "_hidden",
    "",
    "203.0.113.9,",
    "203.0.113.9.1",
    "[2001:db8::1",
    "1:2",
    "a".repeat(9_000),
  ])("is the proxy's own if that sends %s", (forwarded) => {
    expect(readAddress(ask("10.0.0.1", forwarded), true)).toBe("10.0.0.1");
  });

  it("is read from the last proxy only, and only if it is trusted", () => {
    const request = ask("10.0.0.1", "198.51.100.1, 203.0.113.9");
    expect(readAddress(request, true)).toBe("203.0.113.9");
    expect(readAddress(request, false)).toBe("10.0.0.1");
    expect(readAddress(ask("10.0.0.1"), true)).toBe("10.0.0.1");
  });

  it("is empty for a connection that is gone", () => {
    expect(readAddress(ask(undefined), false)).toBe("");
  });
});
