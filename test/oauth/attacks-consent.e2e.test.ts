import { expect, it } from "vitest";
import { DEMO_KEY } from "../support/api.ts";
import {
  ask,
  exchange,
  openConsent,
  openConsentRaw,
  post,
  prepare,
  read,
  register,
} from "../support/attacker.ts";
import { createBrowser, startTestConnector } from "../support/connector.ts";
import { findPort } from "../support/processes.ts";
import { underAttack } from "../support/under-attack.ts";

const MARKUP = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;

/** May appear in a page as text, never as markup. */
function expectNoMarkup(text: string) {
  expect(text).not.toMatch(/<script|<img|(href|src|action)="(javascript|data:text)/i);
}

underAttack((scene) => {
  it("silent consent: a second authorization in the same browser asks for the key again", async () => {
    const { publicUrl } = scene();
    const asking = await prepare(publicUrl);
    const first = await openConsent(publicUrl, asking.url);
    expect((await first.submit()).code).not.toBeNull();
    const second = await openConsent(publicUrl, asking.url, first.browser);
    expect(second.page.status).toBe(200);
    expect(second.page.text).toContain('name="api_key"');
    expect(second.form.action).not.toBe(first.form.action);
    const empty = await second.submit({ api_key: "" });
    expect([empty.code, empty.answer.status]).toEqual([null, 400]);
  });

  it("silent consent: a finished consent cannot be submitted, resumed or answered again", async () => {
    const { publicUrl, upstream } = scene();
    const { url } = await prepare(publicUrl);
    const { submit, form, browser } = await openConsent(publicUrl, url);
    const kept = new Map(browser.cookies);
    expect((await submit()).code).not.toBeNull();
    for (const [name, value] of kept) browser.cookies.set(name, value);
    const calls = upstream().length;
    const again = await submit();
    expect([again.code, again.answer.status]).toEqual([null, 400]);
    const resumed = await read(
      (await browser.visit(publicUrl + form.action.replace("consent", "authorize"))).response,
    );
    expect(resumed.status).toBe(400);
    expect(upstream().length).toBe(calls);
  });

  it.each(["none", "none consent", "login none"])(
    "silent consent: prompt=%s is told that it cannot be",
    async (prompt) => {
      const { publicUrl } = scene();
      const asking = await prepare(publicUrl);
      const { browser, submit } = await openConsent(publicUrl, asking.url);
      await submit();
      asking.url.searchParams.set("prompt", prompt);
      const { end } = await openConsent(publicUrl, asking.url, browser);
      const { searchParams } = new URL(end);
      expect(searchParams.get("code")).toBeNull();
      expect(searchParams.get("error")).toMatch(/^(login|interaction)_required$/);
    },
  );

  it("clickjacking: no page can be framed, cached or run scripts, but for the landing page's own", async () => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl);
    const { page, submit } = await openConsent(publicUrl, url);
    const landing = await ask(`${publicUrl}/`);
    const pages = [
      page,
      (await submit({ api_key: "wrong" })).answer,
      (await submit({ csrf: "wrong" })).answer,
      await ask(`${publicUrl}/consent/none`),
      await ask(`${publicUrl}/authorize?client_id=none`, { headers: { accept: "text/html" } }),
      await ask(`${publicUrl}/authorize/none`, { headers: { accept: "text/html" } }),
      landing,
      await ask(`${publicUrl}/nothing`),
    ];
    for (const answer of pages) {
      const { headers, text } = answer;
      expect(text).toContain("<!doctype html>");
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("no-store");
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain("unsafe");
      // Its button copies the address.
      const scripts = answer === landing ? [expect.stringMatching(/^script-src 'sha256-[^' ]{44}'$/)] : [];
      expect(policy.split("; ").filter((part) => part.startsWith("script-src"))).toEqual(scripts);
    }
  });

  it.each(["form_post", "fragment", "web_message", "query.jwt"])(
    "clickjacking: response_mode=%s gets no page of the provider's own",
    async (mode) => {
      const { publicUrl } = scene();
      for (const modes of [[mode], ["query", mode]]) {
        const { url } = await prepare(publicUrl, { prompt: "none", state: MARKUP });
        for (const mode of modes) url.searchParams.append("response_mode", mode);
        for (const path of ["/authorize", "/authorize/"]) {
          const { status, text, headers } = await ask(publicUrl + path + url.search);
          expectNoMarkup(text);
          const location = headers.get("location");
          expect(
            status === 400 ||
              new URL(location ?? "").searchParams.get("error") === "unsupported_response_mode",
          ).toBe(true);
        }
      }
    },
  );

  it("XSS: an application's name, addresses, state and errors stay text", async () => {
    const { publicUrl } = scene();
    const metadata = { client_name: MARKUP, client_uri: "javascript:alert(1)", logo_uri: "data:text/html,x" };
    expect((await register(publicUrl, { ...metadata, redirect_uris: [MARKUP] })).status).toBe(400);
    const { client_uri: _, ...named } = metadata;
    const { url } = await prepare(
      publicUrl,
      { state: MARKUP },
      { ...named, client_uri: `https://x.example/${MARKUP}` },
    );
    const { page, submit } = await openConsent(publicUrl, url);
    expect(page.text).toContain("&#60;script&#62;alert(1)");
    expectNoMarkup(page.text);
    expectNoMarkup((await submit({ api_key: MARKUP })).answer.text);
    expectNoMarkup((await submit({ csrf: MARKUP })).answer.text);
    const { landed } = await submit({ decision: "deny" });
    expect(landed.searchParams.get("state")).toBe(MARKUP);
    for (const name of [
      "client_id",
      "redirect_uri",
      "response_type",
      "scope",
      "resource",
      "request",
      "claims",
      "prompt",
      "ui_locales",
    ]) {
      const spoiled = new URL(url);
      spoiled.searchParams.set(name, MARKUP);
      for (const accept of ["text/html", "application/json"]) {
        const answer = await ask(spoiled.href, { headers: { accept } });
        if (!answer.headers.get("content-type")?.includes("json")) expectNoMarkup(answer.text);
      }
    }
    const answer = await post(`${publicUrl}/token`, { grant_type: MARKUP, client_id: MARKUP });
    expect(answer.headers.get("content-type")).toContain("application/json");
  });

  it.each(["javascript:alert(1)", "data:text/html,x"])(
    "XSS: %s is no client's website on the consent page",
    async (uri) => {
      const { publicUrl } = scene();
      const { status } = await register(publicUrl, { client_uri: uri });
      if (status === 201) {
        const { url } = await prepare(publicUrl, {}, { client_uri: uri });
        expect((await openConsent(publicUrl, url)).page.text).not.toContain(uri);
      } else expect(status).toBe(400);
    },
  );

  it("CSRF: a form from another page or browser allows nothing and does not call the service", async () => {
    const { publicUrl, upstream } = scene();
    const other = await openConsent(publicUrl, (await prepare(publicUrl)).url);
    const { url } = await prepare(publicUrl);
    const { submit, browser, form } = await openConsent(publicUrl, url);
    const calls = upstream().length;
    const refused = [
      await submit({}, { origin: "https://evil.example" }),
      await submit({}, { origin: "null" }),
      await submit({}, { origin: `${publicUrl}.evil.example` }),
      await submit({}, { origin: publicUrl.replace("http:", "https:") }),
      await submit({ csrf: "" }),
      await submit({ csrf: other.form.csrf }),
      await submit({ csrf: "é".repeat(form.csrf.length) }),
      await submit({ csrf: `${form.csrf}x` }),
      await submit({ decision: "deny", csrf: other.form.csrf }),
    ];
    for (const { code, answer, landed } of refused) {
      expect([code, answer.status, landed.origin]).toEqual([null, 400, publicUrl]);
      expect(answer.text).toContain("access was not allowed");
    }
    const { response } = await browser.visit(
      `${publicUrl}${form.action}?csrf=${form.csrf}&decision=allow&api_key=${DEMO_KEY}`,
    );
    expect([response.status, (await response.text()).includes("api_key")]).toEqual([200, true]);
    expect(upstream().length).toBe(calls);
    expect((await submit()).code).not.toBeNull();
  });

  it("fixation: a sign-in that began in one browser cannot continue in another", async () => {
    const { publicUrl, upstream } = scene();
    const own = await openConsent(publicUrl, (await prepare(publicUrl)).url);
    const victim = createBrowser(publicUrl);
    const calls = upstream().length;
    const fields = { csrf: own.form.csrf, decision: "allow", api_key: DEMO_KEY };
    const submit = async (browser: typeof victim) => {
      const opened = await browser.visit(publicUrl + own.form.action);
      expect((await read(opened.response)).status).toBe(400);
      const { response, url } = await browser.visit(publicUrl + own.form.action, {
        method: "POST",
        headers: { origin: publicUrl },
        body: new URLSearchParams(fields),
      });
      expect([(await read(response)).status, new URL(url).searchParams.get("code")]).toEqual([400, null]);
    };
    await submit(victim);
    // The cookie cannot be derived from the address, which others may see.
    const uid = own.form.action.replace("/consent/", "");
    victim.cookies.set("_interaction", uid).set("_interaction_resume", uid);
    await submit(victim);
    for (const name of ["_interaction.sig", "_interaction_resume.sig"])
      victim.cookies.set(name, "a".repeat(27));
    await submit(victim);
    expect(upstream().length).toBe(calls);
  });

  it("fixation: one browser's cookies are not valid for another sign-in", async () => {
    const { publicUrl } = scene();
    const victim = await openConsent(publicUrl, (await prepare(publicUrl)).url);
    const thief = await openConsent(publicUrl, (await prepare(publicUrl)).url);
    const { response } = await thief.browser.visit(publicUrl + victim.form.action, {
      method: "POST",
      headers: { origin: publicUrl },
      body: new URLSearchParams({ csrf: victim.form.csrf, decision: "allow", api_key: DEMO_KEY }),
    });
    expect((await read(response)).status).toBe(400);
    expect((await victim.submit()).code).not.toBeNull();
  });

  it.each([0, 1])(
    "a form sent twice makes one grant, and whichever answer the browser takes leads on (%i)",
    async (taken) => {
      const { publicUrl, both, lines } = scene();
      const count = async () => (await both[0].store.listGrants()).length;
      const before = await count();
      const told = () => lines().filter((line) => line.includes('"grant_made"')).length;
      const toldBefore = told();
      const asking = await prepare(publicUrl);
      const { browser, decide } = await openConsent(publicUrl, asking.url);
      scene().meet("Interaction", 2);
      const answers = await Promise.all(both.map(({ origin }) => decide("allow", { at: origin })));
      expect(answers.map(({ status }) => status)).toEqual([303, 303]);
      const { url } = await browser.visit(answers[taken]?.headers.get("location") ?? "");
      const code = new URL(url).searchParams.get("code") ?? "";
      expect((await exchange(publicUrl, { ...asking, code })).status).toBe(200);
      expect(await count()).toBe(before + 1);
      expect(told()).toBe(toldBefore + 1);
      // Following the other redirect too leads to a page that says so.
      const late = await browser.visit(answers[1 - taken]?.headers.get("location") ?? "");
      expect([late.response.status, new URL(late.url).searchParams.get("code")]).toEqual([400, null]);
    },
  );

  it("guessing keys: the sixth try in a sign-in gets 429 on both replicas, and the service is not called", async () => {
    const { publicUrl, upstream, medium } = scene();
    const { submit } = await openConsent(publicUrl, (await prepare(publicUrl)).url);
    const calls = upstream().length;
    for (let index = 0; index < 5; index++) {
      expect((await submit({ api_key: `guess-${index}` })).answer.status).toBe(403);
    }
    expect(upstream().length - calls).toBe(5);
    const before = medium.readVersion();
    const sixth = await submit({ api_key: DEMO_KEY });
    expect(medium.readVersion()).toBe(before);
    expect([sixth.answer.status, sixth.code]).toEqual([429, null]);
    // Waiting does not help: the sign-in ends before its count does.
    expect(sixth.answer.headers.get("retry-after")).toBeNull();
    expect(sixth.answer.text).toContain("Go back to your application and sign in again.");
    expect(upstream().length - calls).toBe(5);
  });

  it("guessing keys: starting new sign-ins does not give one address more tries", async () => {
    const { publicUrl, upstream, address } = scene();
    const calls = upstream().length;
    const { url } = await prepare(publicUrl);
    for (let index = 0; index < 10; index++) {
      const { submit } = await openConsent(publicUrl, url);
      const guesses = ["a", "b", "c"].map((letter) =>
        submit({ api_key: `guess-${letter}` }, { "x-forwarded-for": `203.0.113.${index}` }),
      );
      for (const { answer } of await Promise.all(guesses)) expect(answer.status).toBe(403);
    }
    const { submit } = await openConsent(publicUrl, url);
    const { answer } = await submit();
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(upstream().length - calls).toBe(30);
    address.last += 1;
    expect((await submit()).code).not.toBeNull();
  });

  it("guessing keys: valid keys do not count, however many people sign in from one address", async () => {
    const { publicUrl, address } = scene();
    const { url } = await prepare(publicUrl);
    for (let index = 0; index < 35; index++) {
      const { submit } = await openConsent(publicUrl, url);
      expect((await submit()).code).not.toBeNull();
    }
    // As many as a sign-in allows.
    const guess = async (count: number) => {
      const { submit } = await openConsent(publicUrl, url);
      const keys = Array.from({ length: count }, (_, index) => `guess-${index}`);
      const answers = await Promise.all(keys.map((key) => submit({ api_key: key })));
      return answers.map(({ answer }) => answer.status);
    };
    for (let signIns = 0; signIns < 6; signIns++) expect(new Set(await guess(5))).toEqual(new Set([403]));
    expect(await guess(1)).toEqual([429]);
    address.last += 1;
  });

  it("guessing keys: text that cannot be a key is not sent to the service", async () => {
    const { publicUrl, upstream } = scene();
    const { submit } = await openConsent(publicUrl, (await prepare(publicUrl)).url);
    const calls = upstream().length;
    for (const key of ["a\r\nX-Injected: 1", "schlüssel", "a".repeat(513), "a b"]) {
      expect((await submit({ api_key: key })).answer.status).toBe(400);
    }
    expect(upstream().length).toBe(calls);
  });
});

it.each([true, false])(
  "cookies of a sign-in are Secure under an https public URL, whatever a client says (trustProxy: %s)",
  async (trustProxy) => {
    const port = await findPort();
    const { close } = await startTestConnector({ port, trustProxy, publicUrl: "https://mcp.example" });
    const origin = `http://127.0.0.1:${port}`;
    const { url } = await prepare(origin, { resource: "https://mcp.example/mcp" });
    for (const claimed of [
      {},
      { "x-forwarded-proto": "http" },
      { "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" },
    ]) {
      const { started, cookies, path, decide } = await openConsentRaw(origin, url, claimed);
      expect([started.status, path]).toEqual([303, expect.stringMatching(/^\/consent\/[\w-]+$/)]);
      expect(cookies).toHaveLength(6);
      for (const cookie of cookies) {
        expect(cookie).toMatch(/; path=\/(consent|authorize)\/[\w-]+;/);
        expect(cookie).toMatch(/; samesite=lax; secure; httponly$/);
      }
      const answer = await decide("allow", { origin: "https://mcp.example" });
      expect([answer.status, answer.headers.location]).toEqual([
        303,
        expect.stringMatching(/^https:\/\/mcp\.example\/authorize\//),
      ]);
    }
    await close();
  },
);
