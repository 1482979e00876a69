import { findDocumentHost } from "./application-facts.ts";
import { createSealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/**
 * Reads what an application calls itself, by its client id: a registered one's name, which it chose itself, or the host
 * of the document that another's id is. Null where it has no name, or is gone.
 */
export function createApplicationNames(
  store: Store,
  secret: Uint8Array,
  report: (line: string) => void,
): (clientId: string) => Promise<string | null> {
  const sealing = createSealing(secret, report);
  // Many sign-ins are of one application, and are read at the same time.
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
