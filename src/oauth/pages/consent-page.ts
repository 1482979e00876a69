import { blamesKey, type ConsentError, formatConsentError } from "./consent-error.ts";
import { buildFacts, type ConsentClient, type ConsentRedirect } from "./consent-facts.ts";
import { type Html, html, trustMarkup } from "./html.ts";
import { buildDocument } from "./html-document.ts";
import { buildNotice, type Notice } from "./notice.ts";

export interface ConsentPage {
  /** Where the form goes: a path of this server. */
  action: string;
  csrf: string;
  client: ConsentClient;
  redirect: ConsentRedirect;
  /** Whose key is asked for: the origin of the analytics service, or what the data is. */
  service: string;
  notice?: Notice | undefined;
  /** A key that anyone may know: it is shown, and filled in. */
  publicKey?: string | undefined;
  error?: ConsentError | undefined;
}

/**
 * Asks for a key and for leave. The form sends `csrf`, `api_key` and `decision`, which is `allow` or `cancel`.
 * There is no way to hand in the key that was sent, so no page holds it.
 */
export function buildConsentPage(page: ConsentPage): string {
  const { action, csrf, client, redirect, notice, error } = page;
  // The key goes there: anything but a path of this server is a mistake that must not be served.
  if (!/^\/(?![/\\])/.test(action)) throw new TypeError("The form's action must be a path of this server.");
  const main = html`<h1>Allow access to your statistics?</h1>
${buildNotice(notice)}
${buildFacts(client, redirect)}
<form method="post" action="${action}">
<input type="hidden" name="csrf" value="${csrf}">
${buildField(page)}
<div class="buttons">
<button class="primary" name="decision" value="allow">Allow</button>
<button name="decision" value="cancel" formnovalidate>Cancel</button>
</div>
</form>`;
  return buildDocument({ title: `${error ? "Error: " : ""}Allow access to your statistics?`, main });
}

function buildField({ service, publicKey, error }: ConsentPage): Html {
  const described = error ? "api_key_error api_key_help" : "api_key_help";
  // The field has the focus where something went wrong: a reader's voice then begins with what.
  const state = [
    ...(error ? ["autofocus"] : []),
    ...(error && blamesKey(error) ? ['aria-invalid="true"'] : []),
  ].join(" ");
  return html`<label for="api_key">API key</label>
<p class="soft" id="api_key_help">${buildHelp(service, publicKey)}</p>
${error && html`<p class="error" id="api_key_error" role="alert">${formatConsentError(error, showService(service))}</p>`}
<input type="password" id="api_key" name="api_key" required autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${described}" ${trustMarkup(state)}${publicKey === undefined ? undefined : html` value="${publicKey}"`}>`;
}

function buildHelp(service: string, publicKey: string | undefined): Html {
  return publicKey === undefined
    ? html`From <bdi class="address">${showService(service)}</bdi>: dashboard → API keys.`
    : html`Public, and filled in: <code>${publicKey}</code>`;
}

/** Without the scheme that goes without saying. */
const showService = (service: string) => service.replace(/^https:\/\//, "");
