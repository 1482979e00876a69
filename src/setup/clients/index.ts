import { quoteForShell } from "../../operations/shell-command.ts";
import { underHome } from "../machine.ts";
import type { McpClient } from "../mcp-client.ts";
import { buildStdio, type Program, type Reference } from "../server-command.ts";
import type { Members } from "../server-spec.ts";
import { codex } from "./codex.ts";
import { vsCode } from "./vs-code.ts";

const likeShell: Reference = (variable) => `\${${variable}}`;
const withPrefix: Reference = (variable) => `\${env:${variable}}`;

const buildHttp = (url: string): Members => ({ type: "http", url });

/** What most clients have: a JSON file, into which people paste the entry or `--write` adds it. */
const pasted = { format: "json", serversKey: "mcpServers", isWritable: false } as const;
const written = { ...pasted, isWritable: true } as const;

/** opencode's form, which Kilo Code has taken over. */
const opencodeForm = {
  buildRemote: (url: string): Members => ({ type: "remote", url }),
  buildLocal: ({ command, env }: Program): Members => ({
    type: "local",
    command,
    ...(Object.keys(env).length > 0 && { environment: env }),
  }),
};

/** What Gemini CLI and those built on it have alike. A plain `url` means SSE. */
const geminiForm = (command: string) =>
  ({
    ...pasted,
    file: underHome(`.${command}/settings.json`),
    otherFiles: [`.${command}/settings.json`],
    key: { from: "its environment", refer: likeShell },
    buildRemote: (url: string): Members => ({ httpUrl: url }),
    commandForRemote: (name: string, url: string) =>
      `${command} mcp add --scope user --transport http ${name} ${quoteForShell(url)}`,
  }) as const;

/** What all entries of Goose have. */
const describeToGoose = (name: string) => {
  return { name, description: "Web analytics", enabled: true, timeout: 300 };
};

/** An entry for an install link: base64 of its JSON, escaped for a query. */
const encodeBase64 = (entry: Members) =>
  encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString("base64"));

const quoteWords = (words: readonly string[]) => words.map(quoteForShell).join(" ");

const formatEnvOptions = ({ env }: Program) =>
  Object.entries(env)
    .map(([variable, value]) => ` --env ${quoteForShell(`${variable}=${value}`)}`)
    .join("");

/** In the order in which `config` lists them. Each starts with the address of its manual. */
export const clients: readonly McpClient[] = [
  // https://code.claude.com/docs/en/mcp. Its user scope is in ~/.claude.json, which a running Claude Code rewrites all the
  // time: only its own command should write there. A project's .mcp.json is meant to be edited.
  {
    id: "claude-code",
    title: "Claude Code",
    aliases: ["claudecode", "cc"],
    ...written,
    file: { macos: ".mcp.json", windows: ".mcp.json", linux: ".mcp.json" },
    otherFiles: ["~/.claude.json"],
    key: { from: "its environment", refer: likeShell },
    buildRemote: buildHttp,
    notes: [
      "The file is in the project's folder. Start `claude` there and approve the server.",
      { shared: "You can commit the file: it says nothing about this machine." },
      "For all your projects, use `claude mcp add` instead: `analytics-mcp config claude-code` prints it.",
      { remote: "Sign in: `/mcp`, choose the server, Authenticate." },
      { key: "Start `claude` in a shell where the variables are set." },
    ],
    // The name comes first: --env and --header take all following words, up to the next option.
    commandForRemote: (name, url) =>
      `claude mcp add ${name} --scope user --transport http ${quoteForShell(url)}`,
    commandForLocal: (name, program) =>
      `claude mcp add ${name} --scope user${formatEnvOptions(program)} -- ${quoteWords(program.command)}`,
  },
  // https://modelcontextprotocol.io/docs/develop/connect-local-servers: the file only starts programs; no variables mentioned.
  {
    id: "claude-desktop",
    title: "Claude Desktop",
    aliases: ["claudedesktop", "claude-app"],
    ...written,
    file: {
      macos: "~/Library/Application Support/Claude/claude_desktop_config.json",
      windows: "%APPDATA%\\Claude\\claude_desktop_config.json",
      linux: "~/.config/Claude/claude_desktop_config.json",
    },
    notes: [
      {
        remote:
          "Its file cannot name remote servers, so mcp-remote connects and opens the browser to sign in. You can add a connector on the internet without a file: Settings → Connectors → Add custom connector.",
      },
      "Quit Claude Desktop and restart it: closing the window is not enough.",
    ],
  },
  // https://cursor.com/docs/mcp and https://cursor.com/docs/mcp/install-links.
  {
    id: "cursor",
    title: "Cursor",
    aliases: [],
    ...written,
    file: underHome(".cursor/mcp.json"),
    otherFiles: [".cursor/mcp.json"],
    key: { from: "its environment", refer: withPrefix },
    buildRemote: (url) => ({ url }),
    notes: [
      "Reload the window with `Developer: Reload Window`. For a single project, use `.cursor/mcp.json`.",
      { remote: "Sign in: Settings → Tools & MCP, then Connect beside the server." },
      {
        key: "If you start Cursor from the dock or a menu, it does not have your shell's variables: start it from the shell, or set them for your session.",
      },
    ],
    buildLink: ({ name, value }) =>
      `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${encodeBase64(value)}`,
  },
  vsCode,
  codex,
  // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md. Servers do not inherit variables with KEY
  // in their name: `env` must list them.
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    aliases: ["gemini"],
    ...geminiForm("gemini"),
    notes: [
      "Restart `gemini`. For a single project, use `.gemini/settings.json`.",
      "Gemini CLI connects to no servers in a folder that you do not trust: trust it with `/permissions`.",
      { remote: "Sign in: `/mcp auth <name>`" },
      { key: "Start `gemini` in a shell where the variables are set." },
    ],
  },
  // https://docs.github.com/copilot/how-tos/copilot-cli: `mcpServers` with a list of allowed `tools`.
  {
    id: "copilot-cli",
    title: "GitHub Copilot CLI",
    aliases: ["copilot", "github-copilot-cli"],
    ...pasted,
    file: underHome(".copilot/mcp-config.json"),
    otherFiles: [".mcp.json", ".github/mcp.json"],
    folderVariable: "COPILOT_HOME",
    key: { from: "its environment", refer: likeShell },
    buildRemote: (url) => ({ type: "http", url, tools: ["*"] }),
    buildLocal: (program) => ({ type: "local", ...buildStdio(program), tools: ["*"] }),
    notes: [
      "Restart `copilot`. Check with: `copilot mcp list`",
      { remote: "Sign in: `/mcp auth <name>`" },
      { key: "Start `copilot` in a shell where the variables are set." },
    ],
    commandForRemote: (name, url) => `copilot mcp add --transport http ${name} ${quoteForShell(url)}`,
    commandForLocal: (name, program) =>
      `copilot mcp add ${name}${formatEnvOptions(program)} -- ${quoteWords(program.command)}`,
  },
  // https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp: built on Gemini CLI.
  {
    id: "qwen-code",
    title: "Qwen Code",
    aliases: ["qwen"],
    ...geminiForm("qwen"),
    notes: [
      "Restart `qwen`. For a single project, use `.qwen/settings.json`.",
      { remote: "Sign in: `/mcp`, choose the server, Authenticate." },
      { key: "Start `qwen` in a shell where the variables are set." },
    ],
  },
  // https://docs.windsurf.com/windsurf/cascade/mcp: a remote server needs `serverUrl`; `url` is ignored.
  {
    id: "windsurf",
    title: "Windsurf",
    aliases: ["cascade", "codeium", "devin-desktop"],
    ...pasted,
    file: underHome(".codeium/windsurf/mcp_config.json"),
    key: { from: "its environment", refer: withPrefix },
    buildRemote: (url) => ({ serverUrl: url }),
    notes: [
      "In Cascade: open MCPs, then refresh.",
      { remote: "It opens the browser to sign in." },
      { key: "Start Windsurf where the variables are set, or replace them with their values." },
    ],
  },
  // https://zed.dev/docs/ai/mcp mentions no variables; in headers they stay literal (zed-industries/zed#60459).
  {
    id: "zed",
    title: "Zed",
    aliases: [],
    ...pasted,
    serversKey: "context_servers",
    file: {
      macos: "~/.config/zed/settings.json",
      windows: "%APPDATA%\\Zed\\settings.json",
      linux: "~/.config/zed/settings.json",
    },
    buildRemote: (url) => ({ url }),
    notes: [
      "Open the file with the command `zed: open settings file`. The server starts when you save the file, and its dot in Settings → AI → MCP Servers turns green.",
      { remote: "Sign in there with Authenticate." },
    ],
  },
  // https://www.jetbrains.com/help/ai-assistant/mcp.html: pasted into a dialog; signing in is not mentioned.
  {
    id: "jetbrains",
    title: "JetBrains AI Assistant",
    aliases: "intellij idea webstorm pycharm phpstorm goland rider ai-assistant junie".split(" "),
    ...pasted,
    pasteInto: "Settings → Tools → AI Assistant → Model Context Protocol (MCP) → Add → As JSON",
    notes: [
      {
        remote:
          "Its manual describes no way to sign in to a remote server, so mcp-remote connects and opens the browser to sign in.",
      },
      "Apply, and check the server's status in the same list.",
    ],
  },
  // https://opencode.ai/docs/mcp-servers. Version 2 still reads this form of version 1 (/docs/migrate-v1).
  {
    id: "opencode",
    title: "opencode",
    aliases: ["open-code"],
    ...pasted,
    serversKey: "mcp",
    file: underHome(".config/opencode/opencode.json"),
    otherFiles: ["opencode.json"],
    key: { from: "its environment", refer: (variable) => `{env:${variable}}` },
    ...opencodeForm,
    notes: [
      "Restart `opencode`. For a single project, use `opencode.json` in its folder.",
      { remote: "Sign in: `opencode mcp auth <name>`" },
      { key: "Start `opencode` in a shell where the variables are set." },
    ],
  },
  // https://kilo.ai/docs/automate/mcp/using-in-kilo-code: built on opencode, with files of its own.
  {
    id: "kilo",
    title: "Kilo Code",
    aliases: ["kilo-code", "kilocode", "kilo-cli"],
    ...pasted,
    serversKey: "mcp",
    file: underHome(".config/kilo/kilo.jsonc"),
    otherFiles: [
      "~/.config/kilo/kilo.json",
      "kilo.jsonc",
      "kilo.json",
      ".kilo/kilo.jsonc",
      ".kilo/kilo.json",
    ],
    key: { from: "its environment", refer: (variable) => `{env:${variable}}` },
    ...opencodeForm,
    notes: [
      "Restart Kilo. For a single project, use `kilo.jsonc` in its folder.",
      { remote: "Sign in: `kilo mcp auth <name>`" },
      { key: "Start `kilo`, or the editor, in a shell where the variables are set." },
    ],
  },
  // https://docs.cline.bot/mcp/mcp-overview. A remote server without `type` means SSE. The extension fills in `${env:NAME}`;
  // the command line has a file of its own, leaves references as they are, and passes on its whole environment.
  {
    id: "cline",
    title: "Cline",
    aliases: ["cline-bot"],
    ...pasted,
    pasteInto: "MCP Servers → Configure → Configure MCP Servers",
    otherFiles: [
      "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
      "~/AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
      "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    ],
    key: { from: "its environment", refer: withPrefix },
    buildRemote: (url) => ({ type: "streamableHttp", url }),
    notes: [
      "The server starts when you save the file.",
      { remote: "Sign in there with Authenticate." },
      {
        key: "If you start the editor from the dock or a menu, it does not have your shell's variables: start it from the shell.",
      },
      {
        key: "For the command line, add the entry without `env` to `~/.cline/data/settings/cline_mcp_settings.json`: cline passes on its environment.",
      },
    ],
    commandForRemote: (name, url) =>
      `cline mcp install ${name} --transport streamableHttp --yes ${quoteForShell(url)}`,
  },
  // https://docs.continue.dev/customize/deep-dives/mcp: a list of servers; secrets are in .env files or the environment.
  {
    id: "continue",
    title: "Continue",
    aliases: ["continue-dev", "continuedev", "cn"],
    format: "yaml",
    serversKey: "mcpServers",
    isList: true,
    file: underHome(".continue/config.yaml"),
    folderVariable: "CONTINUE_GLOBAL_DIR",
    isWritable: false,
    key: { from: "its secrets", refer: (variable) => `\${{ secrets.${variable} }}` },
    buildRemote: (url) => ({ type: "streamable-http", url }),
    buildLocal: (program) => ({ type: "stdio", ...buildStdio(program) }),
    notes: [
      "A new file also needs `name`, `version` and `schema` at its top. The tools are only there in agent mode.",
      { remote: "It opens the browser to sign in." },
      {
        key: "Continue looks up secrets in `~/.continue/.env`, then in a project's `.env`, then in its environment.",
      },
    ],
  },
  // https://goose-docs.ai/docs/guides/config-files. It looks up `env_keys` in its environment, then in its secrets
  // (`goose configure` asks for them), and takes `envs` literally.
  {
    id: "goose",
    title: "Goose",
    aliases: ["block-goose"],
    format: "yaml",
    serversKey: "extensions",
    file: {
      macos: "~/.config/goose/config.yaml",
      windows: "%APPDATA%\\Block\\goose\\config\\config.yaml",
      linux: "~/.config/goose/config.yaml",
    },
    isWritable: false,
    key: { from: "its secrets", refer: "by name" },
    buildRemote: (url, name) => ({ type: "streamable_http", ...describeToGoose(name), uri: url }),
    buildLocal: ({ command: [cmd, ...args], env, passedOn }, name) => ({
      type: "stdio",
      ...describeToGoose(name),
      cmd,
      args,
      envs: env,
      env_keys: passedOn,
    }),
    notes: [
      "Start a new `goose` session.",
      { remote: "It opens the browser to sign in when the session starts." },
      {
        key: "goose looks up the names in `env_keys` in its environment, then in its keyring. `goose configure` → Add Extension asks for them.",
      },
    ],
  },
  // https://lmstudio.ai/docs/app/mcp (Cursor's notation, no variables mentioned), /docs/app/mcp/deeplink and
  // /docs/integrations/mcp-remote.
  {
    id: "lm-studio",
    title: "LM Studio",
    aliases: ["lmstudio", "lms"],
    ...pasted,
    file: underHome(".lmstudio/mcp.json"),
    buildRemote: (url) => ({ url }),
    notes: [
      "In LM Studio: Program → Install → Edit `mcp.json`. The server starts when you save the file.",
      { remote: "It opens the browser to sign in (LM Studio 0.4 or newer)." },
    ],
    buildLink: ({ name, value }) => `lmstudio://add_mcp?name=${name}&config=${encodeBase64(value)}`,
  },
];
