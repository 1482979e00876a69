import type { Send } from "../client/network.ts";
import type { Environment } from "../config/variables.ts";
import { readJson, readMember } from "../member.ts";
import { once } from "../operations/schemas.ts";
import { connectionChecks } from "./connection-checks.ts";
import {
  CHECK_RUNNING,
  type ConnectorFacts,
  demand,
  findMetadataUrl,
  quoteShort,
  readResourceMetadata,
  readServerMetadata,
} from "./connector-metadata.ts";
import { checkPage, checkPageHeaders } from "./connector-page.ts";
import { createProbe, type Reply } from "./connector-probe.ts";
import { callWithoutToken, openSignIn, registerApplication } from "./connector-sign-in.ts";
import { type Check, type Diagnosis, type Finding, ok, runChecks, skip, warn } from "./doctor-check.ts";
import { compareClocks } from "./service-checks.ts";

export interface ConnectorContext {
  /** The address of the MCP endpoint, which people add in their client. */
  endpoint: string;
  environment: Environment;
  /** Milliseconds since 1970. */
  clock: () => number;
  send: Send;
  proxies: readonly (string | undefined)[];
}

/**
 * Checks a connector as an MCP client uses it, up to the sign-in page. It registers an application there, if anyone may, and
 * sends no key.
 */
export async function diagnoseConnector(context: ConnectorContext): Promise<Diagnosis> {
  const report = await runChecks(connectorChecks, createFacts(context));
  return report.map(({ fix, detail, ...finding }) => ({
    ...finding,
    detail: nameConnector(detail),
    ...(fix !== undefined && { fix: nameConnector(fix) }),
  }));
}

/** The checks of the connection are written for a service: names the connector instead. */
const nameConnector = (text: string) =>
  text
    .replace("the base URL", "the address")
    .replace("the answer check", "the challenge check")
    .replace("operator of the service", "operator of the connector")
    .replace("If the service uses", "If the connector uses")
    .replace("the service's host", "the connector's host");

function createFacts(context: ConnectorContext): ConnectorFacts {
  const { endpoint, environment, clock, send, proxies } = context;
  const facts: ConnectorFacts = {
    endpoint,
    environment,
    clock,
    probe: createProbe(send, clock, proxies),
    readBaseUrl: async () => endpoint,
    readCall: once(() => callWithoutToken(facts)),
    readResource: once(() => readResourceMetadata(facts)),
    readServer: once(() => readServerMetadata(facts)),
    readClientId: once(() => registerApplication(facts)),
    readPage: once(() => openSignIn(facts)),
  };
  return facts;
}

const REACHED = ["proxy", "dns", "tcp", "tls"];

/** Checks of a connector as an MCP client uses it, from its address to the sign-in page. They send no key. */
const connectorChecks: readonly Check<ConnectorFacts>[] = [
  { name: "endpoint", run: ({ endpoint }) => ok(endpoint) },
  ...connectionChecks,
  { name: "challenge", needs: REACHED, run: checkChallenge },
  { name: "resource metadata", needs: REACHED, run: checkResource },
  { name: "server metadata", needs: ["resource metadata"], run: checkServer },
  { name: "PKCE", needs: ["server metadata"], run: checkPkce },
  { name: "registration", needs: ["server metadata"], run: checkRegistration },
  { name: "sign-in page", needs: ["PKCE", "registration"], run: checkPage },
  { name: "page headers", needs: ["sign-in page"], run: checkPageHeaders },
  { name: "HSTS", needs: REACHED, run: checkHsts },
  {
    name: "clock",
    needs: REACHED,
    run: async ({ readCall }) => compareClocks(await readCall(), "connector"),
  },
];

/** A client without a token is told where to sign in (RFC 9728, section 5.1). */
async function checkChallenge({ endpoint, readCall }: ConnectorFacts): Promise<Finding> {
  const reply = await readCall();
  const { status, headers } = reply;
  demand(status === 401, ...explainStatus(reply, new URL(endpoint).pathname));
  demand(
    /^\s*bearer\b/i.test(headers.get("www-authenticate") ?? ""),
    "it answers 401 without WWW-Authenticate: Bearer, so clients do not find the sign-in",
    "Let the reverse proxy pass this header on.",
  );
  if (findMetadataUrl(reply) === undefined) {
    return warn(
      "WWW-Authenticate does not name resource_metadata; some clients then do not find the sign-in",
      "Add resource_metadata to the challenge (RFC 9728, section 5.1).",
    );
  }
  return ok("401, and it names the resource metadata");
}

/** What a call without a token should not be answered with, and what to do. */
function explainStatus({ status, body }: Reply, path: string): [message: string, fix: string] {
  const answers = `it answers ${status}`;
  if (status === 404 || status === 405)
    return [`${answers}: no MCP server is at ${path}`, "Check the path: that of serve is /mcp."];
  if (status === 403) {
    const message = readMember(readMember(readJson(body), "error"), "message");
    const said = typeof message === "string" ? `: ${quoteShort(message)}` : "";
    return [
      `${answers} before the sign-in${said}`,
      "Let the reverse proxy pass Host on (nginx: proxy_set_header Host $host;). If it does, look at what else refuses the call.",
    ];
  }
  if (status >= 500) return [answers, CHECK_RUNNING];
  if (status >= 400) return [`${answers}, not 401`, "Look at the connector's log."];
  return status >= 300
    ? [
        `it redirects (${status}), which clients do not follow with a call`,
        "Give people the address that it redirects to.",
      ]
    : [
        "it answers without a sign-in",
        "Check that this is a connector: anyone who knows the address gets its answers.",
      ];
}

async function checkResource({ endpoint, readResource }: ConnectorFacts): Promise<Finding> {
  const { resource, authorization_servers } = await readResource();
  if (resource.replace(/\/$/, "") !== endpoint.replace(/\/$/, "")) {
    return warn(
      "it names the connector's origin, not its endpoint; strict clients refuse that",
      "Name the endpoint itself as resource (RFC 9728, section 3.3).",
    );
  }
  return ok(`sign-in at ${authorization_servers[0]}`);
}

async function checkServer({ readServer }: ConnectorFacts): Promise<Finding> {
  const { authorization_endpoint, token_endpoint } = await readServer();
  const [authorize, token] = [authorization_endpoint, token_endpoint].map((url) => new URL(url).pathname);
  return ok(`${authorize}, ${token}`);
}

async function checkPkce({ readServer }: ConnectorFacts): Promise<Finding> {
  const { code_challenge_methods_supported: methods = [] } = await readServer();
  demand(
    methods.includes("S256"),
    "code_challenge_methods_supported does not name S256, so MCP clients refuse to sign in",
    "Support PKCE with S256, and say so in the server metadata.",
  );
  return ok("S256");
}

async function checkRegistration({ readServer, readClientId }: ConnectorFacts): Promise<Finding> {
  if ((await readClientId()) !== undefined) return ok("an application could register");
  const { client_id_metadata_document_supported: documents } = await readServer();
  if (documents) return ok("only with metadata documents of applications");
  return warn(
    "it offers neither registration nor metadata documents: each application has to be registered by hand",
    "Turn on registration (--registration on), or metadata documents (--client-documents on).",
  );
}

async function checkHsts({ endpoint, readCall, readPage }: ConnectorFacts): Promise<Finding> {
  if (endpoint.startsWith("http:")) return skip("plain http on this machine");
  const replies = await Promise.allSettled([readCall(), readPage()]);
  const isSent = replies.some(
    (reply) => reply.status === "fulfilled" && reply.value.headers.has("strict-transport-security"),
  );
  if (isSent) return ok("Strict-Transport-Security is sent");
  return warn(
    "Strict-Transport-Security is not sent",
    "If the whole host is served over https, send Strict-Transport-Security: max-age=31536000.",
  );
}
