import { readFileSync } from "node:fs";
import { readCallsPerMinute } from "../config/config.ts";
import { type FirstAnswers, openSession } from "../mcp/opening.ts";
import type { SourceFlags } from "../sources/source.ts";
import { refuseKeyOnStdin } from "./access-options.ts";
import type { Io } from "./io.ts";
import { printNote } from "./output.ts";
import { openSource } from "./source.ts";

/** `analytics-mcp` without a command: the MCP server on stdin and stdout. */
export async function serveMcp(io: Io, flags: SourceFlags): Promise<void> {
  refuseKeyOnStdin(flags);
  const { call, about, options } = openSource(io, flags);
  if (io.stdin.isTTY) {
    await printNote(io, "analytics-mcp is an MCP server and waits for a client on standard input.");
    await printNote(
      io,
      "In a terminal, try: analytics-mcp stats --demo --site example.com   or: analytics-mcp --help",
    );
  }
  const callsPerMinute = readCallsPerMinute(io.environment);

  const { stdin, stdout, over } = openSession(io.stdin, io.stdout, readFirstAnswers(flags.demo === true));
  await over;
  const [{ serveStdio }, { createRateLimit }] = await Promise.all([
    import("../mcp/stdio.ts"),
    import("../mcp/rate-limit.ts"),
  ]);
  await serveStdio({
    ...{ stdin, stdout, call, about, options },
    version: io.version,
    admit: createRateLimit(callsPerMinute, io.clock),
    onFault: (fault) => void printNote(io, `analytics-mcp: ${fault.message}`),
  });
}

/** The build writes the file beside its own; without it, the server answers everything itself. */
function readFirstAnswers(demo: boolean): FirstAnswers {
  try {
    const file = new URL("./first-answers.json", import.meta.url);
    const { common, service, demo: made } = JSON.parse(readFileSync(file, "utf8"));
    return new Map(Object.entries({ ...common, ...(demo ? made : service) }));
  } catch {
    return new Map();
  }
}
