import type Provider from "oidc-provider";
import type { errors, KoaContextWithOIDC } from "oidc-provider";
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
export function createRedirectGuard(provider: Provider) {
  const { issuer } = provider;
  // Read here, since a redirect may have an `error_description` of its own in its query.
  const refusals = new WeakMap<object, errors.OIDCProviderError>();
  provider.on("authorization.error", (ctx, refusal) => void refusals.set(ctx, refusal));
  return async (ctx: Context, next: () => Promise<unknown>): Promise<void> => {
    await next();
    const location = ctx.response.get("Location");
    if (location === "" || isDecided(ctx)) return;
    const target = new URL(location, issuer);
    if (target.origin === issuer || isLoopbackRedirect(target)) return;
    ctx.remove("Location");
    ctx.status = 400;
    ctx.set(pageHeaders);
    ctx.body = buildPage(target, refusals.get(ctx));
  };
}

/** The person has chosen Allow or Cancel on the consent page, which names the address. */
const isDecided = ({ oidc }: Context) => oidc?.entities.Interaction?.result !== undefined;

const buildPage = (target: URL, refusal: errors.OIDCProviderError | undefined): string =>
  buildErrorPage({
    title: "This sign-in cannot continue",
    message: "The application sent a request that this server cannot accept.",
    hint: "Go back to the application and start again.",
    link: { href: target.href, address: target.protocol === "https:" ? target.host : target.protocol },
    code: refusal?.error ?? "server_error",
    reason: refusal?.error_description,
  });
