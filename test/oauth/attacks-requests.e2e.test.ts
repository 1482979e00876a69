import { expect, it } from "vitest";
import {
  ask,
  callMcp,
  obtainCode,
  openConsent,
  openConsentRaw,
  post,
  prepare,
  register,
  signIn,
} from "../support/attacker.ts";
import { askRaw } from "../support/raw.ts";
import { underAttack } from "../support/under-attack.ts";

const WEB = "https://app.example/cb";
const EVIL = "evil.example";

underAttack((scene) => {
  it.each([
    "https://APP.example/cb",
    "https://app.example/CB",
    "https://app.example/cb/",
    "https://app.example/cb/../other",
    "https://app.example/cb/%2e%2e/other",
    "https://app.example/%2e/cb",
    "https://app.example/c%62",
    "https://app.example/cb?next=https://evil.example",
    "https://app.example/cb#x",
    "https://app.example/cb%23",
    "https://app.example:443/cb",
    "https://app.example:8443/cb",
    "https://app.example.evil.example/cb",
    "https://evilapp.example/cb",
    "https://user@app.example/cb",
    "https://app.example@evil.example/cb",
    "https://evil.example\\@app.example/cb",
    "https://evil.example\\.app.example/cb",
    "https:app.example/cb",
    "//app.example/cb",
    "http://app.example/cb",
    "https://app.example/cb ",
    " https://app.example/cb",
    "https://app.example/cb\u0000",
    "javascript:alert(1)//https://app.example/cb",
    "http://localhost:1234/cb",
    "http://127.0.0.2:1234/cb",
    "http://127.0.0.1:1234/cb/x",
    "http://127.0.0.1.evil.example:1234/cb",
    "http://127.0.0.1:1234@evil.example/cb",
    "https://127.0.0.1:1234/cb",
    "http://0x7f.1:1234/cb",
  ])("open redirect: %j is not registered, and nobody is redirected there", async (redirect_uri) => {
    const { publicUrl } = scene();
    const registered = { redirect_uris: [WEB, "http://127.0.0.1/cb"] };
    const { url } = await prepare(publicUrl, { redirect_uri, prompt: "none" }, registered);
    const { status, headers } = await ask(url.href);
    expect([status, headers.get("location")]).toEqual([400, null]);
  });

  it("open redirect: two redirects, or none if several are registered, are refused on this server", async () => {
    const { publicUrl } = scene();
    const registered = { redirect_uris: [WEB, "https://other.example/cb"] };
    const { url } = await prepare(publicUrl, { redirect_uri: undefined, prompt: "none" }, registered);
    expect((await ask(url.href)).status).toBe(400);
    for (const redirect of [WEB, "https://evil.example/cb"])
      url.searchParams.append("redirect_uri", redirect);
    const { status, headers } = await ask(url.href);
    expect([status, headers.get("location")]).toEqual([400, null]);
  });

  it.each(["client_id", "state", "code_challenge", "code_challenge_method", "response_type"])(
    "repeated parameters: %s given twice is refused",
    async (name) => {
      const { publicUrl } = scene();
      const { url } = await prepare(publicUrl);
      url.searchParams.append(name, "another");
      const { end, form } = await openConsent(publicUrl, url);
      expect(form.action).toBe("");
      if (end !== url.href) expect(new URL(end).searchParams.get("error")).toBe("invalid_request");
    },
  );

  it("mix-up: every answer to a client names the issuer", async () => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl);
    const allowed = await (await openConsent(publicUrl, url)).submit();
    const denied = await (await openConsent(publicUrl, url)).submit({ decision: "deny" });
    const errors = [
      { prompt: "none" },
      { code_challenge: "" },
      { response_type: "token" },
      { resource: "https://x.example" },
    ];
    const ends = errors.map(async (change) => {
      const asking = await prepare(publicUrl, change);
      const end = new URL((await openConsent(publicUrl, asking.url)).end);
      // For response types with a token, the answer is in the fragment.
      return end.hash === "" ? end : new URL(`?${end.hash.slice(1)}`, end);
    });
    expect(allowed.code).not.toBeNull();
    expect(denied.landed.searchParams.get("error")).toBe("access_denied");
    for (const { searchParams } of [allowed.landed, denied.landed, ...(await Promise.all(ends))]) {
      expect(searchParams.has("code") || searchParams.has("error")).toBe(true);
      expect(searchParams.getAll("iss")).toEqual([publicUrl]);
      expect(searchParams.getAll("state")).toEqual(["the state"]);
    }
  });

  it("metadata injection: the host that a request names appears nowhere", async () => {
    const { publicUrl, both } = scene();
    const lies = {
      host: EVIL,
      forwarded: `host=${EVIL};proto=https`,
      "x-forwarded-host": EVIL,
      "x-forwarded-proto": "https",
      "x-forwarded-port": "666",
      "x-forwarded-prefix": `/${EVIL}`,
      "x-original-url": `/${EVIL}`,
      "x-host": EVIL,
    };
    const { url } = await prepare(publicUrl);
    const denied = await prepare(publicUrl, { prompt: "none" });
    const wellKnown = ["oauth-authorization-server", "openid-configuration", "oauth-protected-resource"];
    const paths = [
      ...wellKnown.flatMap((name) => [
        `/.well-known/${name}`,
        `/.well-known/${name}/mcp`,
        `/mcp/.well-known/${name}`,
      ]),
      ...[url, denied.url].map(({ pathname, search }) => pathname + search),
      "/mcp",
      "/authorize",
      "/authorize/none",
      "/consent/none",
      "/",
      "/nothing",
      "/token",
      "/register",
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        const { text, headers } = await askRaw(both[0].origin, { method, path, headers: lies });
        expect(text + JSON.stringify(headers)).not.toMatch(/evil|666/);
      }
    }
    const { decide } = await openConsentRaw(both[0].origin, url, lies);
    const finished = await decide("deny", { origin: publicUrl });
    expect(finished.status).toBe(303);
    expect(String(finished.headers.location)).toMatch(new RegExp(`^${publicUrl}/authorize/`));
  });

  it("targets: an absolute form, a double slash, a backslash and other methods reach nothing", async () => {
    const { both } = scene();
    const { origin } = both[0];
    for (const path of [
      `http://${EVIL}/authorize`,
      `http://${EVIL}/mcp`,
      "//authorize",
      `//${EVIL}/authorize`,
      `//${EVIL}/%2e%2e`,
      "/\\evil.example",
      "/.//evil.example",
      "/token/",
      "/TOKEN",
      "/authorize/../token",
      "*",
    ]) {
      const { status, headers } = await askRaw(origin, { path });
      expect([path, [400, 404].includes(status), headers.location]).toEqual([path, true, undefined]);
    }
    for (const method of ["PUT", "DELETE", "PATCH", "POST"]) {
      const { status } = await askRaw(origin, { method, path: "/authorize?client_id=x" });
      expect([400, 404, 405]).toContain(status);
    }
    for (const path of ["/token", "/register", "/revoke"]) {
      for (const method of ["GET", "HEAD", "PUT"]) {
        expect((await askRaw(origin, { method, path: `${path}?grant_type=refresh_token` })).status).toBe(404);
      }
    }
  });

  it.each(["multipart/form-data; boundary=x", "application/json", "text/plain"])(
    "bodies: a form sent as %s is none",
    async (type) => {
      const { publicUrl } = scene();
      const { clientId, code, verifier } = await obtainCode(publicUrl);
      const form = {
        grant_type: "authorization_code",
        client_id: clientId,
        code,
        code_verifier: verifier,
        redirect_uri: "http://127.0.0.1:1234/cb",
      };
      const answer = await post(`${publicUrl}/token`, form, { "content-type": type });
      expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
      const twice = new URLSearchParams([...Object.entries(form), ["code", "another"]]);
      expect((await post(`${publicUrl}/token`, twice)).body.error).toBe("invalid_request");
      expect((await post(`${publicUrl}/token`, form)).status).toBe(200);
    },
  );

  it("DNS rebinding: even with a token, /mcp answers only under its own name and to its own pages", async () => {
    const { publicUrl, mcp, both, upstream } = scene();
    const { access } = await signIn(publicUrl);
    const calls = upstream().length;
    const headers = {
      authorization: `Bearer ${access}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "list_sites", arguments: {} },
    });
    const foreign = [EVIL, `${EVIL}:80`, "127.0.0.1.evil.example", "localhost@evil.example"];
    for (const [host, expected] of [...foreign.map((host) => [host, 403] as const), ["", 400] as const]) {
      const { status } = await askRaw(both[0].origin, {
        method: "POST",
        path: "/mcp",
        headers: { ...headers, host },
        body,
      });
      expect([host, status]).toEqual([host, expected]);
    }
    for (const origin of [
      `http://${EVIL}`,
      "null",
      "http://127.0.0.1.evil.example",
      "http://localhost.evil.example",
    ]) {
      expect((await callMcp(mcp, access, { headers: { origin } })).status).toBe(403);
    }
    expect(upstream().length).toBe(calls);
    expect((await callMcp(mcp, access, { headers: { origin: publicUrl } })).status).toBe(200);
  });

  it.each([undefined, "Bearer none", "Basic eDp4"])(
    "MCP 2025-11-25, transports, security warning: another page's script gets 403 from /mcp (Authorization: %s)",
    async (authorization) => {
      const { mcp } = scene();
      const headers = {
        ...(authorization !== undefined && { authorization }),
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
      for (const method of ["POST", "GET", "DELETE"]) {
        const send = (origin: object) =>
          ask(mcp, { method, headers: { ...headers, ...origin }, ...(method === "POST" && { body }) });
        for (const origin of [`https://${EVIL}`, "null", "https://localhost.evil.example", "file://"]) {
          const { status, headers: answered } = await send({ origin });
          expect([method, origin, status, answered.get("www-authenticate")]).toEqual([
            method,
            origin,
            403,
            null,
          ]);
        }
        for (const origin of [{}, { origin: new URL(mcp).origin }, { origin: "http://localhost:6274" }]) {
          expect((await send(origin)).status).toBe(401);
        }
      }
      const preflight = { origin: `https://${EVIL}`, "access-control-request-method": "POST" };
      expect((await ask(mcp, { method: "OPTIONS", headers: preflight })).status).toBe(204);
    },
  );

  it("DNS rebinding: a page under another name cannot send the consent form", async () => {
    const { publicUrl, both, upstream } = scene();
    const { url } = await prepare(publicUrl);
    const { csrf, decide } = await openConsentRaw(both[0].origin, url, { host: EVIL });
    expect(csrf).not.toBe("");
    const calls = upstream().length;
    const { status, headers } = await decide("allow", { origin: `http://${EVIL}` });
    expect([status, headers.location, upstream().length]).toEqual([400, undefined, calls]);
  });

  it("DNS rebinding: scripts of other pages may call endpoints that use no cookies, and never with cookies", async () => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl);
    const { form } = await openConsent(publicUrl, url);
    const origin = { origin: `http://${EVIL}` };
    for (const path of [
      url.pathname + url.search,
      form.action,
      "/authorize/none",
      "/",
      "/token",
      "/register",
      "/revoke",
      "/mcp",
    ]) {
      for (const method of ["GET", "POST", "OPTIONS"]) {
        const { headers } = await ask(publicUrl + path.replace(publicUrl, ""), { method, headers: origin });
        expect(headers.get("access-control-allow-credentials")).toBeNull();
        const isPage = /^\/(authorize|consent|$)/.test(path);
        expect([path, headers.get("access-control-allow-origin")]).toEqual([path, isPage ? null : "*"]);
      }
    }
  });

  it("registration: this server decides what matters for security", async () => {
    const { publicUrl } = scene();
    const { status, body } = await register(publicUrl, {
      client_id: "mine",
      client_secret: "mine",
      grant_types: ["client_credentials", "implicit"],
      response_types: ["token", "id_token"],
      scope: "openid admin",
      application_type: "web",
      token_endpoint_auth_method: "client_secret_jwt",
      subject_type: "pairwise",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
    expect([body.client_id === "mine", "client_secret" in body, "registration_access_token" in body]).toEqual(
      [false, false, false],
    );
    const credentials = await post(`${publicUrl}/token`, {
      grant_type: "client_credentials",
      client_id: String(body.client_id),
    });
    expect(credentials.body.error).toMatch(/unsupported_grant_type|unauthorized_client/);
  });
});
