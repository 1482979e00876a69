import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A reverse proxy that passes each request to the next replica, and adds the caller's address to X-Forwarded-For. If it
 * believes the address that a caller claims, one machine can act as many callers.
 */
export async function startRoundRobin({ believes = false } = {}) {
  const ports: number[] = [];
  let turn = 0;
  /** The end of the address that the proxy sees. A test that changes it has limits of its own. */
  const address = { last: 1 };
  const server = createServer((request, response) => {
    const port = ports[turn++ % ports.length] ?? 0;
    const { method, url } = request;
    const claimed = request.headers["x-forwarded-for"];
    const seen = `198.51.100.${address.last}`;
    const headers = {
      ...request.headers,
      "x-forwarded-for": claimed === undefined ? seen : believes ? claimed : `${claimed}, ${seen}`,
    };
    const onward = ask({ host: "127.0.0.1", port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    // Done, its connection is the next request's already.
    response.on("close", () => response.writableFinished || onward.destroy());
    request.pipe(onward);
  });
  // Longer than clients here wait before they ask again, so that no request meets the end of its connection.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    publicUrl: `http://127.0.0.1:${port}`,
    ports,
    address,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
