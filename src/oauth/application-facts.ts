import type { Client } from "oidc-provider";
import type { ConsentApplication, ConsentRedirect } from "./pages/consent-facts.ts";
import { createSealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/** What is known about the application. A client ID metadata document confirms the host it was fetched from. */
export function describeApplication(application: Client | undefined): ConsentApplication {
  if (!application) return {};
  const { clientId, clientName, clientUri } = application;
  const host = findDocumentHost(clientId);
  return { name: clientName, uri: clientUri, ...(host !== undefined && { host }) };
}

/** The host of the metadata document that a client id names; undefined for the id of a registered application. */
export const findDocumentHost = (clientId: string): string | undefined =>
  clientId.startsWith("https://") && URL.canParse(clientId) ? new URL(clientId).host : undefined;

/** Where the person's browser goes after the decision. */
export function describeRedirect(uri: string): ConsentRedirect {
  const { protocol, hostname, host, port } = new URL(uri);
  if (protocol === "https:") return { kind: "https", host };
  if (protocol === "http:") return { kind: "loopback", host: hostname, ...(port !== "" && { port }) };
  return { kind: "app", scheme: protocol.slice(0, -1) };
}

/**
 * Reads an application's name by its client id: the name it chose when it registered, or the host of its metadata
 * document. Null if it has no name or no longer exists.
 */
export function createApplicationNames(
  store: Store,
  secret: Uint8Array,
  report: (line: string) => void,
): (clientId: string) => Promise<string | null> {
  const sealing = createSealing(secret, report);
  // Lists of sign-ins ask for the same application many times at once.
  const names = new Map<string, Promise<string | null>>();

  const read = async (clientId: string) => {
    const record = await store.get("Client", sealing.hash("Client", clientId));
    const name: unknown = Reflect.get(Object(record && sealing.open(record, clientId)), "client_name");
    return typeof name === "string" && name !== "" ? name : null;
  };
  return async (clientId) => {
    const host = findDocumentHost(clientId);
    if (host !== undefined) return host;
    const name = names.get(clientId) ?? read(clientId);
    names.set(clientId, name);
    return name;
  };
}
