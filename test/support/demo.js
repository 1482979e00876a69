import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { installPackage } from "./package.js";

/**
 * `npm run demo`: packs the project and installs it as a user would, lets a real MCP client ask the stdio server three
 * questions, and shows the same numbers in the shell.
 */
const questions = [
  {
    question: "How many visitors did we have in the last 7 days?",
    tool: "get_stats",
    args: { site: "example.com", days: 7 },
    shell: ["stats", "example.com", "--days", "7"],
  },
  {
    question: "Day by day?",
    tool: "get_timeseries",
    args: { site: "example.com", days: 7 },
    shell: ["timeseries", "example.com", "--days", "7"],
  },
  {
    question: "Where did people come from over the last four weeks?",
    tool: "get_breakdown",
    args: { site: "example.com", dimension: "referrers", limit: 6 },
    shell: ["breakdown", "example.com", "--dimension", "referrers", "--limit", "6"],
  },
];

const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
const quote = (/** @type {string} */ text) => text.trimEnd().replace(/^/gm, "  │ ");

const { folder, bin } = installPackage();
const client = new Client({ name: "demo", version: "1" }, { versionNegotiation: { mode: "auto" } });
try {
  await client.connect(new StdioClientTransport({ command: bin, args: ["--demo"] }));
  const { tools } = await client.listTools();
  print(
    `An MCP client has started: analytics-mcp --demo\nIt offers ${tools.map((tool) => tool.name).join(", ")}.`,
  );
  for (const { question, tool, args, shell } of questions) {
    print(`\n▌ ${question}\n\n  The assistant calls ${tool} ${JSON.stringify(args)} and gets:`);
    const result = await client.callTool({ name: tool, arguments: args });
    const [content] = result.content;
    if (result.isError || content?.type !== "text")
      throw new Error(`${tool} failed: ${JSON.stringify(result)}`);
    print(quote(content.text));
    print(`\n  The same in the shell, analytics-mcp ${shell.join(" ")} --demo:\n`);
    const { status } = spawnSync(bin, [...shell, "--demo"], { stdio: ["ignore", "inherit", "inherit"] });
    if (status !== 0) throw new Error(`the shell command ended with ${status}`);
  }
  print(
    '\nAll numbers are made up (--demo). To look at them in a browser: node bin/analytics-mcp.js view --demo\nNext: README.md, "Connect your assistant".',
  );
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
