import { type OutgoingHttpHeaders, request } from "node:http";

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

export interface RawRequest {
  method?: string;
  /** The request's target exactly as it is sent. */
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

/** A request as no browser and no `fetch` would send it: any target, any Host. */
export function askRaw(origin: string, { method = "GET", path, headers = {}, body }: RawRequest) {
  const { hostname, port, host } = new URL(origin);
  return new Promise<RawAnswer>((resolve, reject) => {
    const sent = request(
      { host: hostname, port, method, path, setHost: false, headers: { host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString("utf8"),
          }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
