import { type McpClient, needsKey } from "../mcp-client.ts";
import { buildStdio, KEY } from "../server-command.ts";
import type { Members, ServerSpec } from "../server-spec.ts";

/** https://code.visualstudio.com/docs/agents/reference/mcp-configuration: `servers`, and `inputs`, which it asks for once. */
export const vsCode: McpClient = {
  id: "vs-code",
  title: "VS Code",
  aliases: ["vscode", "code", "github-copilot", "visual-studio-code"],
  format: "json",
  at: "servers",
  places: {
    macos: "~/Library/Application Support/Code/User/mcp.json",
    windows: "%APPDATA%\\Code\\User\\mcp.json",
    linux: "~/.config/Code/User/mcp.json",
  },
  alsoIn: [".vscode/mcp.json"],
  isRemote: true,
  isWritable: true,
  keyFrom: "a prompt",
  buildEntry,
  buildInputs,
  notes: (spec) => [
    "In VS Code: MCP: List Servers, choose the server, Start. For a single project, use .vscode/mcp.json.",
    ...(spec.server.kind === "remote" ? ["It opens the browser to sign in when the server starts."] : []),
    ...(needsKey(spec) ? ["It asks for the key when the server first starts, and keeps it."] : []),
  ],
  // code --add-mcp does not support inputs: the references to them would stay unexpanded.
  buildShellCommand: (spec) =>
    needsKey(spec)
      ? undefined
      : `code --add-mcp '${JSON.stringify({ name: spec.name, ...buildEntry(spec) })}'`,
  buildLink: (spec) => {
    const inputs = buildInputs(spec);
    const server = { name: spec.name, ...(inputs.length === 0 ? {} : { inputs }), ...buildEntry(spec) };
    return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
  },
};

function buildEntry(spec: ServerSpec): Members {
  return spec.server.kind === "remote"
    ? { type: "http", url: spec.server.url }
    : { type: "stdio", ...buildStdio(spec, (name) => `\${input:${idOf(spec, name)}}`) };
}

function buildInputs(spec: ServerSpec): Members[] {
  if (!needsKey(spec) || spec.server.kind === "remote") return [];
  const key: Members = {
    type: "promptString",
    id: idOf(spec, KEY),
    description: "API key of your analytics service",
    password: true,
  };
  const address: Members = {
    type: "promptString",
    id: idOf(spec, "url"),
    description: "Address of your analytics service, such as https://stats.example.com",
  };
  return spec.server.baseUrl === undefined ? [key, address] : [key];
}

const idOf = ({ name }: ServerSpec, variable: string) => `${name}-${variable === KEY ? "key" : "url"}`;
