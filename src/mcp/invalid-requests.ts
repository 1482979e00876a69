import { INVALID_REQUEST, parseJSONRPCMessage } from "@modelcontextprotocol/server";

export interface Refusal {
  jsonrpc: "2.0";
  id: string | number;
  error: { code: number; message: string };
}

/**
 * Reads the same input as the SDK's stdio transport and refuses the requests that the SDK drops without an answer: those
 * with an unknown member, another version of JSON-RPC, or in a batch. Their sender would wait forever
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/2247; remove this once that is fixed). A message without
 * a readable id gets no answer.
 */
export function createInvalidRequestCheck(refuse: (refusal: Refusal) => void): (chunk: Buffer) => void {
  let open: Buffer[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      const line = Buffer.concat([...open, chunk.subarray(start, end)]).toString("utf8");
      [open, start] = [[], end + 1];
      for (const id of findInvalidRequests(line)) {
        refuse({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: "Invalid Request" } });
      }
    }
    if (start < chunk.length) open.push(chunk.subarray(start));
  };
}

function findInvalidRequests(line: string): (string | number)[] {
  const message = parse(line);
  if (isMessage(message)) return [];
  return (Array.isArray(message) ? message : [message]).flatMap((each) => {
    const request: object = Object(each);
    if ("result" in request || "error" in request || !("id" in request)) return [];
    const { id } = request;
    return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? [id] : [];
  });
}

function isMessage(value: unknown): boolean {
  try {
    parseJSONRPCMessage(value);
    return true;
  } catch {
    return false;
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
