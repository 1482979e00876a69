import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pageHeaders } from "../../src/oauth/pages/html-document.ts";

/** A request that arrived. */
export interface Received {
  method: string;
  url: string;
  origin: string | undefined;
  type: string | undefined;
  body: [string, string][];
}

/** A server on this machine: GET returns a page by its path, POST another page or a redirect. */
export async function openSite(pages: Record<string, string> = {}) {
  const received: Received[] = [];
  const site = {
    origin: "",
    pages,
    received,
    headers: pageHeaders,
    /** The answer to a POST: a redirect or a page. */
    answer: { html: "" } as { location: string } | { html: string },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    const body = [...new URLSearchParams(Buffer.concat(chunks).toString())];
    received.push({ method, url, origin: headers.origin, type: headers["content-type"], body });
    if (method === "POST" && "location" in site.answer) {
      response.writeHead(303, { ...site.headers, location: site.answer.location }).end();
      return;
    }
    const page = method === "POST" && "html" in site.answer ? site.answer.html : site.pages[url];
    response.writeHead(page === undefined ? 404 : 200, site.headers).end(page ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  site.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return site;
}

export type Site = Awaited<ReturnType<typeof openSite>>;
