import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Html, html, printHtml, trustMarkup } from "../../render/html.ts";
import { buildIcon, iconUrl } from "../../render/icon.ts";

/** The build copies this file beside the bundle, so the same relative path works here and in `dist/`. */
const style = readFileSync(new URL("./pages.css", import.meta.url), "utf8");
const styleHash = createHash("sha256").update(style).digest("base64");

/** The headers of every page in this folder. */
export const pageHeaders: Record<string, string> = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  // No `form-action`: Chromium applies it to redirects too, and would block those to the loopback addresses and
  // schemes of applications.
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  // With `no-referrer`, browsers would send the form with `Origin: null`.
  "Referrer-Policy": "same-origin",
  // Anything stricter would separate the page from the window that opened it, where some applications wait for the
  // redirect.
  "Cross-Origin-Opener-Policy": "unsafe-none",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
};

export interface DocumentParts {
  title: string;
  main: Html;
  /** Wide for pages to read; facts beside a form for decisions; narrow for all else. */
  layout?: "wide" | "decision" | "narrow";
}

/** Builds a whole HTML document. */
export const buildDocument = ({ title, main, layout = "narrow" }: DocumentParts): string =>
  `${printHtml(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – analytics-mcp</title>
<link rel="icon" href="${iconUrl}">
<style>${trustMarkup(style)}</style>
</head>
<body class="${layout}">
<header><span class="mark" aria-hidden="true">${trustMarkup(buildIcon())}</span>analytics-mcp</header>
<main>
${main}
</main>
</body>
</html>`)}\n`;
