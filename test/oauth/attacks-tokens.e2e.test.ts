import { expect, it } from "vitest";
import { DEMO_KEY, GLOBEX_KEY } from "../support/api.ts";
import {
  callMcp,
  exchange,
  obtainCode,
  openConsent,
  post,
  prepare,
  refresh,
  type SignedIn,
  signIn,
} from "../support/attacker.ts";
import { startTestConnector } from "../support/connector.ts";
import { findPort } from "../support/processes.ts";
import { type Scene, underAttack } from "../support/under-attack.ts";

const eight = [0, 1, 2, 3, 4, 5, 6, 7];

/** How each replica answers a token. */
const tryOn = async ({ both }: Scene, token: string) =>
  Promise.all(both.map(async ({ origin }) => (await callMcp(`${origin}/mcp`, token)).status));

underAttack((scene) => {
  it("code replay: a code is exchanged once, and its replay ends the grant on both replicas", async () => {
    const { publicUrl } = scene();
    const code = await obtainCode(publicUrl);
    const { body } = await exchange(publicUrl, code);
    expect(await tryOn(scene(), String(body.access_token))).toEqual([200, 200]);
    const replay = await exchange(publicUrl, code);
    expect(replay).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await tryOn(scene(), String(body.access_token))).toEqual([401, 401]);
    const later = await refresh(publicUrl, { clientId: code.clientId, refresh: String(body.refresh_token) });
    expect(later.body.error).toBe("invalid_grant");
  });

  it("code race: eight exchanges on two replicas never give two tokens, and a later replay ends the grant", async () => {
    const { publicUrl, meet } = scene();
    for (let round = 0; round < 3; round++) {
      const code = await obtainCode(publicUrl);
      // In the first round all eight have read the code before any of them uses it.
      if (round === 0) meet("AuthorizationCode", 8);
      const answers = await Promise.all(eight.map(() => exchange(publicUrl, code)));
      const given = answers.filter(({ status }) => status === 200);
      expect(given.length).toBeLessThanOrEqual(1);
      if (round === 0) expect(given).toHaveLength(1);
      expect(answers.filter(({ body }) => body.error === "invalid_grant")).toHaveLength(8 - given.length);
      await exchange(publicUrl, code);
      for (const { body } of given) {
        expect(await tryOn(scene(), String(body.access_token))).toEqual([401, 401]);
      }
    }
  });

  it("code theft: a code is useless to another client, with another redirect or without its verifier", async () => {
    const { publicUrl } = scene();
    const thief = await prepare(publicUrl);
    const code = await obtainCode(publicUrl);
    const attempts = [
      exchange(publicUrl, { ...code, clientId: thief.clientId }),
      exchange(publicUrl, code, { redirect_uri: "http://127.0.0.1:1234/other" }),
      exchange(publicUrl, { ...code, verifier: thief.verifier }),
      exchange(publicUrl, { ...code, verifier: "" }),
    ];
    for (const answer of await Promise.all(attempts)) {
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    }
    expect((await exchange(publicUrl, code)).status).toBe(200);
  });

  it.each([
    ["missing", { code_challenge: undefined, code_challenge_method: undefined }],
    ["plain", { code_challenge: "a".repeat(43), code_challenge_method: "plain" }],
    ["plain by default", { code_challenge_method: undefined }],
    ["too short", { code_challenge: "short" }],
  ])("PKCE %s: refused before the person is asked for a key", async (_, changes) => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl, changes);
    const { end, form } = await openConsent(publicUrl, url);
    expect(form.action).toBe("");
    expect(new URL(end).searchParams.get("error")).toBe("invalid_request");
  });

  it("refresh theft: a second use within the grace period gets another pair, and both work", async () => {
    const { publicUrl, time } = scene();
    const first = await signIn(publicUrl);
    const one = await refresh(publicUrl, first);
    time.now += 50_000;
    const other = await refresh(publicUrl, first);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(one.body.refresh_token).not.toBe(other.body.refresh_token);
    for (const { body } of [one, other]) {
      expect(await tryOn(scene(), String(body.access_token))).toEqual([200, 200]);
    }
  });

  it("refresh theft: use after the grace period ends the whole grant, with all its tokens", async () => {
    const { publicUrl, time } = scene();
    const first = await signIn(publicUrl);
    const siblings = [await refresh(publicUrl, first), await refresh(publicUrl, first)];
    time.now += 61_000;
    const reuse = await refresh(publicUrl, first);
    expect(reuse).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    for (const { body } of siblings) {
      expect(await tryOn(scene(), String(body.access_token))).toEqual([401, 401]);
      const again = await refresh(publicUrl, { ...first, refresh: String(body.refresh_token) });
      expect(again.body.error).toBe("invalid_grant");
    }
    expect(await tryOn(scene(), first.access)).toEqual([401, 401]);
  });

  it("refresh theft: another client's token is refused, and still works for its own client", async () => {
    const { publicUrl } = scene();
    const [own, thief] = [await signIn(publicUrl), await prepare(publicUrl)];
    const stolen = await refresh(publicUrl, { clientId: thief.clientId, refresh: own.refresh });
    expect(stolen.body.error).toBe("invalid_grant");
    expect((await refresh(publicUrl, own)).status).toBe(200);
  });

  it("eight refreshes at once on two replicas all work, since one client may have several tabs", async () => {
    const { publicUrl, meet } = scene();
    const first = await signIn(publicUrl);
    meet("RefreshToken", 8);
    const answers = await Promise.all(eight.map(() => refresh(publicUrl, first)));
    expect(answers.map(({ status }) => status)).toEqual(eight.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(8);
  });

  it("wrong audience: no token is issued for another resource", async () => {
    const { publicUrl } = scene();
    const { url } = await prepare(publicUrl, { resource: "https://other.example/mcp" });
    const { end } = await openConsent(publicUrl, url);
    expect(new URL(end).searchParams.get("error")).toBe("invalid_target");
    const both = await prepare(publicUrl);
    both.url.searchParams.append("resource", "https://other.example/mcp");
    const mixed = await openConsent(publicUrl, both.url);
    expect(new URL(mixed.end).searchParams.get("error")).toBe("invalid_target");
    const code = await obtainCode(publicUrl);
    const answer = await exchange(publicUrl, code, { resource: "https://other.example/mcp" });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_target" } });
  });

  it("another instance's token: refused if the secret or the public URL differs", async () => {
    const { medium, secret } = scene();
    const port = await findPort();
    const elsewhere = await startTestConnector({
      secret,
      openStore: medium.open,
      port,
      publicUrl: `http://localhost:${port}`,
    });
    const strange = await startTestConnector({ openStore: medium.open });
    for (const instance of [elsewhere, strange]) {
      const { access } = await signIn(instance.publicUrl);
      expect((await callMcp(instance.mcp, access)).status).toBe(200);
      expect(await tryOn(scene(), access)).toEqual([401, 401]);
      await instance.close();
    }
  });

  it("an expired token is refused", async () => {
    const { publicUrl, time } = scene();
    const { access } = await signIn(publicUrl);
    const { now } = time;
    time.now += 6 * 3_600_000 + 1_000;
    expect(await tryOn(scene(), access)).toEqual([401, 401]);
    time.now = now;
  });

  it("only access tokens are accepted: not a key, a refresh token, a code, a client id or nothing", async () => {
    const { publicUrl, mcp, upstream } = scene();
    const { refresh: token, code, clientId } = await signIn(publicUrl);
    const calls = upstream().length;
    for (const bearer of [DEMO_KEY, token, code, clientId, "", "null", "a b"]) {
      const answer = await callMcp(mcp, bearer);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toContain(
        `resource_metadata="${publicUrl}/.well-known/`,
      );
    }
    const inQuery = await callMcp(`${mcp}?access_token=${(await signIn(publicUrl)).access}`, "");
    expect(inQuery.status).toBe(401);
    expect(upstream().length - calls).toBe(1);
  });

  it("token passthrough: the service sees API keys, and nothing that a client has", async () => {
    const { publicUrl, upstream } = scene();
    const tokens = await signIn(publicUrl, GLOBEX_KEY);
    await tryOn(scene(), tokens.access);
    const seen = new Set(upstream().map(({ authorization }) => authorization));
    expect([...seen].sort()).toEqual([`Bearer ${DEMO_KEY}`, `Bearer ${GLOBEX_KEY}`]);
    expect(upstream().some(({ url }) => url.includes(tokens.access))).toBe(false);
  });

  it.each(["access", "refresh"] as const)(
    "revocation: the %s token given back ends the grant on both replicas",
    async (which) => {
      const { publicUrl } = scene();
      const own = await signIn(publicUrl);
      const thief = await prepare(publicUrl);
      const revoke = (clientId: string) =>
        post(`${publicUrl}/revoke`, { client_id: clientId, token: own[which] });
      await revoke(thief.clientId);
      expect(await tryOn(scene(), own.access)).toEqual([200, 200]);
      expect((await revoke(own.clientId)).status).toBe(200);
      expect(await tryOn(scene(), own.access)).toEqual([401, 401]);
      expect((await refresh(publicUrl, own)).body.error).toBe("invalid_grant");
    },
  );

  it("a grant whose key the service refuses with 401 has ended on the other replica by the next call", async () => {
    const { publicUrl, both } = scene();
    const own = await signIn(publicUrl, GLOBEX_KEY);
    for (const { revoked } of both) revoked.add(GLOBEX_KEY);
    const [here, there] = both;
    const refused = await callMcp(`${here.origin}/mcp`, own.access, {
      name: "get_stats",
      args: { site: "shop.globex.example" },
    });
    for (const { revoked } of both) revoked.delete(GLOBEX_KEY);
    expect(refused.text).toContain('"isError":true');
    expect((await callMcp(`${there.origin}/mcp`, own.access)).status).toBe(401);
    expect((await refresh(publicUrl, own)).body.error).toBe("invalid_grant");
  });

  it.each([429, 500, 503])("a service that answers %s does not end the grant", async (status) => {
    const { publicUrl, both } = scene();
    const own: SignedIn = await signIn(publicUrl);
    for (const { faults } of both) faults.set(DEMO_KEY, status);
    const refused = await callMcp(`${both[0].origin}/mcp`, own.access);
    for (const { faults } of both) faults.delete(DEMO_KEY);
    expect(refused.text).toContain('"isError":true');
    expect(await tryOn(scene(), own.access)).toEqual([200, 200]);
    expect((await refresh(publicUrl, own)).status).toBe(200);
  });
});
