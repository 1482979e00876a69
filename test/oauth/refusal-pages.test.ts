import { describe, expect, it } from "vitest";
import { buildRequest, open, register } from "../support/oauth-client.ts";
import { start } from "./connector-fixture.ts";

const CALLBACK = "https://client.example/cb";

/** The texts of the page's frames, which quote, and what stands before the last one. */
function readQuotation(html: string) {
  const [, before, quoted] =
    /<p class="reason soft">([^<]*)<\/p>\s*<p><bdi class="name">([^<]*)<\/bdi>/.exec(html) ?? [];
  return { before, quoted };
}

describe("the page of a sign-in that is refused", () => {
  const OURS = "This server’s reason:";

  it("says whose words the reason is: this server's", async () => {
    const connector = await start();
    const { body } = await register(connector, { redirect_uris: [CALLBACK] });
    const asked = { client_id: body.client_id, redirect_uri: CALLBACK };
    const other = await open(connector, { ...asked, resource: "https://other.example/mcp" });
    expect(readQuotation(other.html)).toEqual({
      before: OURS,
      quoted: "resource indicator is missing, or unknown",
    });
    expect(other.html).not.toContain("The application sent:");
  });

  it("says how to register again, since starting again would send the same id", async () => {
    const { html } = await open(await start(), { client_id: "unknown" });
    expect(html).toContain("Remove the connector in the application, and add it again.");
    expect(html).toContain("Code: <code>invalid_client</code>");
    expect(html).not.toContain("start again");
  });

  it("leads on, as the page of an unknown address does: to what this server is", async () => {
    const connector = await start();
    const { url } = buildRequest(connector, { client_id: "unknown" });
    const [refused, unknown] = await Promise.all([fetch(url), fetch(new URL("/nowhere", url))]);
    expect([refused.status, unknown.status]).toEqual([400, 404]);
    for (const page of [refused, unknown]) {
      const [, href = ""] = /<a href="([^"]*)">What this server is/.exec(await page.text()) ?? [];
      const landing = await fetch(new URL(href, page.url));
      expect([landing.status, await landing.text()]).toEqual([200, expect.stringContaining("/mcp")]);
    }
  });

  it("shows no reason and no code that the application put into its redirect", async () => {
    const connector = await start();
    const redirect = `${CALLBACK}?error=account_closed&error_description=Call+555-0100`;
    const { body } = await register(connector, { redirect_uris: [redirect] });
    const asked = { client_id: body.client_id, redirect_uri: redirect };
    const { html } = await open(connector, { ...asked, prompt: "none" });
    expect(html).toContain("Code: <code>login_required</code>");
    expect(readQuotation(html)).toMatchObject({ before: OURS, quoted: expect.stringContaining("End-User") });
    const withFragment = await open(connector, { ...asked, response_type: "token" });
    expect(withFragment.html).toContain("Code: <code>unsupported_response_type</code>");
    expect(readQuotation(withFragment.html).quoted).not.toContain("555");
  });

  it("says that a request is too long, which is not stored", async () => {
    const connector = await start();
    const { body } = await register(connector);
    const stored: string[] = [];
    const { put } = connector.store;
    connector.store.put = (record) => {
      stored.push(record.kind);
      return put(record);
    };
    const send = async (length: number, method: "GET" | "POST") => {
      const { url } = buildRequest(connector, { client_id: body.client_id, state: "s".repeat(length) });
      const { origin, pathname, searchParams } = new URL(url);
      const request =
        method === "GET" ? new Request(url) : new Request(origin + pathname, { method, body: searchParams });
      const { status } = await fetch(request, { redirect: "manual" });
      return [method, status, stored.splice(0)];
    };
    for (const method of ["GET", "POST"] as const) {
      expect(await send(7_000, method)).toEqual([method, 303, ["Interaction"]]);
      expect(await send(8_000, method)).toEqual([method, 413, []]);
    }
  });
});
