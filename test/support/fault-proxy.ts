import { createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { listen } from "../../src/api/listen.ts";
import { DEMO_KEY, NOW } from "./api.ts";
import { createReferenceApi } from "./reference-api.ts";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A request on its connection, with the answer that it should get. */
export interface Wire {
  socket: Socket;
  /** Cuts it as a crash would, with no word of goodbye. */
  reset(): void;
  /** Path and query as the reference server was asked. */
  path: string;
  /** The key that came. */
  key: string;
  right: Answer;
  /** Requests of the line so far, this one included. */
  count: number;
}

/** Answers a request in its own way, byte by byte where it likes; nothing is added to what it writes. */
export type Fault = (wire: Wire) => unknown;

/** An address of its own on the proxy, with the fault that it has at the moment. */
export interface Line {
  origin: string;
  fault: Fault;
  /** What was asked: the path and the key. */
  requests: { path: string; key: string }[];
}

/** An answer as bytes, with the length of its body unless another framing is stated. */
export function format({ status, headers, body }: Answer): Buffer {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const isFramed = names.some((name) => name === "content-length" || name === "transfer-encoding");
  const fields = Object.entries({ ...headers, ...(!isFramed && { "content-length": `${body.length}` }) });
  const head = [`HTTP/1.1 ${status} Some Reason`, ...fields.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

export const answerRightly: Fault = ({ socket, right }) => socket.write(format(right));

const OF_A_HOP = ["connection", "keep-alive", "date", "content-length", "transfer-encoding"];
/** Lets a client keep an answer: where each question is to reach the fault, it is left out. */
const OF_A_CACHE = ["cache-control", "etag"];

/**
 * Stands in front of the reference server, over real HTTP or TLS, and spoils its answers line by line.
 *
 * @param service Origin of another, which is asked with the key that came, and whose answers may be kept.
 */
export async function startFaultProxy(tls?: { key: string; cert: string }, service?: string) {
  const api = createReferenceApi({ clock: () => NOW, quota: { limit: 1e9, window: 60 } });
  const reference = await listen(api, "127.0.0.1", 0);
  const leftOut = new Set([...OF_A_HOP, ...(service === undefined ? OF_A_CACHE : [])]);
  const lines: Line[] = [];
  const sockets = new Set<Socket>();
  const known = new Map<string, Promise<Answer>>();

  const ask = async (path: string, key = DEMO_KEY): Promise<Answer> => {
    const response = await fetch(`${service ?? reference.origin}${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const headers = [...response.headers].filter(([name]) => !leftOut.has(name));
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(headers), body };
  };
  const read = (path: string) => {
    const answer = known.get(path) ?? ask(path);
    known.set(path, answer);
    return answer;
  };

  const receive = (connection: Socket) => {
    sockets.add(connection);
    connection.on("close", () => sockets.delete(connection)).on("error", () => {});
    const socket = tls ? new TLSSocket(connection, { isServer: true, ...tls }) : connection;
    socket.on("error", () => {});
    const reset = () => void connection.resetAndDestroy();
    let received = "";
    socket.on("data", async (chunk) => {
      received += chunk.toString("latin1");
      const end = received.indexOf("\r\n\r\n");
      if (end === -1) return;
      const head = received.slice(0, end);
      received = received.slice(end + 4);
      const [, number, path = ""] = /^GET \/(\d+)(\S*)/.exec(head) ?? [];
      const [, key = ""] = /^authorization: Bearer (\S*)/im.exec(head) ?? [];
      const line = lines[Number(number)];
      if (line === undefined) return void socket.destroy();
      const count = line.requests.push({ path, key });
      const right = await (service === undefined ? read(path) : ask(path, key));
      await line.fault({ socket, reset, path, key, right, count });
    });
  };

  const server = createServer({ noDelay: true }, receive);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;

  return {
    open: (fault: Fault = answerRightly): Line => {
      const line = {
        origin: `http${tls ? "s" : ""}://127.0.0.1:${port}/${lines.length}`,
        fault,
        requests: [],
      };
      lines.push(line);
      return line;
    },
    /** What the reference server says to a path, as text. */
    read: async (path: string) => (await read(path)).body.toString(),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await reference.close();
    },
  };
}

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;
