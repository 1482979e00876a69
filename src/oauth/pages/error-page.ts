import { html } from "./html.ts";
import { buildDocument } from "./html-document.ts";
import { cleanWords } from "./sanitize-untrusted.ts";

export interface ErrorPage {
  title: string;
  /** What happened. Trusted text. */
  message: string;
  /** What to do next. Trusted text. */
  hint?: string | undefined;
  /** The error code, to search for. */
  code?: string | undefined;
  /** What the application sent: untrusted text, shown as a quotation. */
  sent?: string | undefined;
}

const MAX_SENT_LENGTH = 300;

/** Shows an error here, because there is no address that could be trusted to receive it. */
export function buildErrorPage({ title, message, hint, code, sent }: ErrorPage): string {
  const words = cleanWords(sent, MAX_SENT_LENGTH);
  const main = html`<h1>${title}</h1>
<p>${message}</p>
${hint === undefined ? undefined : html`<p>${hint}</p>`}
${words === undefined ? undefined : html`<p class="sent soft">The application sent:</p>\n<p><bdi class="name">${words}</bdi></p>`}
${code === undefined ? undefined : html`<p class="code">Code: <code>${code}</code></p>`}`;
  return buildDocument({ title, main });
}
