import { createHash, randomBytes } from "node:crypto";
import { createKeyring, type Keyring } from "./keyring.ts";
import type { LocalKind, SourceContext } from "./source-types.ts";

/** Whose key opens what of a source in this process. Where the source does not say, one key of this run opens all of it. */
export async function openLocalKeyring(
  kind: LocalKind,
  context: Pick<SourceContext, "clock">,
): Promise<{ find: Keyring; publicKeys: string[] }> {
  if (kind.openKeyring) return kind.openKeyring(context);
  const key = randomBytes(24).toString("base64url");
  const sha256 = createHash("sha256").update(key).digest("hex");
  return {
    find: createKeyring([{ keyId: "run", sha256, source: await kind.open(context) }]),
    publicKeys: [key],
  };
}
