import { Agent } from "node:http";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { startProgram } from "../test/support/processes.ts";
import type { Figures } from "./figures.ts";
import { createSpeaker } from "./mcp.ts";
import type { Organization } from "./organizations.ts";
import { type Asked, catalogue, type createTruth, judge } from "./truth.ts";

export interface StdioOptions {
  /** The analytics service. */
  origin: string;
  organization: Organization;
  generation: "current" | "before";
  truth: ReturnType<typeof createTruth>;
  figures: Figures;
  isOver: () => boolean;
  /** Milliseconds between two actions, on average. */
  pause: number;
  mayFail: (began: number) => boolean;
}

type Message = Record<string, unknown> & { result?: Record<string, unknown>; error?: unknown };

const MINUTE_MS = 60_000;
/** How many calls a client makes at the same time. */
const PARALLEL = 8;
const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
/** Frames that are invalid or useless to the server. Their ids are not numbers, because nothing waits for an answer. */
const MALFORMED = [
  "",
  "{",
  "null",
  "[]",
  "\xff\xfe\x00",
  "x".repeat(100_000),
  "[".repeat(10_000),
  '{"jsonrpc":"1.0","id":"bad","method":"tools/list"}',
  '{"jsonrpc":"2.0","id":"bad"}',
  '{"jsonrpc":"2.0","id":"bad","result":{}}',
  '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":"bad","method":"no/such"}',
  '{"jsonrpc":"2.0","id":"bad","method":"tools/call","params":[]}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}',
  '[{"jsonrpc":"2.0","id":"bad","method":"tools/list"}]',
];

// The lists are never empty, so there is an element at every index drawn.
const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
const draw = (most: number) => 1 + Math.floor(Math.random() * most);

/** A call out of so many that no cache holds all their answers. */
function drawCall(): Asked {
  const { tool, args } = pick(catalogue);
  const drawn = { days: draw(60), limit: draw(30) };
  const others = Object.entries(drawn).filter(([name]) => name in args);
  return { tool, args: { ...args, ...Object.fromEntries(others) } };
}

/** The server on stdio, and a client that sends it all kinds of requests, some of them nonsense. */
export async function startStdio(options: StdioOptions) {
  const { organization, generation, truth, figures, isOver, mayFail } = options;
  const env = {
    ANALYTICS_API_KEY: organization.key,
    ANALYTICS_BASE_URL: options.origin,
    ANALYTICS_CALLS_PER_MINUTE: "1000000",
  };
  const args = ["--inspect=127.0.0.1:0", "bin/analytics-mcp.js"];
  const { child, output, stop } = await startProgram(process.execPath, args, env, "Debugger listening on");
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error("The server has no pipes.");
  const { write } = createSpeaker(new Agent(), "", generation);
  const pending = new Map<unknown, (message: Message) => void>();
  const takenBack = new Set<unknown>();
  let last = 0;

  createInterface({ input: stdout }).on("line", (line) => {
    const message: Message = JSON.parse(line);
    const answered = pending.get(message.id);
    if (answered) {
      pending.delete(message.id);
      answered(message);
    } else if (typeof message.id === "number" && !takenBack.delete(message.id)) {
      figures.fault("an answer that nothing waits for", line);
    }
  });

  const notify = (method: string, params = {}) => stdin.write(`${write("", { method, params }).body}\n`);
  const ask = (id: number, method: string, params: Record<string, unknown>) =>
    new Promise<Message>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("No answer within a minute.")), MINUTE_MS);
      pending.set(id, (message) => {
        clearTimeout(timer);
        resolve(message);
      });
      stdin.write(`${write("", { id, method, params }).body}\n`);
    });
  const request = (kind: string, method: string, params: Record<string, unknown> = {}) =>
    figures.time(`stdio: ${kind}`, () => ask(++last, method, params));
  const expectError = (kind: string, message: Message | undefined) => {
    if (message?.error || message?.result?.isError) figures.expected(`${kind} is refused`);
    else figures.fault(`${kind} is not refused`, JSON.stringify(message));
  };

  const callTool = async ({ tool, args } = drawCall()) => {
    const expected = await truth.read(organization, { tool, args });
    const site = tool === "list_sites" ? {} : pick([{ site: organization.site }, {}]);
    const began = performance.now();
    const message = await request(tool, "tools/call", { name: tool, arguments: { ...site, ...args } });
    if (!message) return;
    const { result, error } = message;
    if (!result) return figures.fault(`${tool}: a protocol error`, JSON.stringify(error));
    judge({ tool, result, expected, organization, figures, mayFail: mayFail(began) });
  };
  const list = async () => {
    const method = pick(LISTS);
    const message = await request(method, method);
    if (message && !message.result) figures.fault(`${method} is refused`, JSON.stringify(message));
  };
  const describeApi = async () => {
    const began = performance.now();
    const message = await request("get_openapi", "tools/call", { name: "get_openapi", arguments: {} });
    if (message?.result?.isError && mayFail(began)) figures.expected("an error while the service failed");
    else if (message && (!message.result || message.result.isError))
      figures.fault("get_openapi: an error", JSON.stringify(message));
  };
  const askForNothing = async () => {
    expectError("an unknown tool", await request("an unknown tool", "tools/call", { name: "get_nothing" }));
    const wrong = { name: "get_stats", arguments: { days: -1, colour: "red" } };
    expectError("a wrong argument", await request("a wrong argument", "tools/call", wrong));
    expectError("an unknown method", await request("an unknown method", "get/nothing"));
  };
  const breakFrames = async () => {
    for (let count = draw(5); count > 0; count--) stdin.write(`${pick(MALFORMED)}\n`, "latin1");
    figures.expected("invalid frames are survived");
  };
  const takeBack = async () => {
    const id = ++last;
    const { tool, args } = drawCall();
    takenBack.add(id);
    stdin.write(`${write("", { id, method: "tools/call", params: { name: tool, arguments: args } }).body}\n`);
    await wait(Math.random() * 60);
    notify("notifications/cancelled", { requestId: id, reason: "no longer needed" });
    figures.expected("a request on stdio was cancelled");
  };
  const burst = async () => {
    const same = drawCall();
    await Promise.all(Array.from({ length: 12 }, (_, index) => callTool(index % 2 ? same : drawCall())));
  };
  const actions = [
    list,
    list,
    list,
    describeApi,
    askForNothing,
    breakFrames,
    breakFrames,
    takeBack,
    takeBack,
    burst,
    ...Array.from({ length: 24 }, () => () => callTool()),
  ];
  let acted = 0;

  if (generation === "before") {
    const clientInfo = { name: "soak", version: "1" };
    await ask(++last, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    notify("notifications/initialized");
  }
  const hand = async () => {
    while (!isOver()) {
      await wait(Math.random() * 2 * options.pause * PARALLEL);
      // Each at least once, however short the run.
      await (actions[acted++] ?? pick(actions))();
    }
  };
  return {
    pid: child.pid ?? 0,
    inspector: /ws:\S+/.exec(output.stderr)?.[0] ?? "",
    live: () => Promise.all(Array.from({ length: PARALLEL }, hand)),
    /** Closes the input, as a client does. The output must contain neither secrets nor warnings from Node. */
    close: async () => {
      const ended = new Promise((resolve) => child.once("close", resolve));
      stdin.end();
      const code = await ended;
      if (code !== 0) figures.fault(`stdio ended with ${code}`, output.stderr.slice(-500));
      const [warning] = /^.*(Warning:|this is a bug|unhandled).*$/im.exec(output.stderr) ?? [];
      if (warning !== undefined) figures.fault("a warning on stderr", warning);
      if (`${output.stderr}${output.stdout}`.includes(organization.key))
        figures.fault("the key was shown", "");
    },
    kill: () => child.exitCode === null && stop("SIGKILL"),
  };
}
