import { IncomingMessage } from "node:http";
import { AnalyticsError } from "../errors.ts";

const MAX_BYTES = 64_000;

/** A request's body as text. Throws AnalyticsError `too_large` beyond what any form of this server needs. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new AnalyticsError("too_large", "The request's body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
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
