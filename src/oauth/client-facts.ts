import type { Client } from "oidc-provider";
import type { ConsentClient, ConsentRedirect } from "./pages/consent-facts.ts";

/** Who asks, as far as it is known: a client ID metadata document confirms the host it was fetched from. */
export function describeClient(client: Client | undefined): ConsentClient {
  if (!client) return {};
  const isDocument = client.clientId.startsWith("https://") && URL.canParse(client.clientId);
  return {
    name: client.clientName,
    uri: client.clientUri,
    ...(isDocument && { host: new URL(client.clientId).host }),
  };
}

/** Where the answer will take the person. */
export function describeRedirect(uri: string): ConsentRedirect {
  const { protocol, hostname, host, port } = new URL(uri);
  if (protocol === "https:") return { kind: "https", host };
  if (protocol === "http:") return { kind: "loopback", host: hostname, ...(port !== "" && { port }) };
  return { kind: "app", scheme: protocol.slice(0, -1) };
}
