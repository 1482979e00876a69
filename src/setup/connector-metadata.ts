import type * as z from "zod";
import {
  type ConnectorFacts,
  createConnectorError,
  isSecure,
  quoteShort,
  type ResourceMetadata,
  resourceMetadata,
  type ServerMetadata,
  serverMetadata,
} from "./connector-facts.ts";
import type { Probe, Reply } from "./connector-probe.ts";

const ROUTE_HINT = "Route the paths under /.well-known/ to the connector.";

const trimSlash = (url: string) => url.replace(/\/$/, "");

/** The challenge's parameter `resource_metadata` (RFC 9728, section 5.1). */
export function findMetadataUrl(challenge: string): string | undefined {
  const [, quoted, bare] = /\bresource_metadata=(?:"([^"]*)"|([^\s,]+))/i.exec(challenge) ?? [];
  return quoted ?? bare;
}

/** Reads the metadata of the protected resource: where the challenge says, else at the well-known address. */
export async function readResourceMetadata({
  endpoint,
  probe,
  readCall,
}: Pick<ConnectorFacts, "endpoint" | "probe" | "readCall">): Promise<ResourceMetadata> {
  const challenge = await readCall().then(
    ({ headers }) => headers.get("www-authenticate") ?? "",
    () => "",
  );
  const { origin, pathname } = new URL(endpoint);
  const url = findMetadataUrl(challenge) ?? `${origin}/.well-known/oauth-protected-resource${pathname}`;
  if (!isSecure(url, endpoint)) {
    throw createConnectorError(
      `the challenge names ${quoteShort(url)}, which is not https`,
      "Start the connector with --public-url and its https address.",
    );
  }
  const metadata = readDocument(await probe(url), resourceMetadata);
  const { resource } = metadata;
  if (trimSlash(resource) !== trimSlash(endpoint) && trimSlash(resource) !== origin) {
    throw createConnectorError(
      `it describes ${quoteShort(resource)}, not ${endpoint}`,
      "Give people the address it names, or start the connector with --public-url and the address that people use.",
    );
  }
  return metadata;
}

/** Reads the metadata of the authorization server, at each address where clients look for it. */
export async function readServerMetadata({
  endpoint,
  probe,
  readResource,
}: Pick<ConnectorFacts, "endpoint" | "probe" | "readResource">): Promise<ServerMetadata> {
  const [issuer = ""] = (await readResource()).authorization_servers;
  if (!isSecure(issuer, endpoint)) {
    throw createConnectorError(
      `the authorization server is ${quoteShort(issuer)}, which is not https`,
      "Start the connector with --public-url and its https address.",
    );
  }
  const metadata = readDocument(await findServerDocument(probe, issuer), serverMetadata);
  if (trimSlash(metadata.issuer) !== trimSlash(issuer)) {
    throw createConnectorError(
      `its issuer is ${quoteShort(metadata.issuer)}, not ${quoteShort(issuer)} (RFC 8414, section 3.3)`,
      "The two must be the same: check --public-url.",
    );
  }
  const { authorization_endpoint, token_endpoint, registration_endpoint = token_endpoint } = metadata;
  for (const url of [authorization_endpoint, token_endpoint, registration_endpoint]) {
    if (isSecure(url, endpoint)) continue;
    throw createConnectorError(
      `it names ${quoteShort(url)}, which is not https`,
      "Every endpoint needs https: check --public-url.",
    );
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

function readDocument<T extends z.ZodObject>(
  { url, status, headers, text: body }: Reply,
  schema: T,
): z.output<T> {
  const type = headers.get("content-type") ?? "";
  if (status >= 300 && status < 400) {
    throw createConnectorError(`${url} redirects, which clients do not follow`, ROUTE_HINT);
  }
  if (status !== 200) throw createConnectorError(`${url} answers ${status}`, ROUTE_HINT);
  if (/html/i.test(type)) throw createConnectorError(`${url} answers with a page, not with JSON`, ROUTE_HINT);
  const parsed = schema.safeParse(parse(body));
  if (parsed.success) return parsed.data;
  const members = [...new Set(parsed.error.issues.map(({ path }) => String(path[0] ?? "")))].filter(Boolean);
  const what =
    members.length === 0 ? "is not a JSON object" : `lacks ${members.join(", ")}, or has it in another form`;
  throw createConnectorError(
    `${url} ${what}`,
    members.length === 0 ? ROUTE_HINT : "Report it to the connector's developers.",
  );
}

export function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
