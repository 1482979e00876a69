import { type Html, html } from "./html.ts";
import { buildDocument } from "./html-document.ts";
import { buildNotice, type Notice } from "./notice.ts";

export interface LandingPage {
  /** Where the connector is reached: its tools are at `/mcp` below it. */
  publicUrl: string;
  /** Whose keys are asked for: the origin of the analytics service, or what the data is. */
  service: string;
  notice?: Notice | undefined;
  /** Whether the key is filled in. */
  hasPublicKey: boolean;
  /** What else is to be read here, for people and machines. */
  documents?: readonly { title: string; path: `/${string}` }[] | undefined;
}

/** What a person sees who opens the connector's address in a browser. */
export function buildLandingPage({
  publicUrl,
  service,
  notice,
  hasPublicKey,
  documents = [],
}: LandingPage): string {
  const address = new URL(`${publicUrl.replace(/\/+$/, "")}/mcp`).href;
  const main = html`<h1>Ask your web analytics from any assistant</h1>
${buildNotice(notice)}
<p>This is a connector for AI assistants (MCP). It lets yours read visitors, pages, referrers and countries of your sites, and change nothing.</p>
<label for="address">Address to add</label>
<input id="address" class="code" readonly value="${address}">
<p class="soft">Your assistant then opens a page of this server, which asks for ${hasPublicKey ? html`a key, and has it filled in` : html`an API key from the dashboard of <bdi class="address">${showHost(service)}</bdi>`}.</p>
<h2>How to add it</h2>
<div class="ways">
${buildWays(address)}
</div>
${
  documents.length === 0
    ? undefined
    : html`<h2>For machines, and who builds them</h2>
<ul>${documents.map(({ title, path }) => html`<li><a href="${path}">${title}</a></li>`)}</ul>`
}`;
  return buildDocument({ title: "Ask your web analytics from any assistant", main, wide: true });
}

/** Of an address its host; what is no address is shown as it is. */
const showHost = (service: string) => (URL.canParse(service) ? new URL(service).host : service);

function buildWays(address: string): Html {
  return html`<section><h3>Claude</h3>
<p>Settings → Connectors → Add custom connector. Paste the address. In Claude Code:</p>
<pre><code>claude mcp add --transport http analytics ${address}</code></pre></section>
<section><h3>ChatGPT</h3>
<p>Settings → Apps → Advanced settings: turn on developer mode. Then create an app, paste the address, and choose OAuth.</p></section>
<section><h3>Cursor</h3>
<p><a href="${buildCursorLink(address)}">Add to Cursor</a>, or in <code>mcp.json</code>:</p>
<pre><code>{ "mcpServers": { "analytics": { "url": "${address}" } } }</code></pre></section>
<section><h3>VS Code</h3>
<p><a href="${buildCodeLink(address)}">Add to VS Code</a>, or run the command “MCP: Add Server”, choose HTTP, and paste the address.</p></section>`;
}

const buildCursorLink = (url: string) =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=analytics&config=${encodeURIComponent(btoa(JSON.stringify({ url })))}`;

const buildCodeLink = (url: string) =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "analytics", type: "http", url }))}`;
