import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

export interface Proxy {
  url: string;
  /** Sends new connections to this address. */
  lead(url: string): void;
  /** Silently stops forwarding answers on open connections; with "both", requests too. Resolves at the next answer. */
  silence(ways: "answers" | "both"): Promise<void>;
  cut(): void;
  close(): void;
}

/** A proxy in front of a Redis that fails as networks do. */
export async function startProxy(target: string): Promise<Proxy> {
  let port = Number(new URL(target).port);
  let pairs: { client: Socket; upstream: Socket }[] = [];
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.pipe(upstream).pipe(client);
    pairs.push({ client, upstream });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const cut = () => {
    for (const { client, upstream } of pairs) {
      client.destroy();
      upstream.destroy();
    }
    pairs = [];
  };
  return {
    url: `redis://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    lead: (url) => {
      port = Number(new URL(url).port);
    },
    silence: (ways) =>
      new Promise((resolve) => {
        for (const { client, upstream } of pairs) {
          upstream
            .unpipe(client)
            .once("data", () => resolve())
            .resume();
          if (ways === "both") client.unpipe(upstream).resume();
        }
      }),
    cut,
    close: () => {
      cut();
      server.close();
    },
  };
}
