import { findNamedProfile } from "../config/access.ts";
import { type Flags, readCallsPerMinute } from "../config/config.ts";
import { createRateLimit } from "../mcp/rate-limit.ts";
import { serveStdio } from "../mcp/stdio.ts";
import { refuseKeyOnStdin } from "./access-options.ts";
import { connect } from "./connect.ts";
import type { Io } from "./io.ts";
import { printNote } from "./output.ts";

/** `analytics-mcp` without a command: the MCP server on stdin and stdout. */
export async function serveMcp(io: Io, flags: Flags): Promise<void> {
  refuseKeyOnStdin(flags);
  if (io.stdin.isTTY) {
    await printNote(io, "analytics-mcp is an MCP server and waits for a client on standard input.");
    await printNote(
      io,
      "In a terminal, try: analytics-mcp stats --demo --site example.com   or: analytics-mcp --help",
    );
  }
  await serveStdio({
    stdin: io.stdin,
    stdout: io.stdout,
    call: connect(io, flags),
    version: io.version,
    admit: createRateLimit(readCallsPerMinute(io.environment), io.clock),
    demo: flags.demo === true,
    profile: findNamedProfile(flags, io.environment),
    onFault: (fault) => void printNote(io, `analytics-mcp: ${fault.message}`),
  });
}
