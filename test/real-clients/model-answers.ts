/** What the stand-in model says in one turn: it calls a tool, or it ends with a sentence. */
export type Turn = { call: { id: string; name: string; args: Json } } | { text: string };

/** What came back from a call, as the client hands it to the model. */
export interface Result {
  id: string;
  text: string;
}

export type Json = { [name: string]: unknown };

/** One of the wire formats that models speak. */
export interface WireFormat {
  matches(path: string): boolean;
  /** The names of the tools that the client offers. */
  listTools(request: Json): string[];
  findResults(request: Json): Result[];
  answer(request: Json, turn: Turn, path: string): Stream | Json;
}

/** Server-sent events, for a client that asked for a stream. */
export interface Stream {
  events: Json[];
  /** Each event has its `type` as its name. */
  areNamed?: boolean;
  /** The text of a last event. */
  end?: string;
}

const MODEL = "stand-in";
const list = (value: unknown): Json[] => (Array.isArray(value) ? value : []);
const readResult = (id: unknown, content: unknown): Result => ({
  id: String(id),
  text: JSON.stringify(content),
});
const nameOf = (value: unknown) => String((value as Json | undefined)?.name ?? "");

/** Anthropic's Messages API: https://docs.anthropic.com/en/api/messages-streaming */
const messages: WireFormat = {
  matches: (path) => path.endsWith("/v1/messages"),
  listTools: ({ tools }) => list(tools).map(nameOf),
  findResults: (request) =>
    list(request.messages)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id, content }) => readResult(tool_use_id, content)),
  answer: (request, turn) => {
    const block =
      "call" in turn
        ? { type: "tool_use", id: turn.call.id, name: turn.call.name, input: turn.call.args }
        : { type: "text", text: turn.text };
    const usage = { input_tokens: 10, output_tokens: 10 };
    const stop_reason = "call" in turn ? "tool_use" : "end_turn";
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: MODEL,
      stop_sequence: null,
      usage,
    };
    if (request.stream !== true) return { ...message, content: [block], stop_reason };
    const delta =
      "call" in turn
        ? { type: "input_json_delta", partial_json: JSON.stringify(turn.call.args) }
        : { type: "text_delta", text: turn.text };
    const start = "call" in turn ? { ...block, input: {} } : { type: "text", text: "" };
    return {
      areNamed: true,
      events: [
        { type: "message_start", message: { ...message, content: [], stop_reason: null } },
        { type: "content_block_start", index: 0, content_block: start },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
        { type: "message_stop" },
      ],
    };
  },
};

/** OpenAI's Responses API: https://platform.openai.com/docs/api-reference/responses-streaming */
const responses: WireFormat = {
  matches: (path) => path.endsWith("/responses"),
  // Codex groups the tools of a server in a namespace.
  listTools: ({ tools }) => list(tools).flatMap((tool) => [nameOf(tool), ...list(tool.tools).map(nameOf)]),
  findResults: ({ input }) =>
    list(input)
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output }) => readResult(call_id, output)),
  answer: (request, turn) => {
    const item =
      "call" in turn
        ? {
            type: "function_call",
            id: "fc_1",
            call_id: turn.call.id,
            status: "completed",
            name: turn.call.name,
            arguments: JSON.stringify(turn.call.args),
            ...findNamespace(request, turn.call.name),
          }
        : {
            type: "message",
            id: "msg_1",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: turn.text, annotations: [] }],
          };
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
    const response = {
      id: "resp_1",
      object: "response",
      model: MODEL,
      status: "completed",
      output: [item],
      usage,
    };
    if (request.stream !== true) return response;
    return {
      areNamed: true,
      events: [
        { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response },
      ],
    };
  },
};

function findNamespace({ tools }: Json, name: string): { namespace?: string } {
  const group = list(tools).find((tool) => list(tool.tools).some((each) => nameOf(each) === name));
  return group === undefined ? {} : { namespace: nameOf(group) };
}

/** OpenAI's Chat Completions: https://platform.openai.com/docs/api-reference/chat-streaming */
const completions: WireFormat = {
  matches: (path) => path.endsWith("/chat/completions"),
  listTools: ({ tools }) => list(tools).map((tool) => nameOf(tool.function)),
  findResults: (request) =>
    list(request.messages)
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id, content }) => readResult(tool_call_id, content)),
  answer: (request, turn) => {
    const call = ({ id, name, args }: { id: string; name: string; args: Json }) => [
      { index: 0, id, type: "function", function: { name, arguments: JSON.stringify(args) } },
    ];
    const said =
      "call" in turn
        ? { role: "assistant", content: null, tool_calls: call(turn.call) }
        : { role: "assistant", content: turn.text };
    const finish_reason = "call" in turn ? "tool_calls" : "stop";
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    const common = { id: "chat_1", created: 1, model: MODEL };
    if (request.stream !== true) {
      const choices = [{ index: 0, message: said, finish_reason }];
      return { ...common, object: "chat.completion", choices, usage };
    }
    const chunk = { ...common, object: "chat.completion.chunk" };
    return {
      end: "[DONE]",
      events: [
        { ...chunk, choices: [{ index: 0, delta: said, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }], usage },
      ],
    };
  },
};

/** Gemini's generateContent: https://ai.google.dev/api/generate-content */
const gemini: WireFormat = {
  matches: (path) => /:(streamGenerateContent|generateContent)$/.test(path),
  listTools: ({ tools }) => list(tools).flatMap((tool) => list(tool.functionDeclarations).map(nameOf)),
  findResults: ({ contents }) =>
    list(contents)
      .flatMap(({ parts }) => list(parts))
      .flatMap(({ functionResponse }) => list([functionResponse ?? []].flat()))
      .map(({ id, response }) => readResult(id, response)),
  answer: (_request, turn, path) => {
    const part = "call" in turn ? { functionCall: turn.call } : { text: turn.text };
    const document = {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: MODEL,
    };
    return path.endsWith(":streamGenerateContent") ? { events: [document] } : document;
  },
};

export const wireFormats: readonly WireFormat[] = [messages, responses, completions, gemini];
