import type { Client } from "oidc-provider";
import type { ConsentClient, ConsentRedirect } from "./pages/consent-facts.ts";

/** Who asks, as far as it is known: a client ID metadata document confirms the host it was fetched from. */
export function describeClient(client: Client | undefined): ConsentClient {
  if (!client) return {};
  const host = findDocumentHost(client.clientId);
  return { name: client.clientName, uri: client.clientUri, ...(host !== undefined && { host }) };
}

/** Where the metadata document is that a client id names; undefined for the id of a client that has registered. */
export function findDocumentHost(clientId: string): string | undefined {
  return clientId.startsWith("https://") && URL.canParse(clientId) ? new URL(clientId).host : undefined;
}

/** Where the answer will take the person. */
export function describeRedirect(uri: string): ConsentRedirect {
  const { protocol, hostname, host, port } = new URL(uri);
  if (protocol === "https:") return { kind: "https", host };
  if (protocol === "http:") return { kind: "loopback", host: hostname, ...(port !== "" && { port }) };
  return { kind: "app", scheme: protocol.slice(0, -1) };
}
