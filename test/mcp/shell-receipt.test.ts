import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { serveMcp } from "../../src/cli/commands/stdio-server.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const environment = { TZ: "UTC" };
const clock = () => LOG_NOW;

/** Calls a tool of the MCP server on stdin and stdout, with the options that it is started with. */
async function callTool(name: string, flags: Parameters<typeof serveMcp>[1]) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const pipe = { isTTY: false, columns: 80, rows: 40 };
  const served = serveMcp(
    {
      environment,
      clock,
      pause: async () => {},
      version: "1.2.3",
      nodeVersion: process.versions.node,
      page: async () => false,
      findLogs: async () => [],
      untilStopped: async () => {},
      stdin: Object.assign(stdin, { isTTY: false }),
      stdout: Object.assign(stdout, pipe),
      stderr: Object.assign(stderr, pipe),
    },
    flags,
  );
  const params = { name, arguments: {} };
  stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
  const [answer] = await stdout.take(1).toArray();
  stdin.end();
  await served;
  return JSON.parse(String(answer)).result.structuredContent;
}

it.each([["list_sites"], ["get_stats"], ["get_openapi"]])(
  "the shell command of %s repeats it for a log that names no site",
  async (name) => {
    const log = createLogFolder({ "access.log": joinLines(combined()) }).path("access.log");
    const { receipt } = await callTool(name, { logs: [log], site: ["example.com"] });
    const [, ...words] = receipt.command.split(" ");
    expect(await runShell(words, { clock, environment })).toMatchObject({ code: 0 });
  },
);
