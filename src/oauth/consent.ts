import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import Provider, { errors, type InteractionResults } from "oidc-provider";
import { AnalyticsError } from "../errors.ts";
import { readForm } from "../http/request-body.ts";
import { describeApplication, describeRedirect } from "./application-facts.ts";
import type { Audit } from "./audit.ts";
import { paths, SCOPE } from "./discovery.ts";
import { readHandoffCookie, sealHandedKey } from "./key-handoff.ts";
import { type KeyOwner, saveKeyOwner } from "./key-owner.ts";
import type { ConsentError } from "./pages/consent-error.ts";
import { buildConsentPage, type ConsentSource } from "./pages/consent-page.ts";
import { buildErrorPage, signInEnded } from "./pages/error-page.ts";
import { sendPage } from "./send-page.ts";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/** Keys that may be tried in one sign-in, and wrong keys from one address, both in 15 minutes. */
const windowMs = 15 * 60_000;
const TRIES = { max: 5, windowMs };
const TRIES_FROM_ADDRESS = { max: 30, windowMs };
/** One form counts once, for as long as a sign-in lives. */
const ONCE = { max: 1, windowMs };
/** How often, and with what pause, the result of another submission is looked for. */
const ATTEMPTS = 40;
const PAUSE_MS = 50;

export interface ConsentOptions {
  provider: Provider;
  store: Store;
  clock: () => number;
  issuer: string;
  resource: string;
  sealing: Sealing;
  /** Signs the form against forgery; derived from the server secret. */
  formKey: string;
  /** What the page says about the source. */
  source: ConsentSource;
  /** Asks the service whether it accepts the key; throws AnalyticsError if not. */
  checkKey: (apiKey: string) => Promise<void>;
  /** Whose key it is, as far as this server knows it. */
  identifyKey: (apiKey: string) => KeyOwner | undefined;
  /** The address that the current request comes from. */
  readAddress: () => string;
  audit: Audit;
}

/** The page where a person gives a key to one application. Nothing else about the person is stored. */
export function createConsent(options: ConsentOptions) {
  const { provider, store, clock, issuer, resource, audit } = options;

  const signForm = (uid: string) => createHmac("sha256", options.formKey).update(uid).digest("base64url");

  const show = async (
    response: ServerResponse,
    { uid, params }: Awaited<ReturnType<Provider["interactionDetails"]>>,
    error?: ConsentError,
  ) => {
    const application = await provider.Client.find(String(params.client_id));
    const status = error === undefined ? 200 : statuses[error.code];
    sendPage(
      response,
      status,
      buildConsentPage({
        action: `${paths.consent}/${uid}`,
        csrf: signForm(uid),
        application: describeApplication(application),
        redirect: describeRedirect(String(params.redirect_uri)),
        ...options.source,
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
    const isOurForm =
      (origin === undefined || origin === issuer) && isEqual(form.get("csrf") ?? "", signForm(uid));
    if (!isOurForm) return show(response, details, { code: "expired" });
    const clientId = String(params.client_id);
    if (form.get("decision") !== "allow") {
      const isFirst = await decideOnce(uid, () =>
        finish(request, response, { error: "access_denied", error_description: "The person denied access." }),
      );
      if (!isFirst) return redirectToFirst(uid, response);
      return audit("consent_refused", { application: clientId });
    }
    const cookie = readHandoffCookie(request.headers.cookie);
    if (cookie === undefined) throw new errors.SessionNotFound("the browser sent no key cookie");
    const apiKey = (form.get("api_key") ?? "").trim();
    const refusal = await tryKey(uid, options.readAddress(), apiKey);
    if (refusal) {
      audit("key_refused", { application: clientId, reason: refusal.code });
      return show(response, details, refusal);
    }
    const application = await provider.Client.find(clientId);
    const isFirst = await decideOnce(uid, async () => {
      const accountId = randomUUID();
      const grant = new provider.Grant({ accountId, clientId });
      // Operators type this id to end a sign-in. The provider's own ids may begin with a dash, as options do.
      grant.jti = randomUUID();
      grant.addResourceScope(resource, SCOPE);
      const grantId = await grant.save();
      const owner = options.identifyKey(apiKey);
      if (owner) await saveKeyOwner(store, options.sealing, { grantId, clientId, created: clock() }, owner);
      const handedKey = sealHandedKey(options.sealing, cookie, apiKey);
      const result = { login: { accountId, remember: false }, consent: { grantId }, handedKey };
      await finish(request, response, result);
      audit("grant_made", { grant: grantId, application: clientId, name: application?.clientName, ...owner });
    });
    if (!isFirst) await redirectToFirst(uid, response);
  };

  /**
   * Runs `finishWith` unless the sign-in is already decided, and returns whether it ran. A form may be sent twice, by a
   * double click or by a browser that retries, and to different replicas. If the first submission fails, the person may
   * submit the form again.
   */
  const decideOnce = async (uid: string, finishWith: () => Promise<void>): Promise<boolean> => {
    const counter = `decisions of ${uid}`;
    if ((await store.hit(counter, ONCE, clock())) > 0) return false;
    try {
      await finishWith();
      return true;
    } catch (error) {
      // If this fails too, the person has to start the sign-in again.
      await store.unhit(counter, clock()).catch(() => {});
      throw error;
    }
  };

  /**
   * Waits for the first submission of the same form, and sends the browser where that led, since it may have given up on
   * the first answer.
   */
  const redirectToFirst = async (uid: string, response: ServerResponse) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const interaction = await provider.Interaction.find(uid);
      if (!interaction) break;
      if (interaction.result) {
        return void response.writeHead(303, { Location: interaction.returnTo, "Content-Length": "0" }).end();
      }
      await sleep(PAUSE_MS);
    }
    throw new errors.SessionNotFound("the sign-in is already over");
  };

  const tryKey = async (uid: string, address: string, apiKey: string): Promise<ConsentError | undefined> => {
    if (apiKey === "") return { code: "empty_key" };
    if (!/^[\x21-\x7e]{1,512}$/.test(apiKey)) return { code: "malformed_key" };
    const now = clock();
    // The sign-in ends before its count does, so waiting does not help.
    if ((await store.hit(`tries ${uid}`, TRIES, now)) > 0) return { code: "tries_used_up" };
    const wait = await store.hit(`tries from ${address}`, TRIES_FROM_ADDRESS, now);
    if (wait > 0) return { code: "rate_limited", retryAfter: Math.ceil(wait / 1000) };
    try {
      await options.checkKey(apiKey);
    } catch (error) {
      if (!(error instanceof AnalyticsError)) throw error;
      return { code: error.code === "invalid_api_key" ? "wrong_key" : "unavailable" };
    }
    // Every try is counted before the check, so that simultaneous guesses cannot pass the limit. A good key is then
    // taken off the count: a whole company may sign in from one address on one morning.
    await store.unhit(`tries from ${address}`, now);
    return undefined;
  };

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      if (request.method === "POST") return await decide(request, response);
      return await show(response, await provider.interactionDetails(request, response));
    } catch (error) {
      // The application's document was valid when the sign-in began, but another replica fetches it again.
      if (error instanceof errors.InvalidClient || error instanceof errors.InvalidClientMetadata) {
        return sendPage(response, 400, buildErrorPage(unknownApplication));
      }
      if (!(error instanceof errors.SessionNotFound)) throw error;
      sendPage(response, 400, signInEnded);
    }
  };
}

const unknownApplication = {
  title: "This sign-in cannot continue",
  message: "The application can no longer be identified.",
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
  // Strings of one length can differ in bytes, and timingSafeEqual throws if lengths differ.
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
