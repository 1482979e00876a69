import { createHash, randomBytes } from "node:crypto";
import { createKeyring, type Keyring } from "./keyring.ts";
import type { LocalContext, LocalKind } from "./source-types.ts";

/** Opens a local source's keyring. A source that has none gets one new key, valid for this run, for all of its data. */
export async function openLocalKeyring(
  kind: LocalKind,
  context: LocalContext,
): Promise<{ find: Keyring; publicKeys: string[] }> {
  if (kind.openKeyring) return kind.openKeyring(context);
  const key = randomBytes(24).toString("base64url");
  const sha256 = createHash("sha256").update(key).digest("hex");
  return {
    find: createKeyring([{ keyId: "run", sha256, source: await kind.open(context) }]),
    publicKeys: [key],
  };
}
