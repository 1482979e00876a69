import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import Provider, { errors, type InteractionResults } from "oidc-provider";
import { AnalyticsError } from "../errors.ts";
import { readForm } from "../http/request-body.ts";
import { describeClient, describeRedirect } from "./application-facts.ts";
import type { Audit } from "./audit.ts";
import { createDecisions, type DecisionsOptions } from "./consent-once.ts";
import { paths } from "./endpoint-paths.ts";
import type { ConsentError } from "./pages/consent-error.ts";
import { buildConsentPage } from "./pages/consent-page.ts";
import { buildErrorPage } from "./pages/error-page.ts";
import type { Notice } from "./pages/notice.ts";
import { SCOPE } from "./scope.ts";
import { sendPage } from "./send.ts";

/** Tries of a key: so many for one sign-in, and so many wrong ones from one address in a quarter of an hour. */
const TRIES = 5;
const TRIES_FROM_ADDRESS = 30;
const WINDOW_MS = 15 * 60_000;

export interface ConsentOptions extends Omit<DecisionsOptions, "findInteraction"> {
  provider: Provider;
  issuer: string;
  resource: string;
  /** Signs the form against forgery; derived from the server secret. */
  formKey: string;
  /** Whose key is asked for: the origin of the analytics service, or what the data is. */
  service: string;
  notice?: Notice | undefined;
  /** A key that anyone may know. */
  publicKey?: string | undefined;
  /** Asks the service whether it takes the key; throws AnalyticsError. */
  checkKey: (apiKey: string) => Promise<void>;
  /** Whom the request under way comes from. */
  readAddress: () => string;
  audit: Audit;
}

/** The page where a person gives a key to one client; nothing is remembered of them beyond it. */
export function createConsent(options: ConsentOptions) {
  const { provider, store, clock, issuer, resource, audit } = options;
  const decisions = createDecisions({
    ...options,
    findInteraction: (uid) => provider.Interaction.find(uid),
  });

  const signForm = (uid: string) => createHmac("sha256", options.formKey).update(uid).digest("base64url");

  const show = async (
    response: ServerResponse,
    { uid, params }: Awaited<ReturnType<Provider["interactionDetails"]>>,
    error?: ConsentError,
  ) => {
    const client = await provider.Client.find(String(params.client_id));
    const status = error === undefined ? 200 : statuses[error.code];
    sendPage(
      response,
      status,
      buildConsentPage({
        action: `${paths.consent}/${uid}`,
        csrf: signForm(uid),
        client: describeClient(client),
        redirect: describeRedirect(String(params.redirect_uri)),
        service: options.service,
        ...{ notice: options.notice, publicKey: options.publicKey },
        error,
      }),
      error?.retryAfter === undefined ? {} : { "Retry-After": String(error.retryAfter) },
    );
  };

  const finish = (request: IncomingMessage, response: ServerResponse, result: InteractionResults) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });

  const decide = async (request: IncomingMessage, response: ServerResponse) => {
    const details = await provider.interactionDetails(request, response);
    const { uid, params } = details;
    const form = await readForm(request);
    const { origin } = request.headers;
    const isOurs =
      (origin === undefined || origin === issuer) && isEqual(form.get("csrf") ?? "", signForm(uid));
    if (!isOurs) return show(response, details, { code: "expired" });
    const clientId = String(params.client_id);
    if (form.get("decision") !== "allow") {
      const isFirst = await decisions.settle(uid, () =>
        finish(request, response, { error: "access_denied", error_description: "The person said no." }),
      );
      if (!isFirst) return follow(uid, response);
      return audit("consent_refused", { client: clientId });
    }
    const apiKey = (form.get("api_key") ?? "").trim();
    const refusal = await tryKey(uid, options.readAddress(), apiKey);
    if (refusal) {
      audit("key_refused", { client: clientId, reason: refusal.code });
      return show(response, details, refusal);
    }
    const client = await provider.Client.find(clientId);
    const isFirst = await decisions.settle(uid, async () => {
      const accountId = randomUUID();
      const grant = new provider.Grant({ accountId, clientId });
      // Whoever ends a sign-in types its id, and one that began with a dash would be an option.
      grant.jti = randomUUID();
      grant.addResourceScope(resource, SCOPE);
      const grantId = await grant.save();
      // The key goes with the sealed record of this sign-in to the code that is made of it.
      const result = { login: { accountId, remember: false }, consent: { grantId }, apiKey };
      await finish(request, response, result);
      audit("grant_made", { grant: grantId, client: clientId, name: client?.clientName });
    });
    if (!isFirst) await follow(uid, response);
  };

  /** To where another answer to the same form led. */
  const follow = async (uid: string, response: ServerResponse) => {
    const way = await decisions.findWay(uid);
    if (way === undefined) throw new errors.SessionNotFound("the sign-in has gone on already");
    response.writeHead(303, { Location: way, "Content-Length": "0" }).end();
  };

  const tryKey = async (uid: string, address: string, apiKey: string): Promise<ConsentError | undefined> => {
    if (apiKey === "") return { code: "empty_key" };
    if (!/^[\x21-\x7e]{1,512}$/.test(apiKey)) return { code: "malformed_key" };
    const now = clock();
    const tries = await store.hit(`tries ${uid}`, WINDOW_MS, now);
    const fromAddress = await store.hit(`tries from ${address}`, WINDOW_MS, now);
    if (fromAddress > TRIES_FROM_ADDRESS) return { code: "rate_limited", retryAfter: WINDOW_MS / 1000 };
    // A sign-in does not live longer than its tries are counted.
    if (tries > TRIES) return { code: "tries_used_up" };
    try {
      await options.checkKey(apiKey);
    } catch (error) {
      if (!(error instanceof AnalyticsError)) throw error;
      return { code: error.code === "invalid_api_key" ? "wrong_key" : "unavailable" };
    }
    // Counted before, so that guesses at the same time cannot slip by each other; not kept, since behind one address
    // a whole company may sign in on one morning.
    await store.unhit(`tries from ${address}`, now);
    return undefined;
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (request.method === "POST") return await decide(request, response);
      return await show(response, await provider.interactionDetails(request, response));
    } catch (error) {
      // The application's document was good when the sign-in began; another replica asks for it again.
      if (error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata) {
        return sendPage(response, 400, buildErrorPage(unknownClient));
      }
      if (!(error instanceof errors.SessionNotFound)) throw error;
      sendPage(
        response,
        400,
        buildErrorPage({
          title: "This sign-in has ended",
          message: "It was finished, it is older than a quarter of an hour, or it began in another browser.",
          hint: "Go back to the application and start again.",
        }),
      );
    }
  };
}

const unknownClient = {
  title: "This sign-in cannot go on",
  message: "The application no longer says who it is.",
  hint: "Go back to the application and start again.",
};

const statuses: Record<ConsentError["code"], number> = {
  empty_key: 400,
  malformed_key: 400,
  wrong_key: 403,
  expired: 400,
  tries_used_up: 429,
  rate_limited: 429,
  unavailable: 503,
};

function isEqual(a: string, b: string): boolean {
  // Of the same length in letters may be of another in bytes, which timingSafeEqual does not take.
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
