import type { Send } from "../client/network.ts";
import type { Environment } from "../config/variables.ts";
import { connectorChecks } from "./connector-checks.ts";
import type { ConnectorFacts } from "./connector-facts.ts";
import { readResourceMetadata, readServerMetadata } from "./connector-metadata.ts";
import { createProbe, type Probe } from "./connector-probe.ts";
import { openSignIn, registerApplication } from "./connector-sign-in.ts";
import { type Diagnosis, once, runChecks } from "./run-checks.ts";

export interface ConnectorContext {
  /** The address of the MCP endpoint. */
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
  const { endpoint, environment, clock, send, proxies } = context;
  const probe = createProbe(send, clock, proxies);
  const readCall = once(() => callWithoutToken(probe, endpoint));
  const readResource = once(() => readResourceMetadata({ endpoint, probe, readCall }));
  const readServer = once(() => readServerMetadata({ endpoint, probe, readResource }));
  const readClientId = once(() => registerApplication({ probe, readServer }));
  const facts: ConnectorFacts = {
    endpoint,
    environment,
    clock,
    probe,
    readBaseUrl: async () => endpoint,
    readCall,
    readResource,
    readServer,
    readClientId,
    readPage: once(() => openSignIn({ endpoint, probe, readResource, readServer, readClientId })),
  };
  const report = await runChecks(connectorChecks, facts);
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

/** What a client of any revision sends first. */
const callWithoutToken = (probe: Probe, endpoint: string) =>
  probe(endpoint, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
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
