import { INVALID_REQUEST, parseJSONRPCMessage } from "@modelcontextprotocol/server";
import { parse } from "./usual.ts";

export interface Refusal {
  jsonrpc: "2.0";
  id: string | number;
  error: { code: number; message: string };
}

/**
 * Looks at what is read, chunk by chunk, and refuses what the SDK's transport drops without a word: a request with a
 * member too many, of another version of JSON-RPC, or in a batch. Whoever sent it would wait for an answer that never
 * comes. What has no id that can be read stays without one.
 */
export function createRefuser(refuse: (refusal: Refusal) => void): (chunk: Buffer) => void {
  let open: Buffer[] = [];
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      const line = Buffer.concat([...open, chunk.subarray(start, end)]).toString("utf8");
      [open, start] = [[], end + 1];
      for (const id of findOddRequests(line)) {
        refuse({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message: "Invalid Request" } });
      }
    }
    if (start < chunk.length) open.push(chunk.subarray(start));
  };
}

function findOddRequests(line: string): (string | number)[] {
  const message = parse(line);
  if (isFrame(message)) return [];
  return (Array.isArray(message) ? message : [message]).flatMap((each) => {
    const { id, ...rest } = Object(each) as Record<string, unknown>;
    const isReadable = typeof id === "string" || Number.isSafeInteger(id);
    return isReadable && !("result" in rest || "error" in rest) ? [id as string | number] : [];
  });
}

function isFrame(message: unknown): boolean {
  try {
    parseJSONRPCMessage(message);
    return true;
  } catch {
    return false;
  }
}
