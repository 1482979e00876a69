import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Json, type Result, type Stream, type Turn, wireFormats } from "./model-answers.ts";

export interface ModelServer {
  origin: string;
  seen: {
    /** Method and path of each request. */
    requests: string[];
    /** The results of get_stats that reached the model. */
    results: string[];
  };
  close(): void;
}

const SEARCH = "call_search";
const ASK = "call_get_stats";

/**
 * A stand-in for a model on loopback: it calls get_stats with `args`, and ends with a sentence as soon as the result reaches
 * it. It answers in the wire format of the path.
 */
export async function startModel(args: Json): Promise<ModelServer> {
  const seen: ModelServer["seen"] = { requests: [], results: [] };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://model");
    seen.requests.push(`${request.method} ${pathname}`);
    const format = wireFormats.find(({ matches }) => matches(pathname));
    const body = await readJson(request);
    if (format === undefined || request.method !== "POST") {
      return send(response, { object: "list", data: [{ id: "stand-in", object: "model" }] });
    }
    const results = format.findResults(body);
    seen.results.push(...results.filter(({ id }) => id === ASK).map(({ text }) => text));
    send(response, format.answer(body, planTurn(format.listTools(body), results, args), pathname));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Some clients offer a search in place of the tools of MCP servers. */
function planTurn(tools: string[], results: Result[], args: Json): Turn {
  const end = { text: "Done." };
  if (results.some(({ id }) => id === ASK)) return end;
  const tool = tools.find((name) => name.endsWith("get_stats"));
  if (tool !== undefined) return { call: { id: ASK, name: tool, args } };
  const search = tools.find((name) => /^tool_?search$/i.test(name));
  if (search === undefined) return end;
  const found = results.find(({ id }) => id === SEARCH);
  if (found === undefined) {
    return {
      call: { id: SEARCH, name: search, args: { query: "analytics visitors stats", max_results: 5 } },
    };
  }
  const name = /[\w-]*get_stats/.exec(found.text)?.[0];
  if (name === undefined) return end;
  return tools.includes("tool_call")
    ? { call: { id: ASK, name: "tool_call", args: { name, arguments: args } } }
    : { call: { id: ASK, name, args } };
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return {};
  }
}

function send(response: ServerResponse, answer: Stream | Json): void {
  if (!isStream(answer)) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    return;
  }
  const { events, areNamed, end } = answer;
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    response.write(`${areNamed ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(end === undefined ? "" : `data: ${end}\n\n`);
}

const isStream = (answer: Stream | Json): answer is Stream => "events" in answer;
