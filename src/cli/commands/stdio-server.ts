import * as z from "zod";
import { readCallsPerMinute } from "../../config/calls-per-minute.ts";
import type { AnsweringSource } from "../../mcp/server-options.ts";
import { onceDone } from "../../operations/schemas.ts";
import { assertNotStdin, listAllWords } from "../../sources/local-choice.ts";
import type { Source, SourceFlags } from "../../sources/source-types.ts";
import { assertNoKeyOnStdin } from "../access-options.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import { openSource } from "../source.ts";

/** `analytics-mcp` without a command, started by an MCP client or with `--stdio`: the MCP server on stdin and stdout. */
export async function serveMcp(io: Io, flags: SourceFlags): Promise<void> {
  assertNoKeyOnStdin(flags);
  const open = () =>
    openSource(io, flags, async (error) => {
      const { explainToClient } = await import("../no-key.ts");
      return explainToClient(io, error);
    });
  const source = open();
  if (io.stdin.isTTY) {
    await printNote(io, "The MCP server is waiting for an MCP client on standard input. Ctrl-C ends it.");
  }
  const callsPerMinute = readCallsPerMinute(io.environment);

  // zod would compile each schema at its first use, which takes longer than it saves in one client's session. Schemas
  // read the setting when they are created, and the SDK creates its own while it loads.
  z.config({ jitless: true });
  const [{ serveStdio }, { createRateLimit }] = await Promise.all([
    import("../../mcp/stdio.ts"),
    import("../../mcp/call-rate-limit.ts"),
  ]);
  const reopen = onceDone(async () => {
    const found = open();
    if (found.kind === "service") await found.readAccess();
    return describeSource(found);
  });
  await serveStdio({
    ...describeSource(source),
    stdin: io.stdin,
    stdout: io.stdout,
    // The error is told by the first question to the source.
    ...(source.kind === "service" && { findSource: () => reopen().catch(() => undefined) }),
    version: io.version,
    admit: createRateLimit(callsPerMinute, io.clock),
    onFault: (fault) => void printNote(io, `analytics-mcp: ${fault.message}`),
  });
}

function describeSource(source: Source): AnsweringSource {
  const { call, about, options } = source;
  const local = source.kind === "local" ? source.local : undefined;
  assertNotStdin(local, "The MCP server");
  return { call, about, options, optionsWithSite: local && listAllWords(local) };
}
