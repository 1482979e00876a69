import { findDocumentHost } from "./application-facts.ts";
import { createSealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

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
