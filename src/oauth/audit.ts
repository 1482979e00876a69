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
  client?: string | undefined;
  name?: string | undefined;
  /** Of a document that strangers may have chosen. */
  address?: string | undefined;
  reason?: string | undefined;
}

export type Audit = (event: AuditEvent, facts: AuditFacts) => void;
