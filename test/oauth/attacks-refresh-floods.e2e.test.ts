import { expect, it } from "vitest";
import { type Answer, callMcp, refresh, type SignedIn, signIn } from "../support/attacker.ts";
import { underAttack } from "../support/under-attack.ts";

underAttack((scene) => {
  it("RFC 9700, 4.14.2: one refresh token gives ten pairs at most, asked one by one or at once", async () => {
    const { publicUrl, mcp, meet, time } = scene();
    for (const atOnce of [false, true]) {
      const own = await signIn(publicUrl);
      const answers: Answer[] = [];
      if (atOnce) {
        meet("RefreshToken", 14);
        answers.push(...(await Promise.all(Array.from({ length: 14 }, () => refresh(publicUrl, own)))));
      } else {
        for (let index = 0; index < 14; index++) {
          time.now += 4_000;
          answers.push(await refresh(publicUrl, own));
        }
      }
      const given = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(given).toHaveLength(10);
      for (const { status, headers, body } of refused) {
        expect([status, body.error, headers.get("retry-after")]).toEqual([429, "slow_down", "60"]);
      }
      // The sign-in goes on, with any of the pairs.
      for (const { body } of given) {
        expect((await callMcp(mcp, String(body.access_token))).status).toBe(200);
      }
      const next = { ...own, refresh: String(given[9]?.body.refresh_token) };
      expect((await refresh(publicUrl, next)).status).toBe(200);
    }
  });

  it("RFC 9700, 4.14.2: the eleventh use does not hide a theft: after the grace the grant ends", async () => {
    const { publicUrl, time } = scene();
    const own = await signIn(publicUrl);
    const first = await refresh(publicUrl, own);
    for (let index = 0; index < 12; index++) await refresh(publicUrl, own);
    time.now += 61_000;
    expect((await refresh(publicUrl, own)).body.error).toBe("invalid_grant");
    const after = { ...own, refresh: String(first.body.refresh_token) };
    expect((await refresh(publicUrl, after)).body.error).toBe("invalid_grant");
  });

  it("token requests: a grant has 60 in ten minutes over both replicas, and another grant its own", async () => {
    const { publicUrl, mcp, time } = scene();
    let own: SignedIn = await signIn(publicUrl);
    // The exchange of the code was the first.
    for (let index = 1; index < 60; index++) {
      const { status, body } = await refresh(publicUrl, own);
      expect([index, status]).toEqual([index, 200]);
      own = { ...own, access: String(body.access_token), refresh: String(body.refresh_token) };
    }
    const { status, headers, body } = await refresh(publicUrl, own);
    expect([status, body.error, headers.get("retry-after")]).toEqual([429, "slow_down", "600"]);
    expect((await callMcp(mcp, own.access)).status).toBe(200);
    expect((await refresh(publicUrl, await signIn(publicUrl))).status).toBe(200);
    time.now += 600_000;
    expect((await refresh(publicUrl, own)).status).toBe(200);
  });
});
