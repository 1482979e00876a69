import { createSealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

/**
 * Reads what an application calls itself, by its client id: a registered one's name, which it chose itself, or the host
 * of the document that another's id is. Undefined where it has no name, or is gone.
 */
export function createApplicationNames(
  store: Store,
  secret: Uint8Array,
  report: (line: string) => void,
): (clientId: string) => Promise<string | undefined> {
  const sealing = createSealing(secret, report);
  const known = new Map<string, string | undefined>();

  const read = async (clientId: string) => {
    if (clientId.startsWith("https://") && URL.canParse(clientId)) return new URL(clientId).host;
    const record = await store.get("Client", sealing.hash("Client", clientId));
    const name: unknown = Reflect.get(Object(record && sealing.open(record, clientId)), "client_name");
    return typeof name === "string" && name !== "" ? name : undefined;
  };
  return async (clientId) => {
    if (!known.has(clientId)) known.set(clientId, await read(clientId));
    return known.get(clientId);
  };
}
