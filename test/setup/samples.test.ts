import { type ParseError, parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { clients } from "../../src/setup/clients/index.ts";
import { editJson } from "../../src/setup/documents/json-editor.ts";
import { editToml } from "../../src/setup/documents/toml-editor.ts";
import { findClient } from "../../src/setup/mcp-client.ts";
import type { ServerSpec } from "../../src/setup/server-spec.ts";
import { buildEntry } from "../../src/setup/setup-instructions.ts";
import { isWithin } from "./printing.ts";

/** Realistic files of clients. Those that only the client itself writes are strict JSON. */
const samples: Record<string, { text: string; strict?: boolean }> = {
  "claude-code": {
    strict: true,
    text: `{
    "mcpServers": {
        "github": {
            "type": "http",
            "url": "https://api.githubcopilot.com/mcp/"
        },
        "database": {
            "command": "/usr/local/bin/db",
            "args": ["--dsn", "\${DB_DSN:-postgres://localhost/dev}"],
            "env": {}
        }
    }
}
`,
  },
  "claude-desktop": {
    strict: true,
    text: '{"globalShortcut":"","mcpServers":{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","C:\\\\Users\\\\me"]}},"preferences":{"quickEntryShortcut":{"accelerator":"Alt+Space"}}}',
  },
  cursor: {
    text: `{
  // team
  "mcpServers": {
    "linear": { "url": "https://mcp.linear.app/mcp" },
    // "old": { "command": "x" },
    "figma": {
      "url": "https://mcp.figma.com/mcp",
      "headers": { "X-Note": "a // b, /* c */ }" },
    },
  },
}`,
  },
  "vs-code": {
    text: `{
\t"servers": {
\t\t"playwright": {
\t\t\t"type": "stdio",
\t\t\t"command": "npx",
\t\t\t"args": ["@playwright/mcp@latest"],
\t\t\t"gallery": true
\t\t}
\t},
\t"inputs": []
}`,
  },
  "gemini-cli": {
    text: `{
  "ui": { "theme": "GitHub" },
  "security": { "auth": { "selectedType": "oauth-personal" } },
  "mcpServers": {}
}
`,
  },
  windsurf: { text: '{\n  "mcpServers": {}\n}' },
  zed: {
    text: `// Zed settings
//
// For information on how to configure Zed, see the Zed
// documentation: https://zed.dev/docs/configuring-zed
{
  "context_servers": {
    "mcp-server-github": {
      "source": "extension",
      "enabled": true,
      "settings": { "github_personal_access_token": "ghp_x" }, // mine
    },
  },
  "ui_font_size": 16,
  "theme": { "mode": "system", "light": "One Light", "dark": "One Dark" },
}
`,
  },
  opencode: {
    text: '{\n  "$schema": "https://opencode.ai/config.json",\n  "theme": "system" // dark at night\n}\n',
  },
  "lm-studio": {
    strict: true,
    text: '{\n  "mcpServers": {\n    "hf": {"url": "https://huggingface.co/mcp"}\n  }\n}',
  },
  codex: {
    text: `model = "gpt-5-codex"
model_reasoning_effort = "high"
notify = [
  "notify-send", # [desktop]
  "codex",
]

[projects."/home/me/work"]
trust_level = "trusted"

[mcp_servers.playwright]
args = ["@playwright/mcp@latest"]
command = "npx"

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
http_headers = { "X-Figma-Region" = "us-east-1" }

[[hooks]]
event = "stop"
`,
  },
};

const local = {
  kind: "local",
  options: [],
  baseUrl: "https://stats.example.com",
  allowHttp: undefined,
  apiKey: undefined,
} as const;
const remote = { kind: "remote", url: "https://mcp.example.com/mcp" } as const;

function readDocument(text: string, strict: boolean | undefined) {
  if (strict) return JSON.parse(text);
  const errors: ParseError[] = [];
  const document = parseJsonc(text, errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return document;
}

const cases = Object.keys(samples).flatMap((word) =>
  ["\n", "\r\n"].flatMap((lineEnd) =>
    [local, remote].map((server) => ({ word, lineEnd, server, kind: server.kind })),
  ),
);

describe("a client's own file", () => {
  it.each(cases)(
    "$word, $kind, with $lineEnd, gains the server and keeps every byte",
    ({ word, lineEnd, server }) => {
      const client = findClient(word, clients);
      const spec: ServerSpec = { name: "analytics", platform: "linux", server };
      const entry = buildEntry(client, spec);
      const { text = "", strict } = samples[word] ?? {};
      const before = text.replaceAll("\n", lineEnd);
      const isToml = client.format === "toml";
      const edit = isToml ? editToml : editJson;
      const after = edit(before, entry, false);
      expect(isWithin(before, after)).toBe(true);
      if (lineEnd === "\r\n" && before.includes("\n")) expect(after).not.toMatch(/[^\r]\n/);
      const read = (document: string) => (isToml ? parseToml(document) : readDocument(document, strict));
      const [was, is] = [read(before), read(after)];
      const inputs = entry.inputs.length === 0 ? {} : { inputs: [...(was.inputs ?? []), ...entry.inputs] };
      expect(is).toEqual({
        ...was,
        ...inputs,
        [entry.serversKey]: { ...was[entry.serversKey], analytics: entry.value },
      });
      expect(edit(after, entry, false)).toBe(after);
    },
  );
});
