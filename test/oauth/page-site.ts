import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pageHeaders } from "../../src/oauth/pages/html-document.ts";

/** What arrived, in the order in which it did. */
export interface Received {
  method: string;
  url: string;
  origin: string | undefined;
  type: string | undefined;
  body: [string, string][];
}

/** A server on this machine: a page on GET, by its path, and on POST another page or the way back. */
export async function openSite(pages: Record<string, string> = {}) {
  const received: Received[] = [];
  const site = {
    origin: "",
    pages,
    received,
    headers: pageHeaders,
    /** What a POST is answered with: an address to go to, or a page. */
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
