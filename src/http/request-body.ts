import { IncomingMessage } from "node:http";
import { AnalyticsError } from "../errors.ts";

/** In bytes; more than any form of this server needs. */
const MAX_BYTES = 64_000;

/** Reads a request's body as text. Throws AnalyticsError `too_large` if it has more than `maxBytes`. */
export async function readBody(request: IncomingMessage, maxBytes = MAX_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = Number(request.headers["content-length"] ?? 0);
  if (size <= maxBytes) {
    size = 0;
    // Destroying the request would close the connection before the refusal is sent.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += Buffer.byteLength(chunk);
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  }
  if (size <= maxBytes) return Buffer.concat(chunks).toString("utf8");
  // Discards the rest as it arrives, until the server's time limit for requests.
  request.resume();
  throw new AnalyticsError("too_large", "The request's body is too large.");
}

export const readForm = async (request: IncomingMessage): Promise<URLSearchParams> =>
  new URLSearchParams(await readBody(request));

/** Copies a request with another body, for code that reads the stream itself. */
export function replaceBody(request: IncomingMessage, body: string): IncomingMessage {
  const replaced = new IncomingMessage(request.socket);
  const bytes = Buffer.from(body, "utf8");
  replaced.method = request.method;
  replaced.url = request.url;
  replaced.httpVersion = request.httpVersion;
  replaced.headers = { ...request.headers, "content-length": String(bytes.byteLength) };
  delete replaced.headers["transfer-encoding"];
  // Node destroys the socket of a request that was read but is not complete.
  replaced.complete = true;
  replaced.push(bytes);
  replaced.push(null);
  return replaced;
}
