import { findNamedProfile } from "../config/access.ts";
import { type Flags, readCallsPerMinute } from "../config/config.ts";
import { refuseDemoWithService, refuseKeyOnStdin } from "./access-options.ts";
import type { Io } from "./io.ts";
import { printNote } from "./output.ts";

/** `analytics-mcp` without a command: the MCP server on stdin and stdout. */
export async function serveMcp(io: Io, flags: Flags): Promise<void> {
  refuseKeyOnStdin(flags);
  refuseDemoWithService(flags);
  if (io.stdin.isTTY) {
    await printNote(io, "analytics-mcp is an MCP server and waits for a client on standard input.");
    await printNote(
      io,
      "In a terminal, try: analytics-mcp stats --demo --site example.com   or: analytics-mcp --help",
    );
  }
  const callsPerMinute = readCallsPerMinute(io.environment);
  const profile = findNamedProfile(flags, io.environment);
  const demo = flags.demo === true;

  const [{ serveStdio }, { createRateLimit }, { connect }] = await Promise.all([
    import("../mcp/stdio.ts"),
    import("../mcp/rate-limit.ts"),
    import("./connect.ts"),
  ]);
  await serveStdio({
    ...{ stdin: io.stdin, stdout: io.stdout, demo, profile },
    call: connect(io, flags),
    version: io.version,
    admit: createRateLimit(callsPerMinute, io.clock),
    onFault: (fault) => void printNote(io, `analytics-mcp: ${fault.message}`),
  });
}
