import { type Html, html } from "./html.ts";
import { cleanAddress, cleanWords, readWebHost } from "./sanitize-untrusted.ts";

/** Who asks. What it says of itself is not to be believed. */
export interface ConsentClient {
  name?: string | undefined;
  /** Where its metadata document was fetched from. */
  host?: string | undefined;
  uri?: string | undefined;
}

/** Where the answer will take the person. */
export type ConsentRedirect =
  | { kind: "https"; host: string }
  | { kind: "loopback"; host: string; port?: string | undefined }
  | { kind: "app"; scheme: string };

export function buildFacts(client: ConsentClient, redirect: ConsentRedirect): Html {
  return html`<dl>
<div><dt>Who asks</dt><dd>${buildClient(client, redirect)}</dd></div>
<div><dt>Sends you to</dt><dd>${buildRedirect(redirect)}</dd></div>
<div><dt>May read</dt><dd><p>Statistics of all sites of your key’s organization: visitors, pages, referrers, countries, events. <strong>Read only:</strong> it can change nothing.</p></dd></div>
<div><dt>Your key</dt><dd><p>Kept encrypted, used for this connection alone, never shown to the assistant. Asked for every time. Revoke it in your dashboard, and the connection ends.</p></dd></div>
</dl>`;
}

/** A name stands in a frame of its own: within a sentence, it could end the sentence and start another. */
function buildClient(client: ConsentClient, redirect: ConsentRedirect): Html {
  const words = cleanWords(client.name);
  const called = words
    ? html`<p class="called">It calls itself <bdi class="name">${words}</bdi></p>`
    : html`<p>An application that gives no name.</p>`;
  return html`${called}\n${buildConfirmation(client, redirect)}`;
}

/**
 * A host vouches for who asks only where the answer goes to the web: on a device, every program can refer to the
 * same metadata document and wait at the same address.
 */
function buildConfirmation({ host, uri }: ConsentClient, { kind }: ConsentRedirect): Html {
  if (host !== undefined) {
    return kind === "https"
      ? html`<p>Confirmed: it comes from ${buildAddress(host)}</p>`
      : html`<p class="soft"><strong>Not confirmed:</strong> it refers to <bdi>${cleanAddress(host)}</bdi>, as any app could.</p>`;
  }
  const website = readWebHost(uri);
  return html`<p class="soft"><strong>Not confirmed:</strong> any application can use any name.</p>
${website === undefined ? undefined : html`<p class="soft">It says that its website is <bdi>${website}</bdi></p>`}`;
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
      return html`<p>An app on this device that opens links with ${buildAddress(`${redirect.scheme}:`)}</p>
<p class="warning"><strong>More than one app can claim such links.</strong> Allow only if you started this connection yourself, just now.</p>`;
  }
}

const buildAddress = (address: string) => html`<bdi class="address">${cleanAddress(address)}</bdi>`;
