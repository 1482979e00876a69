import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explainSystemError } from "../../config/system-error.ts";
import { type Environment, readVariable } from "../../config/variables.ts";
import { AnalyticsError } from "../../errors.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { splitSite } from "../../sources/named-sites.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { openFile } from "../output/open-file.ts";
import { printFailure, printNote, writeData } from "../output/streams.ts";
import { type Appearance, readScreen } from "../output/terminal.ts";
import { openQuerySource } from "../source.ts";
import { assertNotOption } from "../usage-error.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import { readPort } from "./port-option.ts";
import { createSiteOption } from "./site-option.ts";

interface ViewFlags extends SourceFlags, Appearance {
  site?: readonly string[];
  port: number;
  open: boolean;
}

const PORT = 8790;
/** How many ports after it are tried if it is taken. */
const MAX_TRIES = 20;
/** Milliseconds between two questions about who is active, of this computer's data and of a service. */
const PAUSE = { local: 10_000, service: 60_000 };

/** `analytics-mcp view`: pages to look at, on this computer alone. */
export const command: CommandDefinition = {
  group: "Ask:",
  summary: "Look at your numbers in a browser, on this computer",
  create: (io) => {
    const view = new ShellCommand("view")
      .withAccess(access.all)
      .withExamples(
        "analytics-mcp view --demo",
        "analytics-mcp view example.com --demo",
        "analytics-mcp view --logs '/var/log/nginx/access.log*' --site example.com",
        "analytics-mcp view --no-open --port 9000",
      )
      .description(
        "Serve pages with your numbers on 127.0.0.1 and open the first in the browser. The address has a secret: whoever has it can read the numbers, so do not share it. Nothing is loaded from the network. Over ssh, it also prints the line that forwards the port to your computer.",
      )
      .usage("[site] [options]")
      .argument("[site]")
      .addOption(createSiteOption().hideHelp())
      .option(
        "--port <port>",
        "port on 127.0.0.1; 0 picks a free one (default: 8790, or the next free one)",
        readPort,
      )
      .option("--no-open", "print the address only");
    return view.action(async (word: string | undefined) => {
      assertNotOption(word, "view");
      const flags = view.optsWithGlobals<ViewFlags>();
      const [named, ...others] = flags.site ?? [];
      // Several choose among the hosts of a log.
      const given = word ?? (others.length === 0 && named !== undefined ? splitSite(named).site : undefined);
      const site = given && normalizeSite(given);
      const source = openQuerySource(io, flags, { site });
      // A service that is down may come back; what is not set up stays so.
      if (source.kind === "service") await source.readAccess();
      const { serveView } = await import("../../view/view-server.ts");
      const { formatAnswer } = await import("../output/print-answer.ts");
      const start = (port: number) =>
        serveView({
          call: source.call,
          source: source.options,
          note: source.kind === "local" ? source.about.note : undefined,
          screen: { ...readScreen(io, "stdout", flags), color: false, pictures: false },
          format: (answer, format) =>
            formatAnswer(io, answer, { ...flags, format, quiet: false, pager: false }),
          port,
          clock: io.clock,
          pause: PAUSE[source.kind === "local" ? "local" : "service"],
          wait: io.pause,
        });
      const server = await openFree(start, flags.port);
      const address = `${server.address}${encodeURIComponent(site ?? "")}`;
      await writeData(io, address);
      const tunnel = describeTunnel(io.environment, new URL(server.address).port);
      if (tunnel !== undefined) {
        await printNote(
          io,
          "This is over ssh. Run this line on your own computer, then open the address there:",
        );
        await printNote(io, `  ${tunnel}`);
      }
      const hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].some((name) => readVariable(io.environment, name));
      if (flags.open && (tunnel === undefined || hasDisplay)) await openBrowser(io, address);
      await printNote(io, "Ctrl-C stops it.");
      const stop = new AbortController();
      const { sites } = await import("../../operations/index.ts");
      // What keeps the data from being read is said here, too: the browser may be closed, or on another computer.
      const checked = source
        .call(sites, {}, { signal: stop.signal })
        .catch((failure: unknown) => (stop.signal.aborted ? undefined : printFailure(io, failure)));
      await io.untilStopped();
      stop.abort();
      await Promise.all([checked, server.close()]);
    });
  },
};

/** Starts on the port that was asked for, or else on the first free one. Throws AnalyticsError `usage`. */
async function openFree<T>(start: (port: number) => Promise<T>, asked: number | undefined): Promise<T> {
  for (let port = asked ?? PORT; ; port++) {
    try {
      return await start(port);
    } catch (cause) {
      const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (isTaken && asked === undefined && port < PORT + MAX_TRIES) continue;
      throw new AnalyticsError("usage", `Cannot listen on port ${port}: ${explainSystemError(cause)}.`, {
        hint: "Choose another --port (0 for a free one).",
        cause,
      });
    }
  }
}

/**
 * The line that makes the port one of the person's own computer, where the shell is one over ssh.
 * `SSH_CONNECTION` has the addresses and ports of both ends.
 */
function describeTunnel(environment: Environment, port: string): string | undefined {
  const connection = readVariable(environment, "SSH_CONNECTION");
  if (connection === undefined) return undefined;
  const [, , host = "", sshPort = ""] = connection.split(/\s+/);
  const user = readVariable(environment, "USER") ?? "";
  return [
    `ssh -L ${port}:127.0.0.1:${port}`,
    ...(/^\d{1,5}$/.test(sshPort) && sshPort !== "22" ? [`-p ${sshPort}`] : []),
    `${/^[\w.][\w.-]*$/.test(user) ? user : "you"}@${isIP(host) === 0 ? "server" : host}`,
  ].join(" ");
}

/** How long the browser has to read the file, in milliseconds. */
const READ_MS = 20_000;

/**
 * Opens the first page by a file that only this user can read: an address among the arguments of a program could be read by every user
 * of this computer.
 */
async function openBrowser(io: Io, address: string): Promise<void> {
  const path = join(tmpdir(), `analytics-mcp-${randomUUID()}.html`);
  await writeFile(path, `<!doctype html><meta http-equiv="refresh" content="0; url=${address}">\n`, {
    mode: 0o600,
    flag: "wx",
  });
  if (!(await openFile(path, io.environment))) {
    await printNote(io, "No program here could open a browser. Open the address in yours.");
  }
  const remove = () => rm(path, { force: true });
  setTimeout(remove, READ_MS).unref();
  void io.untilStopped().then(remove);
}
