import { describe, expect, it } from "vitest";
import { checkRequest } from "../../src/view/guard.ts";

const server = { secret: "s".repeat(43), port: 8790 };
const good = {
  method: "GET",
  url: `/${server.secret}/example.com?period=today`,
  headers: { host: "127.0.0.1:8790" },
};

const statusOf = (request: object) => {
  const checked = checkRequest({ ...good, ...request }, server);
  return checked instanceof URL ? 200 : checked.status;
};

describe("a request to view", () => {
  it("with the secret gets the path below it", () => {
    expect(String(checkRequest(good, server))).toBe("http://127.0.0.1/example.com?period=today");
  });

  it.each<[string, number, object]>([
    ["under localhost", 200, { headers: { host: "localhost:8790" } }],
    ["under IPv6", 200, { headers: { host: "[::1]:8790" } }],
    ["for the head", 200, { method: "HEAD" }],
    [
      "by a link in the file that opens the browser",
      200,
      {
        headers: {
          ...good.headers,
          "sec-fetch-site": "cross-site",
          "sec-fetch-mode": "navigate",
          "sec-fetch-dest": "document",
        },
      },
    ],
    ["that a person typed", 200, { headers: { ...good.headers, "sec-fetch-site": "none" } }],
    [
      "by its own script",
      200,
      {
        headers: { ...good.headers, "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:8790" },
      },
    ],
    ["without the secret", 404, { url: "/example.com" }],
    ["with a part of the secret", 404, { url: `/${server.secret.slice(1)}/example.com` }],
    ["with a longer secret", 404, { url: `/${server.secret}s/example.com` }],
    ["out of the secret's folder", 404, { url: `/../${server.secret}/` }],
    ["under a foreign name (DNS rebinding)", 403, { headers: { host: "evil.example:8790" } }],
    ["under the name with another port", 403, { headers: { host: "127.0.0.1:8791" } }],
    ["without a name", 403, { headers: {} }],
    [
      "by another page's script",
      403,
      {
        headers: {
          ...good.headers,
          "sec-fetch-site": "cross-site",
          "sec-fetch-mode": "no-cors",
          "sec-fetch-dest": "image",
        },
      },
    ],
    [
      "in another page's frame",
      403,
      {
        headers: {
          ...good.headers,
          "sec-fetch-site": "cross-site",
          "sec-fetch-mode": "navigate",
          "sec-fetch-dest": "iframe",
        },
      },
    ],
    [
      "by a page on the next port",
      403,
      { headers: { ...good.headers, "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" } },
    ],
    ["from another origin", 403, { headers: { ...good.headers, origin: "http://127.0.0.1:8791" } }],
    ["from no origin", 403, { headers: { ...good.headers, origin: "null" } }],
    ["that posts", 405, { method: "POST" }],
    ["that is too long", 414, { url: `/${server.secret}/?filter=${"x".repeat(14_000)}` }],
  ])("%s gets %i", (_, status, request) => {
    expect(statusOf(request)).toBe(status);
  });
});
