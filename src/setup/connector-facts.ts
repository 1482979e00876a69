import * as z from "zod";
import { isLoopback } from "../config/base-url.ts";
import { AnalyticsError, quoteWord } from "../errors.ts";
import type { Probe, Reply } from "./connector-probe.ts";
import type { ConnectionFacts } from "./doctor-check.ts";

const text = z.string();

/** RFC 9728, section 2, as far as MCP needs it. */
export const resourceMetadata = z.object({
  resource: text,
  authorization_servers: z.array(text).min(1),
  scopes_supported: z.array(text).optional(),
});

/** RFC 8414, section 2, as far as MCP needs it. */
export const serverMetadata = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: text.optional(),
  code_challenge_methods_supported: z.array(text).optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
});

export type ResourceMetadata = z.output<typeof resourceMetadata>;
export type ServerMetadata = z.output<typeof serverMetadata>;

/** What an MCP client learns of a connector on its way to a sign-in, each step once. A rejection is an AnalyticsError. */
export interface ConnectorFacts extends ConnectionFacts {
  /** The address that people add in their client. */
  endpoint: string;
  probe: Probe;
  /** The answer to a call without a token. */
  readCall: () => Promise<Reply>;
  readResource: () => Promise<ResourceMetadata>;
  readServer: () => Promise<ServerMetadata>;
  /** The id of an application that was registered for this check; undefined if the server registers none. */
  readClientId: () => Promise<string | undefined>;
  /** What a browser is shown first, and where. */
  readPage: () => Promise<Reply>;
}

const MAX_QUOTED_LENGTH = 120;

/** Text of a connector, for a message. */
export const quoteShort = (text: string) =>
  quoteWord(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text);

/** The error on a connector that answers wrongly. */
export const createConnectorError = (message: string, hint: string) =>
  new AnalyticsError("bad_answer", message, { hint });

/** Whether tokens and sign-ins may go there: https, or this machine if the connector is on it. */
export function isSecure(url: string, endpoint: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  return protocol === "http:" && isLoopback(hostname) && isLoopback(new URL(endpoint).hostname);
}
