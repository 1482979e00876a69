import type { Server } from "node:net";

/** Starts to listen, and returns the port. Throws Node's own error (EADDRINUSE, EACCES) if it cannot. */
export async function openPort(server: Server, { host, port }: { host: string; port: number }) {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  // Only a server on a pipe has a name instead.
  return typeof address === "object" && address !== null ? address.port : port;
}
