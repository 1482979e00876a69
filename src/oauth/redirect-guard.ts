import type { KoaContextWithOIDC } from "oidc-provider";
import { buildErrorPage } from "./pages/error-page.ts";
import { pageHeaders } from "./pages/html-document.ts";
import { isLoopbackRedirect } from "./redirect-policy.ts";

/** A request's context; it has no `oidc` if no endpoint of the provider matched. */
type Context = Omit<KoaContextWithOIDC, "oidc"> & { oidc?: KoaContextWithOIDC["oidc"] };

/**
 * Shows a page with a link in place of a redirect that no person has confirmed (RFC 9700, section 4.11.2). Anyone may
 * register any web address, so a link to this server would otherwise lead wherever a stranger wants. Redirects to the
 * person's own machine pass: no stranger can listen there.
 */
export function createRedirectGuard(issuer: string) {
  return async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const location = ctx.response.get("Location");
    if (location === "" || isDecided(ctx)) return;
    const target = new URL(location, issuer);
    if (target.origin === issuer || isLoopbackRedirect(target)) return;
    ctx.remove("Location");
    ctx.status = 400;
    ctx.set(pageHeaders);
    ctx.body = buildPage(target);
  };
}

/** The person has chosen Allow or Cancel on the consent page, which names the address. */
const isDecided = ({ oidc }: Context) => oidc?.entities.Interaction?.result !== undefined;

function buildPage(target: URL): string {
  // For response types with a token, the answer is in the fragment.
  const answer = new URLSearchParams(target.hash === "" ? target.search : target.hash.slice(1));
  return buildErrorPage({
    title: "This sign-in cannot continue",
    message: "The application sent a request that this server cannot accept.",
    hint: "Go back to the application and start again.",
    link: { href: target.href, address: target.protocol === "https:" ? target.host : target.protocol },
    code: answer.get("error") ?? undefined,
    sent: answer.get("error_description") ?? undefined,
  });
}
