import type { IncomingMessage, ServerResponse } from "node:http";
import Provider, { errors, type KoaContextWithOIDC } from "oidc-provider";
import { AnalyticsError } from "../errors.ts";
import type { Audit } from "./audit.ts";
import { signInEnded } from "./pages/error-page.ts";
import { pageHeaders } from "./pages/html-document.ts";

export interface DeferredWrites {
  /** Runs a write when the current request commits, or at once if there is no current request. */
  defer(write: () => Promise<void>): Promise<void>;
  /** Waits for the store, and remembers its failure for the current request's commit. */
  track<T>(answer: Promise<T>): Promise<T>;
  /**
   * Runs a request's deferred writes. Throws AnalyticsError `unavailable` if the store failed during the request,
   * even if the provider handled that failure, and InvalidGrant or SessionNotFound if another request was faster.
   */
  commit(request: object): Promise<void>;
}

/**
 * Codes and refresh tokens are marked as used only after everything made from them is stored. If the process is
 * killed or the store fails before that, nobody has received the new tokens, and the old ones can be used again.
 */
export function createDeferredWrites(): DeferredWrites {
  const failures = new WeakMap<object, AnalyticsError>();
  const writes = new WeakMap<object, (() => Promise<void>)[]>();
  return {
    defer: async (write) => {
      if (!Provider.ctx) return write();
      writes.set(Provider.ctx, [...(writes.get(Provider.ctx) ?? []), write]);
    },
    track: async (answer) => {
      try {
        return await answer;
      } catch (error) {
        if (error instanceof AnalyticsError && Provider.ctx) failures.set(Provider.ctx, error);
        throw error;
      }
    },
    commit: async (request) => {
      const failure = failures.get(request);
      if (failure) throw failure;
      for (const write of writes.get(request) ?? []) await write();
    },
  };
}

/**
 * The provider's request listener. It sends no answer before the writes are committed. If the store fails, it throws
 * the store's error: the provider would report a server fault, or an invalid token, which the application then discards.
 */
export function createCallback(provider: Provider, { commit }: Pick<DeferredWrites, "commit">, audit: Audit) {
  const failures = new WeakMap<IncomingMessage, unknown>();
  provider.use(async (ctx, next) => {
    await next();
    try {
      await commit(ctx);
      auditSuccess(ctx, audit);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) {
        ctx.remove("Location");
        ctx.status = error.statusCode;
        ctx.set(pageHeaders);
        ctx.body = signInEnded;
        return;
      }
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

function auditSuccess({ status, oidc }: { status: number; oidc?: KoaContextWithOIDC["oidc"] }, audit: Audit) {
  const { client: application, params, entities, route } = oidc ?? {};
  if (status >= 300 || application === undefined) return;
  const { clientId, clientName } = application;
  if (route === "registration") audit("client_registered", { application: clientId, name: clientName });
  if (route !== "token") return;
  const event = params?.grant_type === "refresh_token" ? "tokens_refreshed" : "tokens_issued";
  audit(event, { grant: entities?.AccessToken?.grantId, application: clientId });
}
