import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createDocumentFetch, DocumentRefused } from "../../src/oauth/document-fetch.ts";

const open: { close(): void }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A proxy that opens no tunnel, and what it was asked for. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.once("data", (data) => {
      asked.push(data.toString("latin1").split("\r\n", 1)[0] ?? "");
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(server);
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const read = (fetch: ReturnType<typeof createDocumentFetch>, url: string) =>
  fetch(url).catch((error) => error);

it("a document is fetched through the proxy, which this machine may need not to resolve the name for", async () => {
  const proxy = await startProxy();
  const fetch = createDocumentFetch({ httpsProxy: proxy.url });
  expect(await read(fetch, "https://client.test/id.json")).toBeInstanceOf(Error);
  expect(proxy.asked).toEqual(["CONNECT client.test:443 HTTP/1.1"]);
});

it.each([
  "https://127.0.0.1/",
  "https://10.0.0.1/",
  "https://169.254.169.254/",
  "https://[::1]/",
  "https://[fd00::1]/",
  "https://localhost/",
  "https://LOCALHOST./",
  "https://intranet/",
  "https://printer.local/",
  "https://x.localhost/",
  "https://metadata.google.internal/",
  "https://wiki.corp/",
  "https://nas.lan/",
  "https://x.home.arpa/",
  "https://wiki.intranet./",
  "http://client.test/",
])("SSRF: the proxy is not asked for %s, which it might reach", async (url) => {
  const proxy = await startProxy();
  const error = await read(createDocumentFetch({ httpsProxy: proxy.url }), url);
  expect([error, proxy.asked]).toEqual([expect.any(DocumentRefused), []]);
});

it.each(["*", "client.test", ".test", "other.example, client.test:443", "TEST"])(
  "with NO_PROXY %s the document is fetched directly",
  async (noProxy) => {
    const proxy = await startProxy();
    const error = await read(
      createDocumentFetch({ httpsProxy: proxy.url, noProxy }),
      "https://client.test/id.json",
    );
    expect([error.cause?.code, proxy.asked]).toEqual(["ENOTFOUND", []]);
  },
);

it.each(["ent.test", "client.test:8443", "client.test.example", ""])(
  "NO_PROXY %j is about other hosts",
  async (noProxy) => {
    const proxy = await startProxy();
    await read(createDocumentFetch({ httpsProxy: proxy.url, noProxy }), "https://client.test/id.json");
    expect(proxy.asked).toHaveLength(1);
  },
);
