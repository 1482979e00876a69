import { findService } from "../../config/access.ts";
import { isLoopback } from "../../config/base-url.ts";
import { readProfile } from "../../config/profiles.ts";
import { explainSystemError } from "../../config/system-error.ts";
import { AnalyticsError } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { exampleKind } from "../../sources/local-kinds.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { printNote, writeToStderr } from "../output/streams.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import { addKeysOption } from "./keys-option.ts";
import { readPort } from "./port-option.ts";

interface ReferenceFlags extends SourceFlags {
  host: string;
  port: number;
}

/** `analytics-mcp reference`: the reference API over real HTTP. */
export const command: CommandDefinition = {
  group: "Serve:",
  summary: "Serve the REST API, with made-up data or your logs",
  create: (io) => {
    const command = new ShellCommand("reference")
      .withAccess([...access.service, ...access.key])
      .withExamples(
        "analytics-mcp reference --port 8787",
        "analytics-mcp reference --logs '/var/log/nginx/access.log*' --site example.com",
        "analytics-mcp reference --service matomo --base-url https://stats.example.com --api-key-file token",
      )
      .description(
        "Serve the REST API over HTTP: made-up data to develop against, your access logs with --logs, or what another service knows: with --service one that has an API of its own, with --base-url one of yours that describes itself. Each request needs a key, Authorization: Bearer <key>: for made-up data, the one that the command prints; for your own, one that analytics-mcp keys add created. Without a keys file, at a terminal, the command creates a key for this run and shows it. The key of --api-key-file is the service's and is not given out.",
      )
      .option("--host <host>", "address to listen on", "127.0.0.1")
      .option("--port <port>", "port to listen on; 0 picks a free one", readPort, 8787);
    return addKeysOption(command).action(async (_, self: ShellCommand) => {
      await serveReference(io, self.optsWithGlobals<ReferenceFlags>());
    });
  },
};

async function serveReference(io: Io, flags: ReferenceFlags): Promise<void> {
  const { clock, environment } = io;
  const [{ createApi }, { listen }, { openServedKeyring }] = await Promise.all([
    import("../../api/api.ts"),
    import("../../api/listen.ts"),
    import("../../sources/served-keyring.ts"),
  ]);
  const local = findLocal(flags, environment);
  const { kind, flags: chosen } = local ?? (await findShared(io, flags));
  const { find, publicKeys, file, prepare } = await openServedKeyring(kind, {
    clock,
    environment,
    flags: chosen,
    from: local?.from,
    warn: (text) => printNote(io, `warning: ${text}`),
    // A key must not end up in a file or in the system's log.
    mayMakeKey: io.stderr.isTTY === true,
  });
  let available = true;
  const api = createApi({
    keyring: find,
    clock,
    isAvailable: () => available,
    onFault: (fault, requestId) => void printNote(io, `request ${requestId} failed: ${String(fault)}`),
  });
  const { host, port } = flags;
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
  // A request cannot be sent to a wildcard address.
  const asked = server.origin.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  await printNote(io, `Reference API at ${server.origin}${BASE_PATH} (${kind.about.label}; Ctrl-C stops it)`);
  if (file !== undefined) await printNote(io, `Keys: ${file}`);
  const key = publicKeys[0] ?? "<key>";
  // Not wrapped: it is to be copied.
  await writeToStderr(io, `Try: ANALYTICS_BASE_URL=${asked} ANALYTICS_API_KEY=${key} analytics-mcp sites`);
  if (prepare && !isLoopback(new URL(server.origin).hostname)) {
    await printNote(io, "warning: Keys and numbers are sent unencrypted: put an https proxy in front.");
  }
  void prepare?.();
  await io.untilStopped();
  available = false;
  await server.close();
}

/** The service that was chosen, if any; else made-up data. */
async function findShared({ environment, stdin }: Io, flags: ReferenceFlags) {
  const service = findService(flags, environment);
  const { profile, baseUrl, apiKeyFile, apiKeyStdin } = flags;
  // A profile that does not exist has its own message.
  if (profile !== undefined) readProfile(environment, profile);
  const isNamed = [profile, baseUrl, apiKeyFile, apiKeyStdin].some((value) => value !== undefined);
  if (service === undefined && !isNamed) return { kind: exampleKind, flags };
  const { shareService } = await import("../../sources/shared-service.ts");
  const others = profile === undefined ? "--base-url" : "--profile";
  return { kind: shareService(service, stdin, flags.service === undefined ? others : "--service"), flags };
}
