import { randomBytes } from "node:crypto";
import type { KoaContextWithOIDC } from "oidc-provider";
import { paths } from "./discovery.ts";
import type { Sealing } from "./store/sealing.ts";

/**
 * The analytics key waits in a sign-in's record from the decision until the code is made. That record is sealed under
 * the id in the sign-in's address, which browser histories and the logs of proxies contain. So the key itself is
 * sealed under a random cookie, which only the person's browser has.
 */
const COOKIE = "_interaction_key";
const KIND = "HandedKey";
const BYTES = 32;
/** As long as a sign-in lives. */
const LIFETIME_MS = 15 * 60_000;

/** Gives the browser a cookie for the new sign-in: for the consent form, and for the address that the form leads to. */
export function setHandoffCookie(ctx: KoaContextWithOIDC): void {
  const uid = ctx.oidc.entities.Interaction?.uid;
  if (uid === undefined) return;
  const value = randomBytes(BYTES).toString("base64url");
  for (const parent of [paths.consent, paths.authorization]) {
    ctx.cookies.set(COOKIE, value, {
      path: `${parent}/${uid}`,
      httpOnly: true,
      sameSite: "lax",
      signed: false,
      maxAge: LIFETIME_MS,
    });
  }
}

/** Reads the cookie from a `Cookie` header (RFC 6265, section 4.2.1). */
export function readHandoffCookie(header: string | undefined): string | undefined {
  const pairs = (header ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) || undefined;
}

export const sealHandedKey = (sealing: Sealing, cookie: string, apiKey: string): string =>
  Buffer.from(sealing.seal(KIND, cookie, apiKey).sealed).toString("base64url");

/** Undefined if there is no key, or this is not the browser that the sign-in began in. */
export function openHandedKey(sealing: Sealing, header: string | undefined, sealed: unknown) {
  const cookie = readHandoffCookie(header);
  if (cookie === undefined || typeof sealed !== "string") return undefined;
  const record = { kind: KIND, hash: sealing.hash(KIND, cookie), sealed: Buffer.from(sealed, "base64url") };
  const apiKey = sealing.open(record, cookie);
  return typeof apiKey === "string" ? apiKey : undefined;
}
