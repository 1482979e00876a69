import { IncomingMessage } from "node:http";
import { AnalyticsError } from "../errors.ts";

/** More than any form of this server needs. */
const MAX_BYTES = 64_000;

/** A request's body as text. Throws AnalyticsError `too_large` beyond so many bytes. */
export async function readBody(request: IncomingMessage, most = MAX_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = Number(request.headers["content-length"] ?? 0);
  if (size <= most) {
    size = 0;
    // Destroyed, the request would take the connection with it, and the refusal would not arrive.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).byteLength;
      if (size > most) break;
      chunks.push(chunk);
    }
  }
  if (size <= most) return Buffer.concat(chunks).toString("utf8");
  // What is still on its way is thrown away as it comes, until the server's time limit for requests.
  request.resume();
  throw new AnalyticsError("too_large", "The request's body is too large.");
}

export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  return new URLSearchParams(await readBody(request));
}

/** The same request with another body: for what reads the stream itself. */
export function replaceBody(request: IncomingMessage, body: string): IncomingMessage {
  const replaced = new IncomingMessage(request.socket);
  const bytes = Buffer.from(body, "utf8");
  replaced.method = request.method;
  replaced.url = request.url;
  replaced.httpVersion = request.httpVersion;
  replaced.headers = { ...request.headers, "content-length": String(bytes.byteLength) };
  delete replaced.headers["transfer-encoding"];
  // What is not complete takes the connection with it when it has been read.
  replaced.complete = true;
  replaced.push(bytes);
  replaced.push(null);
  return replaced;
}
