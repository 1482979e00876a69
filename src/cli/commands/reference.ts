import { InvalidArgumentError } from "commander";
import { explainSystemError } from "../../config/system-error.ts";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import { exampleKind } from "../../sources/local-kinds.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

interface ReferenceOptions {
  host: string;
  port: number;
}

/** `analytics-mcp reference`: the reference API over real HTTP. */
export const command: CommandDefinition = {
  group: "Serve:",
  summary: "Serve the reference API with made-up data over HTTP",
  create: createReferenceCommand,
};

function createReferenceCommand(io: Io): ShellCommand {
  return new ShellCommand("reference")
    .taking(access.none)
    .withExamples("analytics-mcp reference --port 8787")
    .description("Serve the reference API with made-up data over HTTP, to develop against.")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "port to listen on; 0 picks a free one", readPort, 8787)
    .action(async ({ host, port }: ReferenceOptions) => {
      const [{ createApi }, { listen }, { openLocalKeyring }] = await Promise.all([
        import("../../api/api.ts"),
        import("../../api/listen.ts"),
        import("../../sources/local-keyring.ts"),
      ]);
      const { find, publicKeys } = await openLocalKeyring(exampleKind, {
        ...{ clock: io.clock, environment: io.environment, flags: {} },
      });
      let available = true;
      const api = createApi({
        keyring: find,
        clock: io.clock,
        isAvailable: () => available,
        onFault: (fault, requestId) => void printNote(io, `request ${requestId} failed: ${String(fault)}`),
      });
      const server = await listen(api, host, port).catch((cause: unknown) => {
        throw new AnalyticsError(
          "usage",
          `Cannot listen on ${host}, port ${port}: ${explainSystemError(cause)}.`,
          {
            hint: "Choose another --port (0 for a free one) or another --host.",
            cause,
          },
        );
      });
      // Nobody can send a request to a wildcard address.
      const asked = server.origin.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
      await printNote(
        io,
        `Reference API at ${server.origin}${BASE_PATH} (${exampleKind.about.label}; Ctrl-C stops it)`,
      );
      await printNote(
        io,
        `Try: ANALYTICS_BASE_URL=${asked} ANALYTICS_API_KEY=${publicKeys[0]} analytics-mcp sites`,
      );
      await io.untilStopped();
      available = false;
      await server.close();
    });
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError(`must be a whole number from 0 to 65535, not ${quoteWord(text)}.`);
}
