import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { completeAddress, readBaseUrl } from "../../config/base-url.ts";
import { adviseOnGroup, type FoundLogs } from "../../config/found-logs.ts";
import type { Profile } from "../../config/profiles.ts";
import { findNamedService, serviceNames } from "../../config/services.ts";
import { readVariable } from "../../config/variables.ts";
import { AnalyticsError } from "../../errors.ts";
import { readMachine } from "../../setup/machine.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import type { ServiceFlags } from "./login-input.ts";
import { describeRun, type LookedAt, lookAt } from "./login-logs.ts";
import type { Kept } from "./login-next.ts";
import type { Ask } from "./login-prompt.ts";

/** Logs of this machine, with what they have. */
type Known = FoundLogs & { run?: LookedAt };

/** What a person has: the options that they would have typed. */
export type Have =
  | { logs: readonly string[]; run?: LookedAt }
  | Pick<Kept, "options">
  | Pick<ServiceFlags, "baseUrl" | "service">;

/** Whether the options leave open what is to be saved, and a person is there to say it. */
export const asksForSource = ({ stdin, environment }: Io, flags: ServiceFlags): boolean =>
  stdin.isTTY === true &&
  [
    flags.baseUrl,
    flags.service,
    flags.apiKeyFile,
    flags.apiKeyStdin,
    flags.mapping,
    flags.siteTimezones,
  ].every((value) => value === undefined) &&
  findNamedService({}, environment) === undefined;

const EXAMPLES = "Such as https://stats.example.com, or /var/log/nginx/access.log*";

/** Looks for access logs on this machine, and says what they have. Returns those that can be read. */
export async function showFoundLogs(io: Io): Promise<Known[]> {
  const found = await io.findLogs();
  if (found.length === 0) return [];
  await printNote(io, "Access logs on this machine:");
  const known: Known[] = [];
  for (const logs of found) {
    const about = await describe(io, logs);
    const number = about.run === undefined ? "-" : String(known.push({ ...logs, run: about.run }));
    await printNote(io, `  ${number}  ${logs.server}: ${about.text}`);
    for (const line of [...logs.patterns, about.advice ?? []].flat()) await printNote(io, `     ${line}`);
  }
  await printNote(io, "");
  return known;
}

async function describe(io: Io, logs: FoundLogs): Promise<{ text: string; advice?: string; run?: LookedAt }> {
  if (!logs.isReadable)
    return { text: "this user cannot read them", advice: `To read them, ${adviseOnGroup(logs)}` };
  try {
    const run = await lookAt(io, logs.patterns);
    return { text: describeRun(run), run };
  } catch (error) {
    if (error instanceof AnalyticsError) return { text: error.message };
    throw error;
  }
}

/** Asks what a person has: logs that were found, the path of others, or the address of a service. */
export async function askForSource(
  { environment }: Io,
  ask: Ask,
  found: readonly Known[],
  saved: Profile | undefined,
  kept: Kept | undefined,
): Promise<Have> {
  let have: Have = {};
  const numbers = found.length === 1 ? "1" : `1 to ${found.length}`;
  const label =
    found.length === 0
      ? "Address of Matomo, Umami, Plausible, ClickHouse or a service of your own, or the path of access logs"
      : `What to read: ${numbers} for the logs above, the path of others, or the address of Matomo, Umami, Plausible, ClickHouse or a service of your own`;
  const address = saved?.baseUrl ?? readVariable(environment, "ANALYTICS_BASE_URL");
  const fallback =
    kept?.text ?? address?.replace(/\/api\/v1\/?$/, "") ?? (found.length > 0 ? "1" : undefined);
  await ask({
    label,
    fallback,
    read: (text) => {
      if (text === fallback && kept !== undefined) have = { options: kept.options };
      else if (text === fallback && saved !== undefined)
        have = { baseUrl: saved.baseUrl, service: saved.service };
      // Quotes are for a shell.
      else have = readHave(text.replace(/^(['"])(.*)\1$/, "$2"));
      return text;
    },
  });
  return have;

  function readHave(text: string): Have {
    if (text === "") {
      throw new AnalyticsError("usage", "Nothing was typed.", {
        hint: EXAMPLES,
      });
    }
    if (/^\d{1,3}$/.test(text)) {
      const chosen = found[Number(text) - 1];
      if (chosen !== undefined) return { logs: chosen.patterns, ...(chosen.run && { run: chosen.run }) };
      throw new AnalyticsError("usage", `There is no number ${text} above.`);
    }
    const service = serviceNames.find((name) => name === text.toLowerCase());
    if (service !== undefined) return { service };
    if (/^clickhouse$|^https?:\/\/[^/]*@|^https?:\/\/[^/]*:(?:8123|8443)(?:\/|$)/i.test(text.slice(0, 500))) {
      throw new AnalyticsError("usage", "A table in ClickHouse takes options of its own.", {
        hint: "Ctrl-C, then: analytics-mcp login --clickhouse https://reader@host:8443/web",
      });
    }
    if (isPath(text)) {
      const isHome = text.startsWith("~");
      return { logs: [isHome ? join(readMachine(environment).home, text.slice(1)) : text] };
    }
    const typed = completeAddress(text);
    if (!typed.includes("://")) {
      throw new AnalyticsError(
        "usage",
        "What you typed is neither an address nor a file or folder that exists here.",
        { hint: EXAMPLES },
      );
    }
    readBaseUrl(typed, environment, "What you typed");
    return { baseUrl: text };
  }
}

/** Whether a text can only be the path of logs: `/var/log/…`, `~/logs`, `C:\logs`, `example.com=/var/log/…`, `access.log*`. */
const isPath = (text: string): boolean =>
  /^(?:[\w.-]{1,253}=)?(?:[~/\\]|\.{1,2}[/\\]|[a-z]:\\)/i.test(text) ||
  (/[*?]/.test(text) && !text.includes("://")) ||
  // A folder may have the name of a host.
  (existsSync(text) && (statSync(text).isFile() || completeAddress(text) === text));
