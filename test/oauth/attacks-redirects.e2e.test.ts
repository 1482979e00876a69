import { expect, it } from "vitest";
import { ask, exchange, openConsent, post, prepare } from "../support/attacker.ts";
import { underAttack } from "../support/under-attack.ts";

const CLAUDE = "https://claude.ai/api/mcp/auth_callback";
const CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback";
const VSCODE = "vscode://saoudrizwan.claude-dev/callback";
const REVERSE = "com.example.app:/oauth2redirect";
const EVIL = "https://evil.example/landing";

/** Requests whose errors go to the redirect (RFC 6749, section 4.1.2.1). */
const faulty: [string, Record<string, string | undefined>][] = [
  ["without PKCE", { code_challenge: undefined, code_challenge_method: undefined }],
  ["with plain PKCE", { code_challenge: "a".repeat(43), code_challenge_method: "plain" }],
  ["with prompt=none", { prompt: "none" }],
  ["with another response type", { response_type: "token" }],
  ["with another response mode", { response_mode: "form_post" }],
  ["with another's resource", { resource: "https://other.example/mcp" }],
  ["with a request object", { request: "a.b.c" }],
  ["with a negative age", { max_age: "-1" }],
  ["with an odd hint", { id_token_hint: "x" }],
];

underAttack((scene) => {
  it.each(faulty)(
    "RFC 9700, 4.11.2: a link %s redirects nobody to an address that a stranger registered",
    async (_, changes) => {
      const { publicUrl } = scene();
      const { url } = await prepare(publicUrl, { redirect_uri: EVIL, ...changes }, { redirect_uris: [EVIL] });
      const { status, headers, text } = await ask(url.href);
      expect([status, headers.get("location"), headers.get("refresh")]).toEqual([400, null, null]);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(text).toContain("evil.example</bdi>");
      expect(text).not.toMatch(/<form|<script|http-equiv/i);
      // The person decides: the link has the error and the issuer (RFC 9207).
      const [, href = ""] = /<a href="([^"]+)"/.exec(text) ?? [];
      const link = new URL(href.replaceAll("&#38;", "&"));
      const told = new URLSearchParams(link.search || link.hash.slice(1));
      expect(link.href.startsWith(EVIL)).toBe(true);
      expect([told.get("iss"), told.get("state")]).toEqual([publicUrl, "the state"]);
      expect(told.get("error")).toMatch(/^[a-z_]+$/);
    },
  );

  it("RFC 9700, 4.11.2: nor does a form that another page sends", async () => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl, { redirect_uri: EVIL }, { redirect_uris: [EVIL] });
    for (const changes of [
      { prompt: "none" },
      { code_challenge: "" },
      { response_mode: "form_post", prompt: "none" },
    ]) {
      const form = new URLSearchParams(url.searchParams);
      for (const [name, value] of Object.entries(changes)) form.set(name, value);
      const { headers, text } = await post(`${publicUrl}/authorize`, form);
      expect([headers.get("location"), /<form|<script/i.test(text)]).toEqual([null, false]);
    }
  });

  it.each([CLAUDE, CURSOR, VSCODE, REVERSE])(
    "RFC 9700, 4.11.2: %s also gets errors by a link only",
    async (uri) => {
      const { publicUrl } = scene();
      const { url } = await prepare(
        publicUrl,
        { redirect_uri: uri, prompt: "none" },
        { redirect_uris: [uri] },
      );
      const { status, headers, text } = await ask(url.href);
      expect([status, headers.get("location")]).toEqual([400, null]);
      expect(text).toContain(`<a href="${uri}`);
    },
  );

  it.each([CLAUDE, CURSOR, VSCODE, REVERSE])(
    "%s gets the code after consent, and the error after Cancel",
    async (uri) => {
      const { publicUrl } = scene();
      const asking = await prepare(publicUrl, { redirect_uri: uri }, { redirect_uris: [uri] });
      const allowed = await (await openConsent(publicUrl, asking.url)).submit();
      expect(allowed.landed.href.startsWith(uri)).toBe(true);
      const code = allowed.code ?? "";
      expect((await exchange(publicUrl, { ...asking, code }, { redirect_uri: uri })).status).toBe(200);
      const { landed } = await (await openConsent(publicUrl, asking.url)).submit({ decision: "cancel" });
      expect([landed.href.startsWith(uri), landed.searchParams.get("error")]).toEqual([
        true,
        "access_denied",
      ]);
    },
  );

  it("an application on this computer still gets errors at once", async () => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl, { prompt: "none" });
    const { status, headers } = await ask(url.href);
    expect([status, headers.get("location")]).toEqual([303, expect.stringContaining("error=login_required")]);
  });
});
