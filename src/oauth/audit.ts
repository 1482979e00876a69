/** Events of sign-ins; each is one line of the operator's log. */
export type AuditEvent =
  | "client_registered"
  | "consent_refused"
  | "key_refused"
  | "grant_made"
  | "tokens_issued"
  | "tokens_refreshed"
  | "grant_ended"
  | "document_unavailable";

/** Never a key, a token or a code. `name` is what the application calls itself, unchecked. */
export interface AuditFacts {
  grant?: string | undefined;
  /** Its client id; `client` in the log. */
  application?: string | undefined;
  name?: string | undefined;
  /** Whose key was given, and the key's id; `key_id` in the log. */
  organization?: string | undefined;
  key?: string | undefined;
  /** Of a document; a stranger may have chosen it. */
  address?: string | undefined;
  reason?: string | undefined;
}

export type Audit = (event: AuditEvent, facts: AuditFacts) => void;
