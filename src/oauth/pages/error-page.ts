import { type Html, html } from "./html.ts";
import { buildDocument } from "./html-document.ts";
import { cleanAddress, cleanWords } from "./sanitize-untrusted.ts";

export interface ErrorPage {
  title: string;
  /** What happened. Trusted text. */
  message: string;
  /** What to do next. Trusted text. */
  hint?: string | undefined;
  /** Where the application wants the person to go. The address is of a stranger's choice, so it is named. */
  link?: { href: string; address: string } | undefined;
  /** The error code, to search for. */
  code?: string | undefined;
  /** What the application sent: untrusted text, shown as a quotation. */
  sent?: string | undefined;
}

const MAX_SENT_LENGTH = 300;

/** Shows an error here, because there is no address that could be trusted to receive it. */
export function buildErrorPage({ title, message, hint, link, code, sent }: ErrorPage): string {
  const words = cleanWords(sent, MAX_SENT_LENGTH);
  const main = html`<h1>${title}</h1>
<p>${message}</p>
${hint === undefined ? undefined : html`<p>${hint}</p>`}
${link && buildLink(link)}
${words === undefined ? undefined : html`<p class="sent soft">The application sent:</p>\n<p><bdi class="name">${words}</bdi></p>`}
${code === undefined ? undefined : html`<p class="code">Code: <code>${code}</code></p>`}`;
  return buildDocument({ title, main });
}

function buildLink({ href, address }: { href: string; address: string }): Html {
  const named = html`<bdi class="address">${cleanAddress(address)}</bdi>`;
  return html`<p class="warning">It wants to send you to ${named}, which any stranger could have chosen. Go there only if you came from there.</p>
<p><a href="${href}" rel="noreferrer">Continue to ${named}</a></p>`;
}
