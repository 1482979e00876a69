import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { scrubbed } from "./environment.ts";

/** An MCP server in its own process, after a client has listed its tools. */
export interface StdioServer {
  pid: number;
  tools: readonly Record<string, unknown>[];
  /** Throws if the tool or the protocol reports an error. */
  call(name: string, args: Record<string, unknown>): Promise<unknown>;
  /** Closes the server's input, as clients do, and kills the server if it does not exit. */
  close(): Promise<void>;
}

const PATIENCE_MS = 30_000;
const GRACE_MS = 2_000;

/** As Claude Code opens a session: it asks for resources before tools, and numbers each call for its progress. */
const initialize = {
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: { roots: {}, elicitation: {} },
    clientInfo: { name: "claude-code", version: "2.1.0" },
  },
};
const lists = [
  { method: "notifications/initialized" },
  { id: 3, method: "resources/list" },
  { id: 2, method: "tools/list" },
];
const describeCall = (id: number) => ({ "claudecode/toolUseId": `toolu_${id}`, progressToken: id });

/** Resolves when the tools are listed. */
export async function openStdio(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<StdioServer> {
  // A separate process group: a launcher such as npx leaves processes behind if only it is killed.
  const child = spawn(command, args, {
    env: { ...scrubbed, ...env },
    stdio: "pipe",
    detached: true,
    // Not in the project, because npx would use its packages.
    cwd: tmpdir(),
  });
  const exit = once(child, "close");
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has exited meanwhile.
    }
  };
  const answers = new Map<number, (message: Message) => void>();
  let [said, id] = ["", 3];
  child.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(0, 1_000);
  });
  // A write to a process that has exited is reported by its exit.
  child.stdin.on("error", () => {});
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const message: Message = JSON.parse(line);
    answers.get(message.id)?.(message);
    answers.delete(message.id);
  });
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const over = exit.then(() => {
    throw new Error(`${command} ${args.join(" ")} has ended.\n${said}`);
  });
  over.catch(() => {});
  const wait = (of: number) =>
    Promise.race([over, new Promise<Message>((resolve) => answers.set(of, resolve))]);

  const timer = setTimeout(kill, PATIENCE_MS);
  const listTools = async () => {
    write(initialize);
    await wait(1);
    for (const message of lists) write(message);
    return wait(2);
  };
  const { result } = await listTools().finally(() => clearTimeout(timer));
  if (!(result?.tools && result.tools.length > 0)) throw new Error("It lists no tools.");
  return {
    pid: child.pid ?? 0,
    tools: result.tools,
    call: async (name, args) => {
      id++;
      write({ id, method: "tools/call", params: { name, arguments: args, _meta: describeCall(id) } });
      const message = await wait(id);
      if (message.result === undefined || message.result.isError) {
        throw new Error(`${name} ${JSON.stringify(args)}: ${JSON.stringify(message)}`);
      }
      return message.result;
    },
    close: async () => {
      child.stdin.end();
      const late = setTimeout(kill, GRACE_MS);
      await exit;
      clearTimeout(late);
    },
  };
}

interface Message {
  id: number;
  result?: { tools?: Record<string, unknown>[]; isError?: boolean };
}
