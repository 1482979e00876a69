import { createHash, randomBytes } from "node:crypto";
import { readJson } from "../member.ts";
import {
  type ConnectorFacts,
  createConnectorError,
  demand,
  isSecure,
  quoteShort,
  SEE_LOG,
} from "./connector-metadata.ts";
import type { Reply } from "./connector-probe.ts";

const JSON_HEADERS = { "content-type": "application/json", accept: "application/json" };

/** What a client of any revision sends first. */
export const callWithoutToken = ({ probe, endpoint }: ConnectorFacts) =>
  probe(endpoint, {
    method: "POST",
    headers: { ...JSON_HEADERS, accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "analytics-mcp doctor", version: "1.0.0" },
      },
    }),
  });

/** Nothing listens there: the sign-in is never finished. */
const REDIRECT = "http://127.0.0.1:33418/callback";
const MAX_REDIRECTS = 5;

/** Registers an application (RFC 7591), as clients do that have no metadata document. */
export async function registerApplication({
  probe,
  readServer,
}: ConnectorFacts): Promise<string | undefined> {
  const { registration_endpoint: url } = await readServer();
  if (url === undefined) return undefined;
  const { status, body } = await probe(url, {
    method: "POST",
    headers: JSON_HEADERS,
    body: JSON.stringify({
      client_name: "analytics-mcp doctor",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    }),
  });
  demand(status !== 429, "it answers 429: too many registrations", "Try again in an hour.");
  const { client_id } = Object(readJson(body)) as Record<string, unknown>;
  demand(
    [200, 201].includes(status) && typeof client_id === "string" && client_id !== "",
    `it answers ${status} and no client_id`,
    `Let POST requests through to ${new URL(url).pathname}. ${SEE_LOG}`,
  );
  return client_id;
}

/** Starts a sign-in as a browser does, and stops at the first page: no key is sent. */
export async function openSignIn(facts: ConnectorFacts): Promise<Reply> {
  const { resource, scopes_supported = [] } = await facts.readResource();
  const { authorization_endpoint } = await facts.readServer();
  const url = new URL(authorization_endpoint);
  const parameters = {
    response_type: "code",
    client_id: (await facts.readClientId()) ?? "",
    redirect_uri: REDIRECT,
    resource,
    code_challenge: createHash("sha256").update(createRandom()).digest("base64url"),
    code_challenge_method: "S256",
    state: createRandom(),
    ...(scopes_supported.length > 0 && { scope: scopes_supported.join(" ") }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return follow(facts, url.href);
}

const createRandom = () => randomBytes(32).toString("base64url");

async function follow({ probe, endpoint }: ConnectorFacts, start: string): Promise<Reply> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await probe(url, { headers: { accept: "text/html", ...(cookie !== "" && { cookie }) } });
    for (const [name, value] of readCookies(reply.headers)) cookies.set(name, value);
    const location = reply.headers.get("location");
    if (reply.status < 300 || reply.status >= 400 || location === null) return reply;
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next?.href.startsWith(REDIRECT)) failEarly(next.searchParams);
    // Cookies of a sign-in stay where they were set.
    demand(
      next?.origin === new URL(start).origin && isSecure(next.href, endpoint),
      `it sends the browser on to ${quoteShort(next?.origin ?? location)}`,
      `Only that server can show its page. ${SEE_LOG}`,
    );
    url = next.href;
  }
  throw createConnectorError(`it redirects more than ${MAX_REDIRECTS} times`, SEE_LOG);
}

/** A sign-in must not end before a person has seen a page. */
function failEarly(answer: URLSearchParams): never {
  demand(
    !answer.has("code"),
    "it signs an application in without asking anyone",
    "Do not use this connector: anyone could sign an application in.",
  );
  const reason = answer.get("error_description") ?? answer.get("error") ?? "no reason";
  throw createConnectorError(`it refuses the application: ${quoteShort(reason)}`, SEE_LOG);
}

/** Several cookies may be in one field; a comma in a date is not between two. */
function readCookies(headers: Headers): [string, string][] {
  const field = headers.get("set-cookie") ?? "";
  return field.split(/,\s*(?=[^;,=\s]+=)/).flatMap((cookie): [string, string][] => {
    const [, name, value = ""] = /^\s*([^=;\s]+)=([^;]*)/.exec(cookie) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
}
