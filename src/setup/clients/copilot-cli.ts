import { underHome } from "../machine.ts";
import { type McpClient, needsKey, quote } from "../mcp-client.ts";
import { buildCommand, buildStdio, buildVariables } from "../server-command.ts";

const refer = (name: string) => `\${${name}}`;

/** https://docs.github.com/copilot/how-tos/copilot-cli: `mcpServers` with a list of allowed `tools`. */
export const copilotCli: McpClient = {
  id: "copilot-cli",
  title: "GitHub Copilot CLI",
  aliases: ["copilot", "github-copilot-cli"],
  format: "json",
  at: "mcpServers",
  places: underHome(".copilot/mcp-config.json"),
  alsoIn: [".mcp.json", ".github/mcp.json"],
  folderVariable: "COPILOT_HOME",
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: (spec) =>
    spec.server.kind === "remote"
      ? { type: "http", url: spec.server.url, tools: ["*"] }
      : { type: "local", ...buildStdio(spec, refer), tools: ["*"] },
  notes: (spec) => [
    "Restart copilot. Check with: copilot mcp list",
    ...(spec.server.kind === "remote" ? [`Sign in: /mcp auth ${spec.name}`] : []),
    ...(needsKey(spec) ? ["Start copilot in a shell where the variables are set."] : []),
  ],
  buildShellCommand: (spec) => {
    const { name, server } = spec;
    if (server.kind === "remote") return `copilot mcp add --transport http ${name} ${quote(server.url)}`;
    const variables = Object.entries(buildVariables(spec, refer) ?? {});
    const env = variables.map(([variable, value]) => ` --env ${quote(`${variable}=${value}`)}`).join("");
    return `copilot mcp add ${name}${env} -- ${buildCommand(spec).map(quote).join(" ")}`;
  },
};
