/** One record: some fields in plain, and a sealed value. Times are whole milliseconds since 1970. */
export interface StoredRecord {
  /** "AccessToken", "RefreshToken", "AuthorizationCode", "Client", "Interaction", … */
  kind: string;
  /** The keyed hash of the record's token (see `createSealing`). The token itself is never stored. */
  hash: string;
  grantId?: string | undefined;
  clientId?: string | undefined;
  created: number;
  /** From this time on the record counts as missing. */
  expires?: number | undefined;
  consumed?: number | undefined;
  sealed: Uint8Array;
}

/** What a grant's records show in plain. */
export interface GrantSummary {
  grantId: string;
  clientId?: string | undefined;
  /** When its first record was created. */
  created: number;
  /** When its newest token was created; undefined if its code was never exchanged, so that nobody has access. */
  refreshed?: number | undefined;
  /** When the last of its records expires; undefined if one never does. */
  expires?: number | undefined;
  revoked?: number | undefined;
}

/** A registered application: a record of the kind "Client" with a `clientId`. */
export interface ApplicationSummary {
  clientId: string;
  created: number;
  expires?: number | undefined;
  /** How many of its grants are neither revoked nor expired. */
  grants: number;
}

/**
 * The state that replicas share. Each method is atomic across replicas. If the medium fails (full, locked, read-only,
 * removed, too slow), every method throws AnalyticsError `unavailable` and never reports a record as missing. Whether
 * a step that threw took effect is unknown; it may be retried. Times and windows are whole milliseconds.
 */
export interface Store {
  /**
   * Inserts or replaces a record. Returns false, and writes nothing, if the record's grant is revoked. A consumed
   * record that is replaced stays consumed, until it is removed or expires.
   */
  put(record: StoredRecord): Promise<boolean>;
  /** Undefined if the record is missing or expired, or its grant is revoked. */
  get(kind: string, hash: string): Promise<StoredRecord | undefined>;
  /**
   * Marks a record as used. Exactly one caller gets `first: true`; the others get the time of that first use.
   * Undefined in the same cases as for `get`.
   */
  consume(kind: string, hash: string, at: number): Promise<Consumption | undefined>;
  /** Removes one record. Of several callers at once, exactly one gets true; false if there is no such record. */
  remove(kind: string, hash: string): Promise<boolean>;
  /**
   * Ends a grant: removes its records and refuses new ones, even if the grant had none yet. Returns true the first
   * time. The mark is kept until the last record would expire, and at least for `REVOCATION_KEPT`; grant ids must not
   * be reused.
   */
  revokeGrant(grantId: string, at: number): Promise<boolean>;
  /** Grants that have not expired, and revoked ones while their mark is kept; oldest first. */
  listGrants(): Promise<GrantSummary[]>;
  /** Registered applications, oldest first. */
  listApplications(): Promise<ApplicationSummary[]>;
  /** Removes applications registered before that time without a live grant; returns how many. */
  pruneApplications(before: number): Promise<number>;
  /**
   * Counts an event, unless its window is full. Returns 0 if it was counted, otherwise the milliseconds until the
   * window ends. A refusal writes nothing, so that it costs little however often it is caused. A window starts at its
   * first event and ends at most `windowMs` later; a replica whose clock is ahead cannot extend it. The counter's name
   * may contain an address, so only its keyed hash is stored. A power loss may undo the latest counts.
   */
  hit(counter: string, limit: WindowLimit, now: number): Promise<number>;
  /** Subtracts one event from a window that has not ended: it was counted before it was known not to matter. */
  unhit(counter: string, now: number): Promise<void>;
  /** Only reads: strangers can cause it. So it fails if the medium cannot be reached, but not if it is full. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** How many events a window takes. */
export interface WindowLimit {
  max: number;
  windowMs: number;
}

export interface Consumption {
  first: boolean;
  /** When the record was first consumed. */
  consumed: number;
}

export interface StoreOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  /** The server secret, the same on every replica; it keys the hashes of counters' names. */
  secret: Uint8Array;
  /** Receives lines for the operator's log, which never contain a token, a key, a path or a URL. */
  report: (line: string) => void;
  /** For tests; `MAX_WITHOUT_GRANT` by default. */
  maxWithoutGrant?: number;
}

/**
 * Kinds of records that strangers can cause: registrations, sign-ins in progress, assertions of applications, and, where
 * the key is public, what is kept of ended grants. Of each kind, a store keeps `MAX_WITHOUT_GRANT` that belong to no grant,
 * and then removes the oldest. An application with a live grant is never removed.
 */
export const LIMITED_KINDS: readonly string[] = ["Client", "Interaction", "ReplayDetection", "GrantEnd"];
export const MAX_WITHOUT_GRANT = 10_000;

/** When a record of a grant gave access; 0 if it is no token. */
export const readTokenTime = ({ kind, created }: Pick<StoredRecord, "kind" | "created">): number =>
  kind === "AccessToken" || kind === "RefreshToken" ? created : 0;

/** The minimum time in milliseconds to keep the mark of a revoked grant; no request takes so long. */
export const REVOCATION_KEPT = 30 * 24 * 3_600_000;

/** Until when to keep the mark of a grant that was revoked at `at`: at least until its last record would expire. */
export const readMarkEnd = (at: number, expires: number | undefined): number =>
  Math.max(at + REVOCATION_KEPT, expires ?? 0);

/** Whether something has not expired; undefined means that it never does. */
export const isLive = (expires: number | undefined, now: number): boolean =>
  expires === undefined || expires > now;
