import { Option } from "commander";
import { isLoopback } from "../../config/base-url.ts";
import { readCallsPerMinute } from "../../config/calls-per-minute.ts";
import { readProxyVariables } from "../../config/proxy-settings.ts";
import {
  nameOption,
  readServeSettings,
  type ServeFlags,
  serveVariables,
} from "../../config/serve-settings.ts";
import { explainSystemError } from "../../config/system-error.ts";
import { AnalyticsError, readErrorCode } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { resolveKeyedSource } from "../../sources/resolve-keyed-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { printFailure, printNote } from "../output/streams.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import { addKeysOption } from "./keys-option.ts";

const DRAIN_MS = 10_000;

/** The options of the settings: a value's name, and what help says. `%` stands for the variable with the same meaning. */
const OPTIONS: Readonly<Record<keyof typeof serveVariables, string>> = {
  host: "<host> address to listen on (default: 127.0.0.1; %)",
  port: "<port> port to listen on; 0 picks a free one (default: 8788; %)",
  publicUrl: "<url> public address: https://… (%)",
  dashboardUrl: "<url> where people create their keys; the sign-in page links to it (%)",
  store: "<store> where sign-ins are kept: a file, redis://… or memory (%)",
  secretFile: "<file> file of the server secret, the same on every replica (%)",
  trustProxy: "read clients' addresses from X-Forwarded-For, which your reverse proxy sends (%=on)",
  allowedOrigins: "<hosts> hosts of web pages whose scripts may call it (%)",
  registration: "<switch> on or off: whether applications may register (default: on; %)",
  clientDocuments:
    "<switch> on or off: whether to fetch applications' metadata documents (default: on; off for --demo on this machine; %)",
  adminListen: "<address> address for metrics and health, such as 127.0.0.1:9090 (%)",
  drainDelay: "<seconds> how long to keep serving when stopped, while /readyz answers 503 (default: 0; %)",
  logLevel: "<level> debug, info, warn or error (default: info; %)",
};

function createOption(name: string, text: string): Option {
  const [, value = "", description = ""] = /^(<.*?> )?(.*)$/s.exec(text) ?? [];
  const variable = readMember(serveVariables, name);
  const option = new Option(`${nameOption(name)} ${value}`.trim(), description.replace("%", `${variable}`));
  // Other values are refused with the other settings, which may also come from the environment.
  return value === "<switch> " ? option.choices(["on", "off"]).argParser(String) : option;
}

/** `analytics-mcp serve`: the remote connector. */
export const command: CommandDefinition = {
  group: "Serve:",
  summary: "Serve the tools to remote assistants, with OAuth",
  create: (io) => {
    const command = new ShellCommand("serve")
      .withAccess(access.service)
      .withExamples(
        "analytics-mcp serve --demo",
        "analytics-mcp serve --base-url https://stats.example.com --public-url https://connector.example.com",
        "analytics-mcp serve --logs '/var/log/nginx/access.log*' --site example.com --public-url https://connector.example.com",
      )
      .description(
        "Serve the tools to remote assistants over HTTP. Each person signs in with an API key on a page of this server. Without options, only this machine can reach it, and it keeps its state in a folder of its own.",
      );
    for (const [name, text] of Object.entries(OPTIONS)) command.addOption(createOption(name, text));
    return addKeysOption(command).action(async (_, self: ShellCommand) => {
      const flags = self.optsWithGlobals<SourceFlags & ServeFlags>();
      await serve(io, flags);
    });
  },
};

async function serve(io: Io, flags: SourceFlags & ServeFlags): Promise<void> {
  // A source with keys of its own is for trying it out.
  const isTrial = findLocal(flags, io.environment)?.kind.openKeyring !== undefined;
  const settings = readServeSettings(flags, io.environment, isTrial);
  const [{ startConnector }, { createLog }, { readSecret }, { findStoreLack, openStore }] = await Promise.all(
    [
      import("../../serve/connector-server.ts"),
      import("../../serve/connector-log.ts"),
      import("../../serve/server-secret.ts"),
      import("../../oauth/store/open-store.ts"),
    ],
  );
  const { clock } = io;
  const log = createLog({
    level: settings.logLevel,
    clock,
    isRead: io.stderr.isTTY === true,
    write: (line) => void printNote(io, line),
  });
  const lack = await findStoreLack(settings.store);
  const source = await resolveKeyedSource(flags, {
    clock,
    environment: io.environment,
    warn: (message) => log("source", { message }),
  }).catch(async (error: unknown) => {
    // Both are told at once, each with its hint.
    if (lack !== undefined) await printFailure(io, lack);
    throw error;
  });
  if (lack !== undefined) throw lack;
  const secret = await readSecret(settings.secretFile);
  const report = (message: string) => log("store", { message });
  const store = await openStore(settings.store, { clock, secret, report });
  try {
    const connector = await startConnector({
      ...settings,
      documentProxy: readProxyVariables(io.environment),
      source,
      store,
      secret,
      clock,
      log,
      version: io.version,
      callsPerMinute: readCallsPerMinute(io.environment),
    }).catch((cause: unknown) => {
      throw explainListening(cause);
    });
    await printNote(io, describeAddress(connector.publicUrl));
    void source.prepare?.();
    await io.untilStopped();
    await connector.close(DRAIN_MS, settings.drainDelay);
  } finally {
    await store.close();
  }
}

/** Says where to add the address. One line, because the lines that follow are one event each. */
function describeAddress(publicUrl: string): string {
  const start = `The connector is at ${publicUrl}: add ${publicUrl}/mcp in`;
  return isLoopback(new URL(publicUrl).hostname)
    ? `${start} Claude Code, Cursor or VS Code on this machine; ${publicUrl} shows how. claude.ai and ChatGPT cannot reach this machine: they need a public address, such as that of a tunnel, in --public-url.`
    : `${start} your assistant; ${publicUrl} shows how.`;
}

/** Explains Node's error on an address that it cannot listen on; other errors are returned as they are. */
function explainListening(cause: unknown): unknown {
  const isAddress = cause instanceof Error && "syscall" in cause && readErrorCode(cause) !== undefined;
  if (!isAddress) return cause;
  const { address, port, hostname } = cause as NodeJS.ErrnoException & Record<string, unknown>;
  const place = address === undefined ? hostname : `${address}, port ${port}`;
  return new AnalyticsError("usage", `Cannot listen on ${place}: ${explainSystemError(cause)}.`, {
    hint: "Choose another port (0 for a free one) or another address, with --host, --port or --admin-listen.",
    cause,
  });
}
