import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEMO_KEY } from "../support/api.ts";
import { CHROMIUM, launch } from "../support/browser.ts";
import { startTestConnector } from "../support/connector.ts";
import { buildRequest, post, register } from "../support/oauth-client.ts";

/** The listener that an application opens on this machine for its redirect. */
async function listen() {
  const arrived: URL[] = [];
  const server = createServer((request, response) => {
    arrived.push(new URL(request.url ?? "", "http://127.0.0.1"));
    response.writeHead(200, { "content-type": "text/html" }).end("<title>You may close this page</title>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    arrived: () => arrived.filter(({ pathname }) => pathname === "/callback"),
    forget: () => {
      arrived.length = 0;
    },
    redirect: `http://127.0.0.1:${port}/callback`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const HTTPS = "https://assistant.example/api/mcp/auth_callback";
const CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback";

describe.skipIf(CHROMIUM === undefined)("a person with Chromium (CHROMIUM)", () => {
  let browser: Browser;
  let context: BrowserContext;
  let tab: Page;
  let connector: Awaited<ReturnType<typeof startTestConnector>>;
  let loopback: Awaited<ReturnType<typeof listen>>;
  /** Where the tab was sent, whether or not it got there. */
  const sent: string[] = [];
  beforeAll(async () => {
    [browser, connector, loopback] = await Promise.all([launch(), startTestConnector(), listen()]);
    context = await browser.newContext();
    // The assistant on the internet: no real request is made.
    await context.route("https://assistant.example/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<title>Connected</title>" }),
    );
    await openTab();
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([connector.close(), loopback.close()]);
  });
  beforeEach(async () => {
    connector.upstream.length = 0;
    loopback.forget();
    sent.length = 0;
    // Nothing of the last sign-in, as in a browser of somebody else.
    await context.clearCookies();
  });

  /** A tab that opened another program's link waits for that program: the next test needs another. */
  async function openTab() {
    await tab?.close();
    tab = await context.newPage();
    // No application handles the scheme, so the test sees only that Chromium starts the redirect. If a policy of
    // the page forbids it, it does not start.
    const events = await context.newCDPSession(tab);
    await events.send("Network.enable");
    events.on("Network.requestWillBeSent", ({ request }) => void sent.push(request.url));
  }

  /** A registered application with all three redirects has sent the person here. */
  async function begin(redirect_uri: string) {
    const redirect_uris = [HTTPS, CURSOR, loopback.redirect];
    const { body } = await register(connector, { client_name: "Assistant", redirect_uris });
    const { url, verifier } = buildRequest(connector, { client_id: body.client_id, redirect_uri });
    await tab.goto(url);
    expect(tab.url().startsWith(`${connector.publicUrl}/consent/`)).toBe(true);
    const exchange = (landed: URL) =>
      post(`${connector.publicUrl}/token`, {
        grant_type: "authorization_code",
        client_id: body.client_id,
        redirect_uri,
        code_verifier: verifier,
        code: landed.searchParams.get("code") ?? "",
      });
    return { exchange };
  }
  const giveKey = async (key: string) => {
    await tab.getByLabel("API key").fill(key);
    await tab.getByRole("button", { name: /^Allow/ }).click();
  };
  const cameWith = (landed: URL) => Object.fromEntries(landed.searchParams);

  it("returns to an https redirect with code, state and issuer", async () => {
    const { exchange } = await begin(HTTPS);
    await giveKey(DEMO_KEY);
    await tab.waitForURL(`${HTTPS}?**`);
    const landed = new URL(tab.url());
    expect(await tab.title()).toBe("Connected");
    expect(cameWith(landed)).toEqual({ code: expect.any(String), state: "s-1", iss: connector.publicUrl });
    expect(await exchange(landed)).toMatchObject({ status: 200, body: { scope: "analytics:read" } });
  });

  it("returns to the listener of an application on this machine", async () => {
    const { exchange } = await begin(loopback.redirect);
    await giveKey(DEMO_KEY);
    await tab.waitForURL(`${loopback.redirect}?**`);
    const [landed] = loopback.arrived();
    expect(loopback.arrived()).toHaveLength(1);
    expect(landed && cameWith(landed)).toEqual({
      code: expect.any(String),
      state: "s-1",
      iss: connector.publicUrl,
    });
    expect(landed && (await exchange(landed))).toMatchObject({ status: 200 });
  });

  it("returns to an application by its own scheme", async () => {
    const { exchange } = await begin(CURSOR);
    const refusals: string[] = [];
    tab.on("console", (message) => refusals.push(message.text()));
    await giveKey(DEMO_KEY);
    await expect.poll(() => sent.filter((url) => url.startsWith(CURSOR))).not.toEqual([]);
    const landed = new URL(sent.find((url) => url.startsWith(CURSOR)) ?? "");
    expect(cameWith(landed)).toEqual({ code: expect.any(String), state: "s-1", iss: connector.publicUrl });
    // If a policy of the page blocked it, the console would say so.
    expect(refusals.filter((line) => /Content.Security.Policy|form-action/i.test(line))).toEqual([]);
    expect(await exchange(landed)).toMatchObject({ status: 200 });
    await openTab();
  });

  it("gives a wrong key, sees the error on the same page, and gives the right one", async () => {
    await begin(loopback.redirect);
    await giveKey("no-such-key");
    await tab.getByRole("alert").waitFor();
    expect(loopback.arrived()).toEqual([]);
    await giveKey(DEMO_KEY);
    await tab.waitForURL(`${loopback.redirect}?**`);
    expect(loopback.arrived()).toHaveLength(1);
  });

  it.each(["https", "loopback", "scheme"])(
    "says no: the application (%s) hears access_denied",
    async (way) => {
      const redirect = { https: HTTPS, loopback: loopback.redirect, scheme: CURSOR }[way] ?? "";
      await begin(redirect);
      await tab.getByRole("button", { name: "Cancel" }).click();
      // Waits for the page to load: Chromium can hang when a loading tab is closed.
      if (way !== "scheme") await tab.waitForURL(`${redirect}?**`);
      await expect.poll(() => sent.filter((url) => url.startsWith(redirect))).not.toEqual([]);
      const landed = new URL(sent.find((url) => url.startsWith(redirect)) ?? "");
      expect(cameWith(landed)).toEqual({
        error: "access_denied",
        state: "s-1",
        iss: connector.publicUrl,
        error_description: expect.any(String),
      });
      expect(connector.upstream).toEqual([]);
      if (way === "scheme") await openTab();
    },
  );
});
