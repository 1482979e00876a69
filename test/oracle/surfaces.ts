import { listen } from "../../src/api/listen.ts";
import { type createTestApi, DEMO_KEY } from "../support/api.ts";
import { connectInProcess, type ToolResult } from "../support/clients.ts";
import { runShell } from "../support/shell.ts";

type TestApi = ReturnType<typeof createTestApi>;
export type Surfaces = Awaited<ReturnType<typeof openSurfaces>>;

const WIDTH = 200;

/** Every way to query a service: its API over HTTP, the MCP tools, the shell commands. */
export async function openSurfaces() {
  let asked: TestApi | undefined;
  const chosen = () => {
    if (!asked) throw new Error("No service was chosen.");
    return asked;
  };
  const server = await listen((request) => chosen().reference(request), "127.0.0.1", 0);
  const tools = await connectInProcess({ fetch: async (url, init) => chosen().api(new Request(url, init)) });
  const environment = { ANALYTICS_BASE_URL: server.origin, ANALYTICS_API_KEY: DEMO_KEY };
  // An idle connection may be closed just when it is used again, and nothing here retries.
  const headers = { Authorization: `Bearer ${DEMO_KEY}`, Connection: "close" };

  const shell = async (argv: string[], options: { isTTY?: boolean } = {}) => {
    const { code, stdout, stderr } = await runShell(argv, {
      environment: { ...environment, NO_COLOR: "1" },
      columns: WIDTH,
      rows: 1_000,
      ...options,
      clock: () => chosen().time.now,
    });
    if (code !== 0) throw new Error(`${argv.join(" ")} ends with ${code}: ${stderr}`);
    return stdout;
  };
  return {
    /** Sets the service that is queried from now on. */
    choose: (api: TestApi) => {
      asked = api;
      // The tools' HTTP client must forget the other service.
      tools.time.now += 86_400_000;
    },
    api: async (path: string, params: object = {}): Promise<Record<string, unknown>> => {
      const query = new URLSearchParams(
        Object.entries(params).flatMap(([name, value]) =>
          [value].flat().map((each): [string, string] => [name, `${each}`]),
        ),
      );
      const response = await fetch(`${server.origin}/api/v1${path}?${query}`, { headers });
      const body = (await response.json()) as Record<string, unknown>;
      if (response.status !== 200) throw new Error(`${path} answers ${response.status}: ${body.detail}`);
      return body;
    },
    tool: async (name: string, input: object) => {
      const { content, structuredContent, isError }: ToolResult = await tools.callTool(name, { ...input });
      const text = content[0]?.text ?? "";
      if (isError || !structuredContent) throw new Error(`${name} refuses ${JSON.stringify(input)}: ${text}`);
      return { text, structured: structuredContent };
    },
    shell: (command: string, params: object, format: string[], options: { isTTY?: boolean } = {}) => {
      const given = Object.entries(params).flatMap(([name, value]) =>
        [value].flat().flatMap((each) => [`--${name}`, String(each)]),
      );
      return shell([command, ...given, ...format], options);
    },
    close: async () => {
      await tools.close();
      await server.close();
    },
  };
}
