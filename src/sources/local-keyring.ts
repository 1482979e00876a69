import { createKey, hashKey } from "../config/issued-key.ts";
import { createKeyring } from "./keyring.ts";
import type { LocalContext, LocalKeyring, LocalKind } from "./source-types.ts";

/** Opens a local source's keyring. A source that has none gets one new key, valid for this run, for all of its data. */
export async function openLocalKeyring(
  kind: Pick<LocalKind, "open" | "openKeyring">,
  context: LocalContext,
): Promise<LocalKeyring> {
  if (kind.openKeyring) return kind.openKeyring(context);
  const key = createKey();
  return {
    find: createKeyring([{ keyId: "run", sha256: hashKey(key), source: await kind.open(context) }]),
    publicKeys: [key],
  };
}
