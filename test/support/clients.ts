import { PassThrough } from "node:stream";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioClientTransportV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpClientTransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { AjvJsonSchemaValidator as AjvJsonSchemaValidatorV1 } from "@modelcontextprotocol/sdk/validation/ajv";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createHttpClient } from "../../src/client/http-client.ts";
import type { Fetch } from "../../src/client/http-request.ts";
import { createRateLimit } from "../../src/mcp/call-rate-limit.ts";
import { serveStdio } from "../../src/mcp/stdio.ts";
import type { Call } from "../../src/operations/call.ts";
import { demo } from "../../src/sources/demo.ts";
import type { About } from "../../src/sources/source-types.ts";
import { createTestApi, DEMO_KEY } from "./api.ts";
import { buildEnvironment } from "./child-process.js";

export const clientKinds = ["v1", "v2 default", "v2 auto", "v2 pinned to 2026-07-28"] as const;
export type ClientKind = (typeof clientKinds)[number];

export interface ToolResult {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
  isError?: boolean;
}

export interface Progress {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}

export const textOf = (result: ToolResult) => result.content.map((part) => part.text).join("\n");

export interface McpClient {
  listTools(): Promise<{ tools: { name: string; [member: string]: unknown }[] }>;
  callTool(
    name: string,
    args?: Record<string, unknown>,
    signal?: AbortSignal,
    onprogress?: (progress: Progress) => void,
  ): Promise<ToolResult>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(uri: string): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(
    name: string,
    args?: Record<string, string>,
  ): Promise<{ messages: { content: { text: string } }[] }>;
  complete(ref: object, name: string, value: string): Promise<string[]>;
  instructions(): string | undefined;
  serverInfo(): object | undefined;
  capabilities(): { extensions?: object | undefined } | undefined;
  close(): Promise<void>;
}

/** A client of a process that it spawned. */
export interface TestClient extends McpClient {
  pid(): number | null;
  /** What the server wrote on stderr so far. */
  stderr(): string;
}

const modes = {
  "v2 default": undefined,
  "v2 auto": { mode: "auto" },
  "v2 pinned to 2026-07-28": { mode: { pin: "2026-07-28" } },
} as const;

/** Before the test's own limit: what did not start is then ended, and said with what it wrote. */
const START = { timeout: 60_000 };

/** A real client of each generation, over a process that it spawns. */
export async function spawnClient(
  kind: ClientKind,
  command: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<TestClient> {
  const parameters = {
    command,
    args,
    env: buildEnvironment(env),
    stderr: "pipe" as const,
  };
  let log = "";
  const listen = (stream: NodeJS.EventEmitter | null) =>
    void stream?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
  const connect = (connected: Promise<void>) =>
    connected.catch((cause) => {
      throw new Error(`It did not start: ${log}`, { cause });
    });
  if (kind === "v1") {
    const client = createV1();
    const transport = new StdioClientTransportV1(parameters);
    listen(transport.stderr as NodeJS.EventEmitter | null);
    await connect(client.connect(transport, START));
    return { ...wrapV1(client), pid: () => transport.pid, stderr: () => log };
  }
  const transport = new StdioClientTransport(parameters);
  listen(transport.stderr as NodeJS.EventEmitter | null);
  const client = createV2(kind);
  await connect(client.connect(transport, START));
  return { ...wrapV2(client), pid: () => transport.pid, stderr: () => log };
}

/** A real client of each generation, over HTTP; with a token where one is needed. */
export async function connectHttp(kind: ClientKind, url: string, token?: string): Promise<McpClient> {
  const options =
    token === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
  if (kind === "v1") {
    const client = createV1();
    // Its types were written before `exactOptionalPropertyTypes`.
    await client.connect(new HttpClientTransportV1(new URL(url), options) as never);
    return wrapV1(client);
  }
  const client = createV2(kind);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  return wrapV2(client);
}

/**
 * A real client of each generation that signs in by itself (its own `auth()`), with what the provider keeps.
 * `connect` rejects where the person must be asked first; then `finish` takes the address they came back to.
 */
export function createOAuthClient(kind: ClientKind, url: string, provider: OAuthClientProvider) {
  let finish = async (_: URL): Promise<void> => {
    throw new Error("Nothing was begun.");
  };
  const connect = async (): Promise<McpClient> => {
    if (kind === "v1") {
      // The provider of the newer generation is one of the older, but for types that it cannot know.
      const transport = new HttpClientTransportV1(new URL(url), { authProvider: provider as never });
      finish = (landed) => transport.finishAuth(landed.searchParams.get("code") ?? "");
      const client = createV1();
      await client.connect(transport as never);
      return wrapV1(client);
    }
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
    finish = (landed) => transport.finishAuth(landed.searchParams);
    const client = createV2(kind);
    await client.connect(transport);
    return wrapV2(client);
  };
  return { connect, finish: (landed: URL) => finish(landed) };
}

/** Compiles the schema of a tool once for all clients: each one would compile those of all tools. */
function compileOnce<T extends { getValidator(schema: object): unknown }>(validator: T): T {
  const compile = validator.getValidator.bind(validator);
  const compiled = new Map<string, unknown>();
  const getValidator = (schema: object) => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text) ?? compile(schema);
    compiled.set(text, known);
    return known;
  };
  return Object.assign(validator, { getValidator });
}

const validatorV1 = compileOnce(new AjvJsonSchemaValidatorV1());
const createV1 = () => new ClientV1({ name: "test", version: "1" }, { jsonSchemaValidator: validatorV1 });

const validatorV2 = compileOnce(new AjvJsonSchemaValidator());
function createV2(kind: Exclude<ClientKind, "v1">): Client {
  const versionNegotiation = modes[kind];
  return new Client(
    { name: "test", version: "1" },
    { jsonSchemaValidator: validatorV2, ...(versionNegotiation && { versionNegotiation }) },
  );
}

function wrapV1(client: ClientV1): McpClient {
  return {
    listTools: () => client.listTools() as never,
    callTool: (name, input = {}, signal, onprogress) =>
      client.callTool({ name, arguments: input }, undefined, {
        ...(signal && { signal }),
        ...(onprogress && { onprogress }),
      }) as never,
    listResources: () => client.listResources() as never,
    listTemplates: () => client.listResourceTemplates() as never,
    readResource: (uri) => client.readResource({ uri }) as never,
    listPrompts: () => client.listPrompts() as never,
    getPrompt: (name, input = {}) => client.getPrompt({ name, arguments: input }) as never,
    complete: async (ref, name, value) =>
      (await client.complete({ ref: ref as never, argument: { name, value } })).completion.values,
    instructions: () => client.getInstructions(),
    serverInfo: () => client.getServerVersion(),
    capabilities: () => client.getServerCapabilities(),
    close: () => client.close(),
  };
}

function wrapV2(client: Client): McpClient {
  return {
    listTools: () => client.listTools() as never,
    callTool: (name, input = {}, signal, onprogress) =>
      client.callTool(
        { name, arguments: input },
        { ...(signal && { signal }), ...(onprogress && { onprogress }) },
      ) as never,
    listResources: () => client.listResources() as never,
    listTemplates: () => client.listResourceTemplates() as never,
    readResource: (uri) => client.readResource({ uri }) as never,
    listPrompts: () => client.listPrompts() as never,
    getPrompt: (name, input = {}) => client.getPrompt({ name, arguments: input }) as never,
    complete: async (ref, name, value) =>
      (await client.complete({ ref: ref as never, argument: { name, value } })).completion.values,
    instructions: () => client.getInstructions(),
    serverInfo: () => client.getServerVersion(),
    capabilities: () => client.getServerCapabilities(),
    close: () => client.close(),
  };
}

/** A v2 client in this process on the real stdio server, over the reference API at a clock that the test moves. */
export async function connectInProcess(
  options: {
    fetch?: Fetch;
    key?: string;
    demo?: boolean;
    callsPerMinute?: number;
    hasShell?: boolean;
    /** In place of calls to the reference API. */
    call?: Call;
    about?: About;
  } = {},
) {
  const { api, time } = createTestApi();
  const fetch: Fetch = options.fetch ?? (async (url, init) => api(new Request(url, init)));
  const apiKey = options.key ?? DEMO_KEY;
  const { call } = createHttpClient({
    readTarget: () => ({ baseUrl: "https://stats.example.test/api/v1", apiKey, fetch }),
    clock: () => time.now,
    limits: { firstBackoff: 1 },
  });
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  let lastFrame = "";
  toClient.on("data", (chunk) => {
    lastFrame = String(chunk);
  });
  const served = serveStdio({
    stdin: toServer,
    stdout: toClient,
    call: options.call ?? call,
    version: "0.0.0",
    admit: createRateLimit(options.callsPerMinute ?? 100_000, () => time.now),
    about: options.about ?? (options.demo ? demo.about : { label: "a test" }),
    options: options.hasShell === false ? undefined : options.demo ? ["--demo"] : [],
    onFault: (fault) => {
      throw fault;
    },
  });
  const client = createV2("v2 auto");
  await client.connect(new StdioServerTransport(toClient, toServer));
  const close = async () => {
    await client.close();
    toServer.end();
    await served;
  };
  return { ...wrapV2(client), close, time, lastFrame: () => lastFrame };
}
