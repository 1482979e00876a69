import { createKeyId } from "../config/issued-key.ts";
import { fingerprintFile, type Organization, readKeysFile } from "../config/keys-file.ts";
import { type SiteSelection, selectSites } from "../config/site-patterns.ts";
import { AnalyticsError } from "../errors.ts";
import type { PartialSource } from "./data-source.ts";
import { createKeyring, type Keyring } from "./keyring.ts";
import type { SourceContext } from "./source-types.ts";

/** The file is checked at most this often. */
const FRESH_MS = 1_000;

export interface FileKeyringOptions {
  /** Shows some sites of the source. */
  openView: (selection: SiteSelection) => PartialSource;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Reports to the operator. */
  report: SourceContext["warn"];
}

/**
 * A keyring from a keys file, which may change at any time: a new or removed key takes effect within a second. If
 * the file becomes unusable, the keys that were last read stay valid. Throws AnalyticsError `usage` if it is unusable from the
 * start.
 */
export function openFileKeyring(file: string, { openView, clock, report }: FileKeyringOptions): Keyring {
  const build = (organizations: readonly Organization[]): Keyring =>
    createKeyring(
      organizations.flatMap(({ name, sites, keys }) => {
        const source = openView(selectSites(sites));
        return keys.map(({ sha256 }) => ({ keyId: createKeyId(sha256), organization: name, sha256, source }));
      }),
    );

  // The stamp is read before the content, so that no change in between is missed.
  let stamp = fingerprintFile(file);
  let checked = clock();
  let find = build(readKeysFile(file));
  let isDamaged = false;
  const refresh = () => {
    const now = clock();
    if (Math.abs(now - checked) < FRESH_MS) return;
    checked = now;
    try {
      const current = fingerprintFile(file);
      if (current === stamp) return;
      stamp = current;
      find = build(readKeysFile(file));
      if (isDamaged) void report(`The keys file ${file} is in use again.`);
      isDamaged = false;
    } catch (error) {
      if (!isDamaged)
        void report(`${explain(error, file)} The keys that were last read stay valid until it is repaired.`);
      isDamaged = true;
    }
  };
  return (key) => {
    refresh();
    return find(key);
  };
}

const explain = (error: unknown, file: string) =>
  error instanceof AnalyticsError ? error.message : `The keys file ${file} cannot be read.`;
