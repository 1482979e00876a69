import { type Html, html } from "../../render/html.ts";
import { cleanAddress, cleanWords, readWebHost } from "./sanitize-untrusted.ts";

/** The application that asks. Only `host` is confirmed; the rest is what it says about itself. */
export interface ConsentApplication {
  name?: string | undefined;
  /** Where its metadata document was fetched from. */
  host?: string | undefined;
  uri?: string | undefined;
}

/** Where the person's browser goes after the decision. */
export type ConsentRedirect =
  | { kind: "https"; host: string }
  | { kind: "loopback"; host: string; port?: string | undefined }
  | { kind: "app"; scheme: string };

/** How a person ends the access, by who can take the key back. */
const ENDINGS = {
  nobody: "remove it in your application",
  operator: "ask whoever runs this server to revoke it",
  page: "revoke the key where you got it",
  service: "revoke the key where you got it",
} as const;

const READS = "visitors, pages, referrers, countries and events";

/** What to know before the decision. */
export const buildFacts = (
  application: ConsentApplication,
  redirect: ConsentRedirect,
  reads = READS,
): Html => html`<dl>
<div><dt>Who asks</dt><dd>${buildApplication(application, redirect)}</dd></div>
<div><dt>Sends you to</dt><dd>${buildRedirect(redirect)}</dd></div>
<div><dt>Can read</dt><dd><p>Statistics of all sites of your key’s organization: ${reads}. <strong>Read only:</strong> it cannot change anything.</p></dd></div>
</dl>`;

/** What becomes of the key. */
export const buildKeyFacts = (issuer: keyof typeof ENDINGS): Html => html`<dl>
<div><dt>Your key</dt><dd><p>Stored encrypted, used only for this connection, never shown to the assistant. You need it again only to sign in again.</p></dd></div>
<div><dt>Lasts</dt><dd><p>At most one year, and no longer than 30 days after its last use. To end it earlier, ${ENDINGS[issuer]}.</p></dd></div>
</dl>`;

/** The name is in a frame: within a sentence, it could end the sentence and begin another. */
function buildApplication(application: ConsentApplication, redirect: ConsentRedirect): Html {
  const words = cleanWords(application.name);
  const called = words
    ? html`<p class="called">It calls itself <bdi class="name">${words}</bdi></p>`
    : html`<p>An application that does not give a name.</p>`;
  return html`${called}\n${buildConfirmation(application, redirect)}`;
}

/**
 * A host confirms who asks only if the answer goes to a web address: every program on a device can name the same
 * metadata document and wait at the same loopback address or scheme.
 */
function buildConfirmation({ host, uri }: ConsentApplication, { kind }: ConsentRedirect): Html {
  if (host !== undefined) {
    return kind === "https"
      ? html`<p>Confirmed: it comes from ${buildAddress(host)}</p>`
      : html`<p class="soft"><strong>Not confirmed:</strong> it refers to <bdi>${cleanAddress(host)}</bdi>, as any app could.</p>`;
  }
  const website = readWebHost(uri);
  return html`<p class="soft"><strong>Not confirmed:</strong> any application can use any name.</p>
${website === undefined ? undefined : html`<p class="soft">It says its website is <bdi>${website}</bdi></p>`}`;
}

function buildRedirect(redirect: ConsentRedirect): Html {
  switch (redirect.kind) {
    case "https":
      return html`<p>${buildAddress(redirect.host)}</p>
<p class="soft">Allow only if you came from there.</p>`;
    case "loopback": {
      const { host, port } = redirect;
      return html`<p>An app on this computer, at ${buildAddress(port === undefined ? host : `${host}:${port}`)}</p>
<p class="warning"><strong>Any program on this computer could be asking.</strong> Allow only if you started this connection yourself, just now.</p>`;
    }
    case "app":
      return html`<p>An app on this device that opens links starting with ${buildAddress(`${redirect.scheme}:`)}</p>
<p class="warning"><strong>More than one app can claim such links.</strong> Allow only if you started this connection yourself, just now.</p>`;
  }
}

const buildAddress = (address: string) => html`<bdi class="address">${cleanAddress(address)}</bdi>`;
