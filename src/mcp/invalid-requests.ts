import { INVALID_REQUEST, parseJSONRPCMessage } from "@modelcontextprotocol/server";

export interface Refusal {
  jsonrpc: "2.0";
  id: string | number;
  error: { code: number; message: string };
}

/**
 * Reads the same input as the SDK's stdio transport and refuses what that drops without an answer: a request with an
 * unknown member, of another version of JSON-RPC, or in a batch. Its sender would wait for ever
 * (https://github.com/modelcontextprotocol/typescript-sdk/issues/2247; gone once that is fixed). A message whose id
 * cannot be read stays unanswered.
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
    const { id, ...rest } = Object(each) as Record<string, unknown>;
    const isReadable = typeof id === "string" || Number.isSafeInteger(id);
    return isReadable && !("result" in rest || "error" in rest) ? [id as string | number] : [];
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
