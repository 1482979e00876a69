import { createHash } from "node:crypto";
import { type Html, html, trustMarkup } from "../../render/html.ts";
import { buildDocument, pageHeaders } from "./html-document.ts";
import { findKeyIssuer } from "./key-issuer.ts";
import { buildNotice, type Notice } from "./notice.ts";

export interface LandingPage {
  /** The connector's origin; its tools are at `/mcp`. */
  publicUrl: string;
  /** Whether only programs on this machine can reach it. */
  isLocal: boolean;
  /** Where keys are from: the origin of the analytics service, or a description of the data. */
  service: string;
  /** The web page where people create their keys: http or https. */
  dashboardUrl?: string | undefined;
  notice?: Notice | undefined;
  /** Whether the consent page fills in the key. */
  hasPublicKey: boolean;
  /** What can be read, if it is not all that a service has. */
  reads?: string | undefined;
  /** The command that starts this server, with its source. */
  command?: string | undefined;
  /** Other documents on this server. */
  documents?: readonly { title: string; path: `/${string}` }[] | undefined;
}

/** Shows the button where the browser lets a page copy: over https, and on this machine. */
const COPY = `const b = document.getElementById("copy"), a = document.getElementById("address");
if (navigator.clipboard) {
  b.hidden = false;
  b.onclick = () => navigator.clipboard.writeText(a.value).then(() => { b.textContent = "Copied"; }, () => a.select());
}`;

/** The headers of this page, whose one script may run. */
export const landingHeaders: Record<string, string> = {
  ...pageHeaders,
  "Content-Security-Policy": `${pageHeaders["Content-Security-Policy"]}; script-src 'sha256-${createHash("sha256").update(COPY).digest("base64")}'`,
};

/** The page at the connector's address. */
export function buildLandingPage({
  publicUrl,
  isLocal,
  service,
  dashboardUrl,
  notice,
  hasPublicKey,
  reads = "visitors, pages, referrers and countries",
  command = "analytics-mcp serve",
  documents = [],
}: LandingPage): string {
  const address = new URL(`${publicUrl.replace(/\/+$/, "")}/mcp`).href;
  const main = html`<h1>Ask your web analytics from any assistant</h1>
${buildNotice(notice)}
<p>This is a connector for AI assistants (MCP). It lets your assistant read the ${reads} of your sites. It cannot change anything.</p>
<label for="address">Address to add</label>
<div class="copy"><input id="address" class="code" readonly value="${address}"><button id="copy" type="button" hidden>Copy</button></div>
<script>${trustMarkup(COPY)}</script>
<p class="soft">Your assistant then opens a page on this server that asks for ${hasPublicKey ? html`a key, which is already filled in` : buildKeySource(service, dashboardUrl)}.</p>
<h2>How to add it</h2>
<div class="ways">
${buildInstructions(address, isLocal)}
</div>
${isLocal ? explainOutside(command) : undefined}
${
  documents.length === 0
    ? undefined
    : html`<h2>For developers and programs</h2>
<ul>${documents.map(({ title, path }) => html`<li><a href="${path}">${title}</a></li>`)}</ul>`
}`;
  return buildDocument({ title: "Ask your web analytics from any assistant", main, layout: "wide" });
}

/** Where people get a key. */
function buildKeySource(service: string, dashboardUrl: string | undefined): Html {
  const named = html`<bdi class="address">${printHost(service)}</bdi>`;
  switch (findKeyIssuer({ service, dashboardUrl })) {
    case "operator":
      return html`an API key, which you get from whoever runs this server`;
    case "page":
      return html`<a href="${dashboardUrl}">an API key</a> for ${named}`;
    default:
      return html`an API key from ${named}`;
  }
}

/** The host of an address; other text unchanged. */
const printHost = (service: string) => (URL.canParse(service) ? new URL(service).host : service);

const buildInstructions = (
  address: string,
  isLocal: boolean,
): Html => html`${isLocal ? buildTerminalClient(address) : buildCloudClients(address)}
<section><h3>Cursor</h3>
<p><a href="${buildCursorLink(address)}">Add to Cursor</a>, or in <code>mcp.json</code>:</p>
<pre><code>{ "mcpServers": { "analytics": { "url": "${address}" } } }</code></pre></section>
<section><h3>VS Code</h3>
<p><a href="${buildCodeLink(address)}">Add to VS Code</a>, or run the command “MCP: Add Server”, choose HTTP, and paste the address.</p></section>`;

const buildCloudClients = (address: string): Html => html`<section><h3>Claude</h3>
<p>Settings → Connectors → Add custom connector. Paste the address. In Claude Code:</p>
<pre><code>${buildClaudeCommand(address)}</code></pre></section>
<section><h3>ChatGPT</h3>
<p>Settings → Apps → Advanced settings: turn on developer mode. Then create an app, paste the address, and choose OAuth.</p></section>`;

const buildTerminalClient = (address: string): Html => html`<section><h3>Claude Code</h3>
<p>In a terminal on this machine:</p>
<pre><code>${buildClaudeCommand(address)}</code></pre></section>`;

const buildClaudeCommand = (address: string) => `claude mcp add --transport http analytics ${address}`;

/** claude.ai and ChatGPT connect from their own servers, which cannot reach this machine. */
const explainOutside = (command: string): Html => html`<h2>From other machines, claude.ai and ChatGPT</h2>
<p>This address works only on this machine. Assistants that run elsewhere, such as claude.ai, the connectors of Claude Desktop and ChatGPT, need a public address: put a reverse proxy or a tunnel with https in front of this server, and start it with that address:</p>
<pre><code>${command} --public-url https://connector.example.com</code></pre>`;

const buildCursorLink = (url: string) =>
  `cursor://anysphere.cursor-deeplink/mcp/install?name=analytics&config=${encodeURIComponent(btoa(JSON.stringify({ url })))}`;

const buildCodeLink = (url: string) =>
  `vscode:mcp/install?${encodeURIComponent(JSON.stringify({ name: "analytics", type: "http", url }))}`;
