import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestConnector } from "../support/connector.ts";

describe("a registration is refused whole for a redirect", () => {
  let connector: Awaited<ReturnType<typeof startTestConnector>>;
  beforeAll(async () => {
    connector = await startTestConnector();
  });
  afterAll(() => connector.close());

  const register = async (...redirect_uris: unknown[]) => {
    const response = await fetch(`${connector.publicUrl}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris }),
    });
    return response.status;
  };

  it.each([
    ...[
      "javascript:alert(1)",
      "intent://x#Intent;end",
      "view-source:https://x.example",
      "ws://x.example",
      "ftp://x.example/",
    ],
    ...[
      "https://user@x.example/cb",
      "https://user:word@x.example/cb",
      "http://x.example/cb",
      "no address",
      7,
    ],
  ])("to %s", async (uri) => {
    expect(await register("https://x.example/cb", uri)).toBe(400);
  });

  it("and taken for those of clients in use", async () => {
    expect(
      await register("https://x.example/cb", "http://localhost:1/cb", "cursor://x/cb", "vscode://x/cb"),
    ).toBe(201);
  });
});
