/** One record: what stands in plain, and a sealed value. Times are whole milliseconds since 1970. */
export interface StoredRecord {
  /** "AccessToken", "RefreshToken", "AuthorizationCode", "Client", "Interaction", … */
  kind: string;
  /** The keyed hash of the record's token (see `createSealing`): the token itself is never stored. */
  hash: string;
  grantId?: string | undefined;
  clientId?: string | undefined;
  created: number;
  /** From this moment on the record counts as absent. */
  expires?: number | undefined;
  consumed?: number | undefined;
  sealed: Uint8Array;
}

/** A grant as its records tell it in plain. */
export interface GrantSummary {
  grantId: string;
  clientId?: string | undefined;
  /** When its first record was made. */
  created: number;
  /** When its newest record was made: every refresh makes some. */
  refreshed: number;
  /** When the last of its records ends; absent where one never does. */
  expires?: number | undefined;
  revoked?: number | undefined;
}

/** A registered client: a record of the kind "Client" with a `clientId`. */
export interface ClientSummary {
  clientId: string;
  created: number;
  expires?: number | undefined;
  /** How many of its grants are neither revoked nor expired. */
  grants: number;
}

/**
 * What replicas share. Each method is one atomic step, on every replica at once. Where the medium fails (full,
 * locked, read-only, gone, too slow) every method throws AnalyticsError `unavailable` and never answers
 * "absent"; whether a step that threw has happened is then unknown, and it may be tried again. Times and windows
 * are whole milliseconds.
 */
export interface Store {
  /**
   * Inserts or replaces, and tells whether it did: false, and nothing is written, where the record's grant is
   * revoked. What was consumed stays consumed when it is replaced, until it is removed or expires.
   */
  put(record: StoredRecord): Promise<boolean>;
  /** Undefined where the record is absent, expired, or of a revoked grant. */
  get(kind: string, hash: string): Promise<StoredRecord | undefined>;
  /**
   * Marks a record as used: of all callers exactly one gets `first: true`, the others the time of the first.
   * Undefined where `get` would be.
   */
  consume(kind: string, hash: string, at: number): Promise<Consumption | undefined>;
  /** Removes one record, if it is there. */
  remove(kind: string, hash: string): Promise<void>;
  /**
   * Ends a grant: its records are removed and none can be put any more, even where none was put so far. True
   * the first time. The mark outlives the last record, and `REVOCATION_KEPT` at least: ids must not come again.
   */
  revokeGrant(grantId: string, at: number): Promise<boolean>;
  /** Grants that have not expired, and revoked ones while their mark is kept; oldest first. */
  listGrants(): Promise<GrantSummary[]>;
  /** Registered clients, oldest first. */
  listClients(): Promise<ClientSummary[]>;
  /** Removes the clients registered before that time that have no live grant; tells how many. */
  pruneClients(before: number): Promise<number>;
  /**
   * Counts an event and tells how many there were in its window, this one included. A window starts at its
   * first event and ends `windowMs` later, at the latest: a replica whose clock is ahead cannot prolong it. Of
   * the counter's name, which may hold an address, only a keyed hash is stored.
   */
  hit(counter: string, windowMs: number, now: number): Promise<number>;
  /** Takes one event back, where its window still runs: it was counted before it was known not to matter. */
  unhit(counter: string, now: number): Promise<void>;
  /** Readiness: writes and reads back, so that a full, read-only or absent medium shows. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface Consumption {
  first: boolean;
  /** When the record was consumed first. */
  consumed: number;
}

export interface StoreOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  /** The server secret, the same on every replica: it keys the hashes of counters' names. */
  secret: Uint8Array;
  /** Takes one line for the operator's log; it never holds a token, a key, a path or a URL. */
  report: (line: string) => void;
}

/** Milliseconds for which the mark of a revoked grant is kept at least: no request is under way for so long. */
export const REVOCATION_KEPT = 30 * 24 * 3_600_000;

/** How long the mark of a grant revoked at that time is kept: beyond everything that it ever allowed. */
export function readMarkEnd(at: number, expires: number | undefined): number {
  return Math.max(at + REVOCATION_KEPT, expires ?? 0);
}

/** Whether something that ends then, or never, is still there. */
export function isLive(expires: number | undefined, now: number): boolean {
  return expires === undefined || expires > now;
}
