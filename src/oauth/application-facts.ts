import type { Client } from "oidc-provider";
import type { ConsentApplication, ConsentRedirect } from "./pages/consent-facts.ts";

/** What is known of the application. A client ID metadata document confirms the host it was fetched from. */
export function describeApplication(client: Client | undefined): ConsentApplication {
  if (!client) return {};
  const host = findDocumentHost(client.clientId);
  return { name: client.clientName, uri: client.clientUri, ...(host !== undefined && { host }) };
}

/** The host of the metadata document that a client id names; undefined for the id of a registered application. */
export function findDocumentHost(clientId: string): string | undefined {
  return clientId.startsWith("https://") && URL.canParse(clientId) ? new URL(clientId).host : undefined;
}

/** Where the person's browser goes after the decision. */
export function describeRedirect(uri: string): ConsentRedirect {
  const { protocol, hostname, host, port } = new URL(uri);
  if (protocol === "https:") return { kind: "https", host };
  if (protocol === "http:") return { kind: "loopback", host: hostname, ...(port !== "" && { port }) };
  return { kind: "app", scheme: protocol.slice(0, -1) };
}
