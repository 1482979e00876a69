import { INVALID_REQUEST, PARSE_ERROR, parseJSONRPCMessage } from "@modelcontextprotocol/server";

export interface Refusal {
  jsonrpc: "2.0";
  /** Null if the line is not JSON. */
  id: string | number | null;
  error: { code: number; message: string };
}

/**
 * Reads the same input as the SDK's stdio transport and refuses what the SDK drops without an answer: lines that are not
 * JSON, and requests with an unknown member, another version of JSON-RPC, or in a batch. Their sender would wait forever
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/2247; remove this once that is fixed). A message without
 * a readable id gets no answer.
 */
export function createInvalidRequestCheck(refuse: (refusal: Refusal) => void): (chunk: Buffer) => void {
  let partial: Buffer[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      const line = Buffer.concat([...partial, chunk.subarray(start, end)]).toString("utf8");
      [partial, start] = [[], end + 1];
      for (const refusal of checkLine(line)) refuse(refusal);
    }
    if (start < chunk.length) partial.push(chunk.subarray(start));
  };
}

function checkLine(line: string): Refusal[] {
  if (line.trim() === "") return [];
  const message = parse(line);
  if (message === undefined) return [createRefusal(null, PARSE_ERROR, "Parse error: the line is not JSON")];
  return findInvalidRequests(message).map((id) => createRefusal(id, INVALID_REQUEST, "Invalid Request"));
}

const createRefusal = (id: Refusal["id"], code: number, message: string): Refusal => ({
  jsonrpc: "2.0",
  id,
  error: { code, message },
});

function findInvalidRequests(message: unknown): (string | number)[] {
  if (isMessage(message)) return [];
  return (Array.isArray(message) ? message : [message]).flatMap((entry) => {
    const request: object = Object(entry);
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
