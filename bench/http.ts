import { type Agent, type IncomingHttpHeaders, request } from "node:http";

export interface Asking {
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  /** Milliseconds after which the client hangs up, answered or not. */
  hangUpAfter?: number;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** One request over kept connections; undefined if the client hung up. */
export function ask(agent: Agent, url: string, asking: Asking = {}): Promise<Answer | undefined> {
  const { method = "GET", headers = {}, body, hangUpAfter } = asking;
  return new Promise((resolve, reject) => {
    let hungUp = false;
    const fail = (error: Error) => {
      // A server may close an idle connection just as a request is sent: this shows whose fault it is.
      if (outgoing.reusedSocket) error.message += " (on a connection that was used before)";
      return hungUp ? resolve(undefined) : reject(error);
    };
    const outgoing = request(url, { method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    outgoing.on("error", fail);
    outgoing.setTimeout(60_000, () => outgoing.destroy(new Error("No answer within a minute.")));
    if (hangUpAfter !== undefined) {
      setTimeout(() => {
        hungUp = true;
        outgoing.destroy();
        resolve(undefined);
      }, hangUpAfter);
    }
    outgoing.end(body);
  });
}
