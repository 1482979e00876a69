import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** In bytes. No filter that a source takes is longer. */
const MAX_ADDRESS = 14_000;

/** Why a request gets no page: a status, and a sentence without data. */
export interface Refusal {
  status: number;
  text: string;
}

/**
 * Lets a request through only if it came to this server under a name of this computer (a foreign name would be DNS rebinding), from no
 * other page's script, and with the secret in its path. A page of another origin may lead here by a link, as the file does that opens
 * the browser: without the secret it leads to nothing.
 *
 * @returns The path below the secret, or why it is refused.
 */
export function checkRequest(
  { method, url = "", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  { secret, port }: { secret: string; port: number },
): URL | Refusal {
  if (method !== "GET" && method !== "HEAD")
    return { status: 405, text: "Only GET and HEAD are answered here." };
  if (url.length > MAX_ADDRESS) return { status: 414, text: "This address is too long." };
  const hosts = ["127.0.0.1", "localhost", "[::1]"].map((host) => `${host}:${port}`);
  if (!hosts.includes(headers.host ?? ""))
    return { status: 403, text: "This server answers under 127.0.0.1 alone." };
  const { origin, "sec-fetch-site": from, "sec-fetch-mode": mode, "sec-fetch-dest": target } = headers;
  const isLink = mode === "navigate" && target === "document";
  const isForeign = from !== undefined && from !== "same-origin" && from !== "none";
  if ((isForeign && !isLink) || (origin !== undefined && !hosts.includes(origin.replace(/^http:\/\//, "")))) {
    return { status: 403, text: "Another page may not ask here." };
  }
  const [, given = "", rest = ""] = /^\/([^/?#]*)([^#]*)/.exec(url) ?? [];
  if (!isSame(given, secret))
    return { status: 404, text: "Open the address that analytics-mcp view printed." };
  return new URL(`http://127.0.0.1${rest.startsWith("/") ? rest : `/${rest}`}`);
}

function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
