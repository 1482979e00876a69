import { type Html, html } from "../../render/html.ts";
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
  /** Why this server refused the request. It may quote the request, so it is sanitized and shown in a frame. */
  reason?: string | undefined;
}

const MAX_REASON_LENGTH = 300;

/** Shows an error here, because there is no address that could be trusted to receive it. */
export function buildErrorPage({ title, message, hint, link, code, reason }: ErrorPage): string {
  const words = cleanWords(reason, MAX_REASON_LENGTH);
  const main = html`<h1>${title}</h1>
<p>${message}</p>
${hint === undefined ? undefined : html`<p>${hint}</p>`}
${link && buildLink(link)}
${words === undefined ? undefined : html`<p class="reason soft">This server’s reason:</p>\n<p><bdi class="name">${words}</bdi></p>`}
${code === undefined ? undefined : html`<p class="code">Code: <code>${code}</code></p>`}
<p><a href="/">What this server is, and how to connect an application</a></p>`;
  return buildDocument({ title, main });
}

function buildLink({ href, address }: { href: string; address: string }): Html {
  const named = html`<bdi class="address">${cleanAddress(address)}</bdi>`;
  return html`<p class="warning">It wants to send you to ${named}, which any stranger could have chosen. Go there only if you came from there.</p>
<p><a href="${href}" rel="noreferrer">Continue to ${named}</a></p>`;
}

/**
 * Says that this server could not fetch the document in which an application describes itself, which the person cannot change.
 *
 * @param host The document's host, which a stranger may have chosen.
 * @param failure Why, and whether the host answered with something else.
 */
export function buildDocumentErrorPage(
  host: string | undefined,
  { message: reason, isAnswered }: { message: string; isAnswered: boolean },
): string {
  const place = host === undefined ? "its publisher" : (cleanAddress(host) ?? "its publisher");
  const [failure, advice] = isAnswered
    ? [
        `${place} answered with something else`,
        `tell the publisher of the application: ${place} must answer with the document itself, in JSON and without a redirect.`,
      ]
    : [
        "this server could not fetch it. The application sent nothing wrong",
        `tell the operator of this server: it must reach ${place} over HTTPS, if need be through HTTPS_PROXY, or be started with --client-documents off, so that applications register instead.`,
      ];
  return buildErrorPage({
    title: "This sign-in cannot continue yet",
    message: `The application describes itself in a document at ${place}, and ${failure}.`,
    hint: `Try again in a minute. If it fails again, ${advice}`,
    code: "temporarily_unavailable",
    reason,
  });
}

/** For an address of a sign-in that has been used, has expired, or belongs to another browser. */
export const signInEnded = buildErrorPage({
  title: "This sign-in has ended",
  message:
    "It was completed, it is more than 15 minutes old, it was started in another browser, or this server was restarted.",
  hint: "Go back to the application and start again.",
});

/** For an application whose registration was lost or pruned. If the person starts again, it sends the same id. */
export const registrationGone = buildErrorPage({
  title: "This sign-in cannot continue",
  message: "The application is not, or no longer, registered at this server.",
  hint: "Remove the connector in the application, and add it again.",
  code: "invalid_client",
});
