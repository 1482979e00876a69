import { buildDocument } from "./document.ts";
import { type Html, html } from "./html.ts";

export interface LandingPage {
  /** Where the connector is reached: its tools are at `/mcp` below it. */
  publicUrl: string;
  /** Origin of the analytics service whose keys are asked for. */
  service: string;
  demo: boolean;
  /** What else is to be read here, for people and machines. */
  documents?: readonly { title: string; path: `/${string}` }[] | undefined;
}

/** What a person sees who opens the connector's address in a browser. */
export function buildLandingPage({ publicUrl, service, demo, documents = [] }: LandingPage): string {
  const address = new URL(`${publicUrl.replace(/\/+$/, "")}/mcp`).href;
  const main = html`<h1>Ask your web analytics from any assistant</h1>
${demo ? html`<p class="notice"><strong>Demonstration.</strong> All numbers are made up.</p>` : undefined}
<p>This is a connector for AI assistants (MCP). It lets yours read visitors, pages, referrers and countries of your sites, and change nothing.</p>
<label for="address">Address to add</label>
<input id="address" class="code" readonly value="${address}">
<p class="soft">Your assistant then opens a page of this server, which asks for ${demo ? html`a key, and has it filled in` : html`an API key from the dashboard of <bdi class="address">${new URL(service).host}</bdi>`}.</p>
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
