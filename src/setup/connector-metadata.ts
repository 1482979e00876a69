import * as z from "zod";
import { isLoopback } from "../config/base-url.ts";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { readJson } from "../member.ts";
import type { Probe, Reply } from "./connector-probe.ts";
import type { ConnectionFacts } from "./doctor-check.ts";

const text = z.string();

/** RFC 9728, section 2, as far as MCP needs it. */
const resourceMetadata = z.object({
  resource: text,
  authorization_servers: z.array(text).min(1),
  scopes_supported: z.array(text).optional(),
});

/** RFC 8414, section 2, as far as MCP needs it. */
const serverMetadata = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  registration_endpoint: text.optional(),
  code_challenge_methods_supported: z.array(text).optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
});

/** What an MCP client learns of a connector on its way to a sign-in, each step once. A rejection is an AnalyticsError. */
export interface ConnectorFacts extends ConnectionFacts {
  endpoint: string;
  probe: Probe;
  /** The answer to a call without a token. */
  readCall: () => Promise<Reply>;
  readResource: () => Promise<z.output<typeof resourceMetadata>>;
  readServer: () => Promise<z.output<typeof serverMetadata>>;
  /** The id of an application that was registered for this check; undefined if the server registers none. */
  readClientId: () => Promise<string | undefined>;
  /** What a browser is shown first, and where. */
  readPage: () => Promise<Reply>;
}

/** The error on a connector that answers wrongly. */
export const createConnectorError = (message: string, hint: string) =>
  new AnalyticsError("bad_answer", message, { hint });

export const SEE_LOG = "Look at the connector's log, or contact its operator.";

export const CHECK_RUNNING = "Check that the connector runs and that its proxy reaches it.";

const MAX_QUOTED_LENGTH = 120;

/** Throws that error unless something holds. */
export function demand(holds: boolean, message: string, hint: string): asserts holds {
  if (!holds) throw createConnectorError(message, hint);
}

/** Text of a connector, for a message. */
export const quoteShort = (quoted: string) =>
  quoteWord(quoted.length > MAX_QUOTED_LENGTH ? `${quoted.slice(0, MAX_QUOTED_LENGTH)}…` : quoted);

const trimSlash = (url: string) => url.replace(/\/$/, "");

/** Whether tokens and sign-ins may go there: https, or this machine if the connector is on it. */
export function isSecure(url: string, endpoint: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  return protocol === "http:" && isLoopback(hostname) && isLoopback(new URL(endpoint).hostname);
}

/** The challenge's parameter `resource_metadata` (RFC 9728, section 5.1). */
export function findMetadataUrl({ headers }: Reply): string | undefined {
  const challenge = headers.get("www-authenticate") ?? "";
  const [, quoted, bare] = /\bresource_metadata=(?:"([^"]*)"|([^\s,]+))/i.exec(challenge) ?? [];
  return quoted ?? bare;
}

/** Reads the metadata of the protected resource: where the challenge says, else at the well-known address. */
export async function readResourceMetadata({ endpoint, probe, readCall }: ConnectorFacts) {
  const named = await readCall().then(findMetadataUrl, () => undefined);
  const { origin, pathname } = new URL(endpoint);
  const url = named ?? `${origin}/.well-known/oauth-protected-resource${pathname}`;
  const what = `the challenge names ${quoteShort(url)}, which is not https`;
  demand(isSecure(url, endpoint), what, START_WITH_URL);
  const metadata = readDocument(await probe(url), resourceMetadata);
  const { resource } = metadata;
  demand(
    [trimSlash(endpoint), origin].includes(trimSlash(resource)),
    `it describes ${quoteShort(resource)}, not ${endpoint}`,
    "Give people the address it names, or start the connector with --public-url and the address that people use.",
  );
  return metadata;
}

const START_WITH_URL = "Start the connector with --public-url and its https address.";

/** Reads the metadata of the authorization server, at each address where clients look for it. */
export async function readServerMetadata({ endpoint, probe, readResource }: ConnectorFacts) {
  const [issuer = ""] = (await readResource()).authorization_servers;
  const what = `the authorization server is ${quoteShort(issuer)}, which is not https`;
  demand(isSecure(issuer, endpoint), what, START_WITH_URL);
  const metadata = readDocument(await findServerDocument(probe, issuer), serverMetadata);
  demand(
    trimSlash(metadata.issuer) === trimSlash(issuer),
    `its issuer is ${quoteShort(metadata.issuer)}, not ${quoteShort(issuer)} (RFC 8414, section 3.3)`,
    "The two must be the same: check --public-url.",
  );
  const { authorization_endpoint, token_endpoint, registration_endpoint = token_endpoint } = metadata;
  const endpoints = [authorization_endpoint, token_endpoint, registration_endpoint];
  for (const url of endpoints) {
    const what = `it names ${quoteShort(url)}, which is not https`;
    demand(isSecure(url, endpoint), what, "Every endpoint needs https: check --public-url.");
  }
  return metadata;
}

/** RFC 8414, section 3.1, and OpenID Connect Discovery, in the order of MCP 2025-11-25. */
async function findServerDocument(probe: Probe, issuer: string): Promise<Reply> {
  const { origin, pathname } = new URL(issuer);
  const path = trimSlash(pathname);
  const first = await probe(`${origin}/.well-known/oauth-authorization-server${path}`);
  if (first.status !== 404) return first;
  const second = await probe(`${origin}/.well-known/openid-configuration${path}`);
  return second.status === 404 ? first : second;
}

function readDocument<T extends z.ZodObject>({ url, status, headers, body }: Reply, schema: T): z.output<T> {
  const fix = "Route the paths under /.well-known/ to the connector.";
  const isRedirect = status >= 300 && status < 400;
  demand(!isRedirect, `${url} redirects, which clients do not follow`, fix);
  demand(status === 200, `${url} answers ${status}`, status >= 500 ? CHECK_RUNNING : fix);
  const isPage = /html/i.test(headers.get("content-type") ?? "");
  demand(!isPage, `${url} answers with a page, not with JSON`, fix);
  const parsed = schema.safeParse(readJson(body));
  if (parsed.success) return parsed.data;
  const members = new Set(parsed.error.issues.flatMap(({ path }) => path.slice(0, 1).map(String)));
  demand(members.size > 0, `${url} is not a JSON object`, fix);
  throw createConnectorError(
    `${url} lacks ${[...members].join(", ")}, or has it in another form`,
    "Report it to the connector's developers.",
  );
}
