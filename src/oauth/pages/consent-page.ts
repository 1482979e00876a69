import { type Html, html, trustMarkup } from "../../render/html.ts";
import { blamesKey, type ConsentError, formatConsentError } from "./consent-error.ts";
import { buildFacts, buildKeyFacts, type ConsentApplication, type ConsentRedirect } from "./consent-facts.ts";
import { buildDocument } from "./html-document.ts";
import { findKeyIssuer, type KeyOrigin } from "./key-issuer.ts";
import { buildNotice, type Notice } from "./notice.ts";

export interface ConsentSource extends KeyOrigin {
  notice?: Notice | undefined;
  /** What can be read: `visitors, pages, referrers and browsers`. */
  reads?: string | undefined;
}

export interface ConsentPage extends ConsentSource {
  /** Where the form is sent: a path on this server. */
  action: string;
  csrf: string;
  application: ConsentApplication;
  redirect: ConsentRedirect;
  error?: ConsentError | undefined;
}

/**
 * Asks for a key and for permission. The form sends `csrf`, `api_key` and `decision`, which is `allow` or `cancel`.
 * This function does not take the submitted key, so no page can contain it.
 */
export function buildConsentPage(page: ConsentPage): string {
  const { action, csrf, application, redirect, notice, reads, error } = page;
  // The form sends the key, so it must never lead to another server.
  if (!/^\/(?![/\\])/.test(action)) throw new TypeError("The form's action must be a path on this server.");
  const main = html`<h1>Allow access to your statistics?</h1>
${buildNotice(notice)}
<div class="sides">
${buildFacts(application, redirect, reads)}
<div>
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
${buildField(page)}
<div class="buttons">
${buildButtons(error)}
</div>
</form>
${buildKeyFacts(findKeyIssuer(page))}
</div>
</div>`;
  const title = `${error ? "Error: " : ""}Allow access to your statistics?`;
  return buildDocument({ title, main, layout: "decision" });
}

/** After too many keys, no other is tried: what is left is to go back. */
const isOver = (error: ConsentError | undefined) => error?.code === "tries_used_up";

function buildButtons(error: ConsentError | undefined): Html {
  const [allow, cancel] = isOver(error)
    ? [" disabled", ' autofocus aria-describedby="api_key_error"']
    : ["", ""];
  return html`<button class="primary" name="decision" value="allow"${trustMarkup(allow)}>Allow</button>
<button name="decision" value="cancel" formnovalidate${trustMarkup(cancel)}>Cancel</button>`;
}

function buildField({ error, ...origin }: ConsentPage): Html {
  const { service, publicKey } = origin;
  const described = error ? "api_key_error api_key_help" : "api_key_help";
  // With the focus here, a screen reader begins with the error, which describes the field.
  const focus = isOver(error) ? "disabled" : "autofocus";
  const state = [
    ...(error ? [focus] : []),
    ...(error && blamesKey(error) ? ['aria-invalid="true"'] : []),
  ].join(" ");
  return html`<label for="api_key">API key</label>
<p class="soft" id="api_key_help">${buildHelp(origin)}</p>
${error && html`<p class="error" id="api_key_error" role="alert">${formatConsentError(error, printService(service))}</p>`}
<input type="password" id="api_key" name="api_key" required autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${described}" ${trustMarkup(state)}${publicKey === undefined ? undefined : html` value="${publicKey}"`}>`;
}

function buildHelp(origin: KeyOrigin): Html {
  const { service, dashboardUrl, keyPlace, publicKey } = origin;
  switch (findKeyIssuer(origin)) {
    case "nobody":
      return html`This key is public and already filled in: <code>${publicKey}</code>`;
    case "operator":
      return html`You need a key for these statistics. Whoever runs this server can give you one.<br><small>For whoever runs it:<br><code>analytics-mcp keys add</code></small>`;
    case "page":
      // In another tab: this page is the sign-in.
      return html`<a href="${dashboardUrl}" target="_blank" rel="noreferrer">Get a key</a> for <bdi class="address">${printService(service)}</bdi>${keyPlace && html` (${keyPlace})`}.`;
    case "service": {
      const named = html`<bdi class="address">${printService(service)}</bdi>`;
      return keyPlace === undefined
        ? html`The API key that ${named} gave you.`
        : html`From ${named}: ${keyPlace}.`;
    }
  }
}

/** Without `https://`. */
const printService = (service: string) => service.replace(/^https:\/\//, "");
