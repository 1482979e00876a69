import type { McpClient } from "../mcp-client.ts";
import { buildStdio, KEY, type Program } from "../server-command.ts";
import { type Members, needsKey, type ServerSpec } from "../server-spec.ts";

/** https://code.visualstudio.com/docs/agents/reference/mcp-configuration: `servers`, and `inputs`, which it asks for once. */
export const vsCode: McpClient = {
  id: "vs-code",
  title: "VS Code",
  aliases: ["vscode", "code", "github-copilot", "visual-studio-code"],
  format: "json",
  serversKey: "servers",
  file: {
    macos: "~/Library/Application Support/Code/User/mcp.json",
    windows: "%APPDATA%\\Code\\User\\mcp.json",
    linux: "~/.config/Code/User/mcp.json",
  },
  otherFiles: [".vscode/mcp.json"],
  isWritable: true,
  key: { from: "a prompt", refer: (variable, server) => `\${input:${nameInput(server, variable)}}` },
  buildRemote,
  buildLocal,
  buildInputs,
  notes: [
    "In VS Code, run `MCP: List Servers`, choose the server, then Start. For a single project, use `.vscode/mcp.json`.",
    { remote: "It opens the browser to sign in when the server starts." },
    { key: "It asks for the key when the server first starts, and keeps it." },
  ],
  commandForRemote: (name, url) => addFromShell(name, buildRemote(url)),
  // code --add-mcp does not support inputs: the references to them would stay unexpanded.
  commandForLocal: (name, program) =>
    Object.keys(program.env).length > 0 ? undefined : addFromShell(name, buildLocal(program)),
  buildLink: ({ name, inputs, value }) => {
    const server = { name, ...(inputs.length > 0 && { inputs }), ...value };
    return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
  },
};

function buildRemote(url: string): Members {
  return { type: "http", url };
}

function buildLocal(program: Program): Members {
  return { type: "stdio", ...buildStdio(program) };
}

const addFromShell = (name: string, entry: Members) =>
  `code --add-mcp '${JSON.stringify({ name, ...entry })}'`;

function buildInputs(spec: ServerSpec): Members[] {
  if (!needsKey(spec) || spec.server.kind === "remote") return [];
  const key: Members = {
    type: "promptString",
    id: nameInput(spec.name, KEY),
    description: "API key of your analytics service",
    password: true,
  };
  const address: Members = {
    type: "promptString",
    id: nameInput(spec.name, "url"),
    description: "Address of your analytics service, such as https://stats.example.com",
  };
  return spec.server.baseUrl === undefined ? [key, address] : [key];
}

const nameInput = (server: string, variable: string) => `${server}-${variable === KEY ? "key" : "url"}`;
