import { type Client, needsKey } from "../mcp-client.ts";
import { buildStdio, KEY } from "../server-command.ts";
import type { Members, Wish } from "../server-spec.ts";

/** https://code.visualstudio.com/docs/agents/reference/mcp-configuration: `servers`, and `inputs` that it asks for once. */
export const vsCode: Client = {
  id: "vs-code",
  title: "VS Code",
  aliases: ["vscode", "code", "copilot", "github-copilot", "visual-studio-code"],
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
  keyFrom: "a question",
  buildEntry,
  buildInputs,
  notes: (wish) => [
    "In VS Code: MCP: List Servers, choose the server, Start. For one project alone the file is .vscode/mcp.json.",
    ...(wish.server.kind === "remote" ? ["It opens the browser to sign in when the server starts."] : []),
    ...(needsKey(wish) ? ["It asks for the key once, when the server starts, and keeps it."] : []),
  ],
  // code --add-mcp knows no inputs: what they ask for would stay unexpanded.
  buildShellCommand: (wish) =>
    needsKey(wish)
      ? undefined
      : `code --add-mcp '${JSON.stringify({ name: wish.name, ...buildEntry(wish) })}'`,
  buildLink: (wish) => {
    const inputs = buildInputs(wish);
    const server = { name: wish.name, ...(inputs.length === 0 ? {} : { inputs }), ...buildEntry(wish) };
    return `vscode:mcp/install?${encodeURIComponent(JSON.stringify(server))}`;
  },
};

function buildEntry(wish: Wish): Members {
  return wish.server.kind === "remote"
    ? { type: "http", url: wish.server.url }
    : { type: "stdio", ...buildStdio(wish, (name) => `\${input:${idOf(wish, name)}}`) };
}

function buildInputs(wish: Wish): Members[] {
  if (!needsKey(wish) || wish.server.kind === "remote") return [];
  const key: Members = {
    type: "promptString",
    id: idOf(wish, KEY),
    description: "API key of your analytics service",
    password: true,
  };
  const address: Members = {
    type: "promptString",
    id: idOf(wish, "url"),
    description: "Address of your analytics service, such as https://stats.example.com",
  };
  return wish.server.baseUrl === undefined ? [key, address] : [key];
}

const idOf = ({ name }: Wish, variable: string) => `${name}-${variable === KEY ? "key" : "url"}`;
