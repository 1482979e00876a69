import type { ReferenceApi } from "./api.ts";

/** What a client reads of an answer. */
export interface DirectAnswer {
  status: number;
  headers: { get(name: string): string | null };
  body: Uint8Array[];
}

/** A GET without a port or a network: the same request and answer as over HTTP. */
export function askDirectly(
  api: ReferenceApi,
  url: string,
  { headers }: { headers: Record<string, string> },
): DirectAnswer {
  const sent = readFields(Object.entries(headers));
  const { status, headers: fields, body } = api({ method: "GET", url, headers: sent });
  return { status, headers: readFields(fields), body: body === null ? [] : [Buffer.from(body)] };
}

/** Names of fields differ in case without meaning (RFC 9110, section 5.1). */
function readFields(fields: Iterable<[string, string]>) {
  const byName = new Map([...fields].map(([name, value]) => [name.toLowerCase(), value]));
  return { get: (name: string) => byName.get(name.toLowerCase()) ?? null };
}
