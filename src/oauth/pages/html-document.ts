import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { buildIcon, iconUrl } from "../../render/icon.ts";
import { type Html, html, printHtml, trustMarkup } from "./html.ts";

/** The build copies the file beside its own, so this holds from here and from `dist/`. */
const style = readFileSync(new URL("./pages.css", import.meta.url), "utf8");
const styleHash = createHash("sha256").update(style).digest("base64");

/** For every page of this room. */
export const pageHeaders: Record<string, string> = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  // Without `form-action`: Chromium holds it against where the form's answer redirects to, and would keep people
  // from the loopback addresses and schemes of their applications.
  "Content-Security-Policy": [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    ...["img-src 'self' data:", "base-uri 'none'", "frame-ancestors 'none'"],
  ].join("; "),
  "X-Frame-Options": "DENY",
  "X-Content-Type-Options": "nosniff",
  // With `no-referrer` the form would be sent with `Origin: null`.
  "Referrer-Policy": "same-origin",
  // Said, because anything stricter cuts the page off from the window that opened it, and some applications wait
  // there for the way back to end.
  "Cross-Origin-Opener-Policy": "unsafe-none",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
};

export interface DocumentParts {
  title: string;
  main: Html;
  /** Wide, for a page to read; narrow, for one to answer. */
  wide?: boolean;
}

/** A whole document around what a page says. */
export function buildDocument({ title, main, wide = false }: DocumentParts): string {
  return `${printHtml(html`<!doctype html>
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
<body${wide ? trustMarkup(' class="wide"') : undefined}>
<header><span class="mark" aria-hidden="true">${trustMarkup(buildIcon())}</span>analytics-mcp</header>
<main>
${main}
</main>
</body>
</html>`)}\n`;
}
