import type { Trial } from "./trial.ts";

/** A client that is installed from npm and driven without a terminal. */
export interface RealClient {
  /** The name in `analytics-mcp config <id>`; `.ci/tools clients` installs the package into `.cache/client-<id>`. */
  id: string;
  package: string;
  /** The program inside the package's `node_modules`; a script runs under this process's Node. */
  program: string;
  /** Adds what `config` prints, and what the client needs to reach the stand-in model. */
  configure(trial: Trial): void;
  argv(trial: Trial): string[];
  env(trial: Trial): Record<string, string>;
}

const PROMPT = "How many visitors did example.com have in the last 7 days?";
const MODEL = "stand-in";

export const realClients: readonly RealClient[] = [
  {
    id: "claude-code",
    package: "@anthropic-ai/claude-code",
    program: "@anthropic-ai/claude-code-linux-x64/claude",
    configure: (trial) => trial.runPrintedCommand("claude"),
    argv: () => ["-p", PROMPT, "--allowedTools", "mcp__analytics"],
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model.origin,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
  {
    id: "codex",
    package: "@openai/codex",
    program: "@openai/codex/bin/codex.js",
    configure: (trial) => {
      const provider = `[model_providers.${MODEL}]\nname = "${MODEL}"\nbase_url = "${trial.model.origin}/v1"\n`;
      // Without this, it asks the model before npx has started the server.
      const settings = `mcp_optional_startup_grace_ms = 30000\nmodel = "${MODEL}"\nmodel_provider = "${MODEL}"\n`;
      trial.put(".codex/config.toml", `${settings}\n${provider}wire_api = "responses"\n`);
      trial.write();
    },
    argv: () => ["exec", "--skip-git-repo-check", PROMPT],
    env: () => ({}),
  },
  {
    id: "gemini-cli",
    package: "@google/gemini-cli",
    program: "@google/gemini-cli/bundle/gemini.js",
    configure: (trial) =>
      trial.paste({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      }),
    argv: () => ["-p", PROMPT, "--yolo", "--skip-trust", "--model", "gemini-2.5-pro"],
    env: ({ model }) => ({ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: model.origin }),
  },
  {
    id: "opencode",
    package: "opencode-ai",
    program: "opencode-linux-x64/bin/opencode",
    configure: (trial) => trial.paste(openCodeModel(trial)),
    argv: () => ["run", "--model", `${MODEL}/${MODEL}`, PROMPT],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "true", OPENCODE_DISABLE_MODELS_FETCH: "true" }),
  },
  {
    id: "copilot-cli",
    package: "@github/copilot",
    program: "@github/copilot-linux-x64/copilot",
    configure: (trial) => trial.paste({}),
    argv: () => ["-p", PROMPT, "--allow-all-tools", "--trust-folder"],
    env: ({ model }) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_BASE_URL: `${model.origin}/v1`,
      COPILOT_MODEL: MODEL,
    }),
  },
  {
    id: "qwen-code",
    package: "@qwen-code/qwen-code",
    program: "@qwen-code/qwen-code/cli-entry.js",
    configure: (trial) => trial.paste({ privacy: { usageStatisticsEnabled: false } }),
    argv: ({ model }) => [
      "--auth-type",
      "openai",
      "--openai-api-key",
      "none",
      "--openai-base-url",
      `${model.origin}/v1`,
      "--model",
      MODEL,
      "--yolo",
      PROMPT,
    ],
    env: () => ({}),
  },
  {
    id: "continue",
    package: "@continuedev/cli",
    program: "@continuedev/cli/dist/cn.js",
    configure: (trial) =>
      trial.pasteText(
        `name: Local\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: ${MODEL}\n    provider: openai\n    model: ${MODEL}\n    apiKey: none\n    apiBase: ${trial.model.origin}/v1\n    capabilities: [tool_use]\n`,
      ),
    argv: ({ home }) => ["--config", `${home}/.continue/config.yaml`, "-p", PROMPT, "--auto"],
    env: () => ({}),
  },
  {
    id: "kilo",
    package: "@kilocode/cli",
    program: "@kilocode/cli-linux-x64/bin/kilo",
    configure: (trial) => trial.paste(openCodeModel(trial)),
    argv: () => ["run", "--auto", "--model", `${MODEL}/${MODEL}`, PROMPT],
    env: () => ({}),
  },
];

/** A provider of opencode and of Kilo, which is built on it. */
function openCodeModel({ model }: Trial) {
  const options = { baseURL: `${model.origin}/v1`, apiKey: "none" };
  const provider = { npm: "@ai-sdk/openai-compatible", name: MODEL, options, models: { [MODEL]: {} } };
  return { provider: { [MODEL]: provider } };
}
