import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** Passes everything on as it is, with a token: for clients that cannot sign in themselves. */
export async function startTokenProxy(target: string, token: string) {
  const { hostname, port } = new URL(target);
  const server = createServer((asked, answer) => {
    const { method, url: path } = asked;
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const passed = request({ hostname, port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.once("error", () => answer.destroy());
    // A client that disconnects also disconnects from the server.
    answer.once("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
