import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpRequestContext,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** What the official conformance suite wants a server to offer, so that each of its scenarios can be run. */

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const states = createRequestStateCodec<{ round: number }>({ key: "conformance".padEnd(32, "!") });

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

export function createFixtureServer({ era }: Pick<McpRequestContext, "era">): McpServer {
  const server = new McpServer(
    { name: "conformance-fixtures", version: "0.0.0" },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { listChanged: false, ...(era === "legacy" && { subscribe: true }) },
        completions: {},
        logging: {},
      },
      requestState: { verify: states.verify },
      cacheHints: {
        "tools/list": { ttlMs: 1_000, cacheScope: "public" },
        "prompts/list": { ttlMs: 1_000, cacheScope: "public" },
        "resources/list": { ttlMs: 1_000, cacheScope: "public" },
        "resources/templates/list": { ttlMs: 1_000, cacheScope: "public" },
        "resources/read": { ttlMs: 1_000, cacheScope: "private" },
      },
    },
  );
  registerContent(server);
  registerNotifications(server);
  registerQuestions(server);
  registerRounds(server);
  registerResources(server);
  registerPrompts(server);
  if (era === "legacy") {
    server.server.setRequestHandler("resources/subscribe", () => ({}));
    server.server.setRequestHandler("resources/unsubscribe", () => ({}));
  }
  return server;
}

function registerContent(server: McpServer): void {
  const tool = (name: string, answer: () => ReturnType<typeof text> | object) =>
    server.registerTool(name, { description: name }, async () => answer() as ReturnType<typeof text>);
  tool("test_simple_text", () => text("This is a simple text response for testing."));
  tool("test_image_content", () => ({ content: [image] }));
  tool("test_audio_content", () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }));
  tool("test_embedded_resource", () => ({
    content: [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }));
  tool("test_multiple_content_types", () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: JSON.stringify({ test: "data", value: 123 }),
        },
      },
    ],
  }));
  tool("test_error_handling", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function registerNotifications(server: McpServer): void {
  const log = async (context: ServerContext) => {
    for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await context.mcpReq.log("info", data);
      await pause();
    }
    return text("logged");
  };
  server.registerTool("test_tool_with_logging", { description: "Logs." }, log);
  server.registerTool("test_logging_tool", { description: "Logs where the client wants it." }, log);
  server.registerTool("test_tool_with_progress", { description: "Tells its progress." }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) {
        await context.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      }
      await pause();
    }
    return text(String(progressToken ?? "done"));
  });
}

/** The ways to ask a person: on the current revision as a result to come back with, before it as a request. */
function registerQuestions(server: McpServer): void {
  const elicit = (name: string, requestedSchema: object) =>
    server.registerTool(name, { description: name }, async (context) => {
      const response = inputResponse(context.mcpReq.inputResponses, "answer");
      if (response.kind === "elicit") {
        return text(
          `Elicitation completed: action=${response.action}, content=${JSON.stringify(response.content ?? {})}`,
        );
      }
      return inputRequired({
        inputRequests: {
          answer: inputRequired.elicit({
            message: "Please answer",
            requestedSchema: requestedSchema as never,
          }),
        },
      });
    });
  server.registerTool(
    "test_elicitation",
    { description: "Asks a person.", inputSchema: z.object({ message: z.string() }) },
    async ({ message }, context) => {
      const response = inputResponse(context.mcpReq.inputResponses, "user");
      if (response.kind === "elicit") {
        return text(`User response: ${response.action}, ${JSON.stringify(response.content ?? {})}`);
      }
      const requestedSchema = z.object({
        username: z.string().describe("User's response"),
        email: z.string().describe("User's email address"),
      });
      return inputRequired({ inputRequests: { user: inputRequired.elicit({ message, requestedSchema }) } });
    },
  );
  server.registerTool(
    "test_sampling",
    { description: "Asks a model.", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, context) => {
      const response = inputResponse(context.mcpReq.inputResponses, "model");
      if (response.kind === "sampling")
        return text(`LLM response: ${JSON.stringify(response.result.content)}`);
      return inputRequired({ inputRequests: { model: sample(prompt, 100) } });
    },
  );
  elicit("test_streaming_elicitation", { type: "object", properties: { ok: { type: "boolean" } } });
  elicit("test_elicitation_sep1034_defaults", {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  });
  const options = ["option1", "option2", "option3"];
  const titled = (title: string) =>
    ["First", "Second", "Third"].map((each, index) => ({
      const: `value${index + 1}`,
      title: `${each} ${title}`,
    }));
  elicit("test_elicitation_sep1330_enums", {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled("Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
    },
  });
  // A client that did not declare sampling is refused by the SDK, with what it lacks.
  server.registerTool("test_missing_capability", { description: "Needs a model." }, async () =>
    inputRequired({ inputRequests: { model: sample("Are you there?", 10) } }),
  );
}

const sample = (prompt: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens,
  });

const capabilitiesOf = (context: ServerContext) =>
  Object(Reflect.get(Object(context.mcpReq.envelope), CLIENT_CAPABILITIES_META_KEY)) as Record<
    string,
    unknown
  >;

const askName = (message: string) =>
  inputRequired.elicit({ message, requestedSchema: z.object({ name: z.string() }) });

/** Answers that take several rounds (the revision of 2026-07-28, basic/patterns/mrtr). */
function registerRounds(server: McpServer): void {
  const tool = (name: string, answer: (context: ServerContext) => unknown) =>
    server.registerTool(name, { description: name }, async (context) => (await answer(context)) as never);
  const prefix = "test_input_required_result";

  tool(`${prefix}_elicitation`, ({ mcpReq }) => {
    const user = acceptedContent(mcpReq.inputResponses, "user_name", z.object({ name: z.string() }));
    if (user) return text(`Hello, ${user.name}!`);
    return inputRequired({ inputRequests: { user_name: askName("What is your name?") } });
  });
  tool(`${prefix}_sampling`, ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, "capital_question");
    if (response.kind === "sampling") return text(JSON.stringify(response.result.content));
    return inputRequired({
      inputRequests: { capital_question: sample("What is the capital of France?", 100) },
    });
  });
  tool(`${prefix}_list_roots`, ({ mcpReq }) => {
    const response = inputResponse(mcpReq.inputResponses, "client_roots");
    if (response.kind === "roots") return text(response.roots.map((root) => root.uri).join(" "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  const confirm = inputRequired.elicit({
    message: "Please confirm",
    requestedSchema: z.object({ ok: z.boolean() }),
  });
  for (const name of ["request_state", "tampered_state"]) {
    tool(`${prefix}_${name}`, async ({ mcpReq }) => {
      if (mcpReq.requestState<{ round: number }>()?.round === 1) return text("state-ok");
      return inputRequired({ inputRequests: { confirm }, requestState: await states.mint({ round: 1 }) });
    });
  }
  tool(`${prefix}_multiple_inputs`, async ({ mcpReq }) => {
    if (mcpReq.requestState<{ round: number }>()?.round === 1) return text("All inputs are there.");
    return inputRequired({
      inputRequests: {
        user_name: askName("What is your name?"),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({ round: 1 }),
    });
  });
  tool(`${prefix}_multi_round`, async ({ mcpReq }) => {
    const round = mcpReq.requestState<{ round: number }>()?.round ?? 0;
    if (round >= 2) return text("Three rounds are done.");
    const question =
      round === 0
        ? { step1: askName("Step 1: What is your name?") }
        : {
            step2: inputRequired.elicit({
              message: "Step 2: What is your favorite color?",
              requestedSchema: z.object({ color: z.string() }),
            }),
          };
    return inputRequired({ inputRequests: question, requestState: await states.mint({ round: round + 1 }) });
  });
  tool(`${prefix}_capabilities`, (context) => {
    const { sampling, elicitation } = capabilitiesOf(context);
    return inputRequired({
      inputRequests: {
        ...(sampling !== undefined && { greeting: sample("Generate a greeting", 50) }),
        ...(elicitation !== undefined && { user_name: askName("What is your name?") }),
      },
    });
  });
}

function registerResources(server: McpServer): void {
  server.registerResource(
    "static text",
    "test://static-text",
    { description: "A text.", mimeType: "text/plain" },
    (uri) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "text/plain",
          text: "This is the content of the static text resource.",
        },
      ],
    }),
  );
  server.registerResource(
    "static binary",
    "test://static-binary",
    { description: "A picture.", mimeType: "image/png" },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: "image/png", blob: PNG }] }),
  );
  server.registerResource(
    "watched",
    "test://watched-resource",
    { description: "Can be subscribed to.", mimeType: "text/plain" },
    (uri) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: "unchanged" }] }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "One for each id.", mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
}

function registerPrompts(server: McpServer): void {
  const user = (content: object) => ({
    role: "user" as const,
    content: content as { type: "text"; text: string },
  });
  const say = (value: string) => user({ type: "text", text: value });
  server.registerPrompt("test_simple_prompt", { description: "A prompt." }, () => ({
    messages: [say("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with arguments.",
      argsSchema: z.object({
        arg1: completable(z.string().describe("First"), (value) =>
          ["paris", "park", "party"].filter((each) => each.startsWith(value)),
        ),
        arg2: z.string().describe("Second"),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [say(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource.",
      argsSchema: z.object({ resourceUri: z.string().describe("Which resource") }),
    },
    ({ resourceUri }) => ({
      messages: [
        user({
          type: "resource",
          resource: {
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        }),
        say("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A prompt with a picture." }, () => ({
    messages: [user(image), say("Please analyze the image above.")],
  }));
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "A prompt that asks first." },
    ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, "user_context", z.object({ context: z.string() }));
      if (given) return { messages: [say(given.context)] };
      return inputRequired({
        inputRequests: {
          user_context: inputRequired.elicit({
            message: "What context should the prompt use?",
            requestedSchema: z.object({ context: z.string() }),
          }),
        },
      });
    },
  );
}
