import { type IncomingHttpHeaders, request } from "node:http";

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown>;
}

/** One request with any headers, `Host` too, which `fetch` writes itself. */
export function ask(
  port: number,
  path: string,
  { method = "GET", headers = {}, body = "" }: { method?: string; headers?: object; body?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, path, method, headers: { ...headers } },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        const parsed = text.startsWith("{") ? JSON.parse(text) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}
