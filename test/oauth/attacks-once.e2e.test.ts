import { expect, it } from "vitest";
import { ask, exchange, hide, openConsent, prepare } from "../support/attacker.ts";
import { type Scene, underAttack } from "../support/under-attack.ts";

/** Six times the address that the browser is sent to after a decision, at once, on both replicas. */
async function followSixTimes({ publicUrl, both, meet }: Scene, decision: string) {
  const asking = await prepare(publicUrl);
  const { browser, decide } = await openConsent(publicUrl, asking.url);
  const cookie = browser.formatCookies();
  const decided = await decide(decision);
  const { pathname } = new URL(decided.headers.get("location") ?? "");
  // Each of the six has read the sign-in before any of them is answered.
  meet("Interaction", 6);
  const follow = (origin: string) => ask(origin + pathname, { headers: { cookie } });
  const answers = await Promise.all(
    [0, 1, 2, 3, 4, 5].map((index) => follow(both[index % 2 === 0 ? 0 : 1].origin)),
  );
  const late = await follow(both[0].origin);
  const redirects = answers
    .flatMap(({ headers }) => headers.get("location") ?? [])
    .map((location) => new URL(location));
  for (const { searchParams } of redirects) {
    const code = searchParams.get("code");
    if (code !== null) hide(code);
  }
  return { asking, answers, redirects, late };
}

underAttack((scene) => {
  it("RFC 6749, 4.1.2: one consent gives one code, however often its redirect is followed at once", async () => {
    for (let round = 0; round < 5; round++) {
      const { asking, answers, redirects, late } = await followSixTimes(scene(), "allow");
      expect(redirects.map(({ searchParams }) => searchParams.has("code"))).toEqual([true]);
      const others = answers.filter(({ status }) => status !== 303);
      for (const { status, text } of [...others, late]) {
        expect([status, text]).toEqual([
          400,
          expect.stringMatching(/This sign-in has ended[\s\S]*this server was restarted/),
        ]);
      }
      const code = redirects[0]?.searchParams.get("code") ?? "";
      expect((await exchange(scene().publicUrl, { ...asking, code })).status).toBe(200);
    }
  });

  it("RFC 6749, 4.1.2.1: Cancel is told once", async () => {
    const { redirects, late } = await followSixTimes(scene(), "cancel");
    expect(redirects.map(({ searchParams }) => searchParams.get("error"))).toEqual(["access_denied"]);
    expect(late.status).toBe(400);
  });
});
