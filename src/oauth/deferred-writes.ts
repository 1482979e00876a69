import type { IncomingMessage, ServerResponse } from "node:http";
import { errors, type KoaContextWithOIDC, type Provider } from "oidc-provider";
import type { Audit } from "./audit.ts";
import type { Adapters } from "./storage-adapter.ts";

/**
 * The provider's answers, each held back until what it says is kept. Where the store fails there is none, and the
 * caller gets what the store threw: the provider would make a fault of the server of it, or of the client's token,
 * which a client then throws away.
 */
export function createCallback(provider: Provider, { settle }: Pick<Adapters, "settle">, audit: Audit) {
  const failures = new WeakMap<IncomingMessage, unknown>();
  provider.use(async (ctx, next) => {
    await next();
    try {
      await settle(ctx);
      report(ctx, audit);
    } catch (error) {
      if (error instanceof errors.InvalidGrant) {
        ctx.status = error.statusCode;
        ctx.body = { error: error.error, error_description: error.error_description };
        return;
      }
      failures.set(ctx.req, error);
      ctx.respond = false;
    }
  });
  const callback = provider.callback();

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await callback(request, response);
    if (!failures.has(request)) return;
    for (const name of response.getHeaderNames()) {
      if (!name.startsWith("access-control-")) response.removeHeader(name);
    }
    throw failures.get(request);
  };
}

/** What was granted, now that it is. */
function report({ status, oidc }: { status: number; oidc?: KoaContextWithOIDC["oidc"] }, audit: Audit): void {
  const { client, params, entities, route } = oidc ?? {};
  if (status >= 300 || client === undefined) return;
  const { clientId, clientName } = client;
  if (route === "registration") audit("client_registered", { client: clientId, name: clientName });
  if (route !== "token") return;
  const event = params?.grant_type === "refresh_token" ? "tokens_refreshed" : "tokens_issued";
  audit(event, { grant: entities?.AccessToken?.grantId, client: clientId });
}
