import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { createLogSource } from "../../src/sources/logs/log-source.ts";
import { readLogSettings } from "../../src/sources/logs/open.ts";
import { createLogStore } from "../../src/sources/logs/store/log-store.ts";
import type { SourceFlags } from "../../src/sources/source-types.ts";

/** A Saturday, 05:05:10 in Berlin. */
export const LOG_NOW = Date.parse("2026-11-21T04:05:10Z");
export const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

/** A folder of log files. */
export function createLogFolder(files: Record<string, string | Buffer> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "logs-"));
  const path = (name: string) => join(folder, name);
  const write = (name: string, text: string | Buffer) => writeFileSync(path(name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, path, write };
}

/** Root may read everything. */
export async function asNobody(run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(65_534);
  try {
    await run();
  } finally {
    process.seteuid?.(0);
  }
}

export interface Request {
  at?: string | number;
  address?: string;
  method?: string;
  target?: string;
  status?: number;
  referrer?: string;
  agent?: string;
  host?: string;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

/** `21/Nov/2026:04:05:10 +0000` */
export function formatClfTime(time: number, offsetMinutes = 0): string {
  const [date = "", clock = ""] = new Date(time + offsetMinutes * 60_000).toISOString().split(/[T.]/);
  const [year, month, day] = date.split("-");
  const minutes = Math.abs(offsetMinutes);
  const zone = [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, "0")).join("");
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock} ${offsetMinutes < 0 ? "-" : "+"}${zone}`;
}

/** A line of the combined format: somebody with Firefox who views the start page now. */
export function combined({
  at = LOG_NOW - 60_000,
  address = "192.0.2.1",
  method = "GET",
  target = "/",
  status = 200,
  referrer = "-",
  agent = FIREFOX,
  host,
}: Request = {}): string {
  const time = formatClfTime(typeof at === "string" ? Date.parse(at) : at);
  const prefix = host === undefined ? "" : `${host} `;
  return `${prefix}${address} - - [${time}] "${method} ${target} HTTP/1.1" ${status} 512 "${referrer}" "${agent}"`;
}

export const joinLines = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");

/** Logs with the options of a command line, in UTC unless they say otherwise. */
export function openTestLogs(
  flags: SourceFlags,
  { now = LOG_NOW, stdin }: { now?: number; stdin?: () => Readable } = {},
) {
  const clock = { now };
  const settings = readLogSettings({ timezone: "UTC", site: ["example.com"], ...flags });
  const store = createLogStore({ ...settings, stdin }, { clock: () => clock.now });
  let latest: Awaited<ReturnType<typeof store.read>> | undefined;
  const source = createLogSource(settings, {
    ...store,
    read: async (signal) => {
      latest = await store.read(signal);
      return latest;
    },
  });
  const readLatest = () => {
    if (latest === undefined) throw new Error("The log was not read yet.");
    return latest;
  };
  const findSite = async (domain?: string) => {
    const sites = await source.sites();
    const found = domain === undefined ? sites[0] : sites.find((site) => site.domain === domain);
    if (found === undefined) throw new Error(`no site ${domain}`);
    return found;
  };
  const spanOf = async (from: string, to: string, domain?: string) => ({
    site: await findSite(domain),
    from,
    to,
    now: clock.now,
  });
  return {
    source,
    clock,
    findSite,
    get registry() {
      return readLatest().registry;
    },
    /** Page views, visitors and events of some days. */
    count: async (from = "2026-11-21", to = from, domain?: string) => {
      const days = await source.days(await spanOf(from, to, domain));
      const add = (key: "visitors" | "pageviews" | "events") =>
        days.reduce((sum, day) => sum + (day[key] ?? 0), 0);
      return { visitors: add("visitors"), pageviews: add("pageviews"), events: add("events") };
    },
    /** Values with their visitors and hits. */
    rows: async (dimension: Dimension, from = "2026-11-21", to = from, domain?: string) => {
      const { rows } = await source.breakdown(await spanOf(from, to, domain), dimension, 1000);
      return rows.map(({ value, visitors, hits }) => [value, visitors, hits]);
    },
    active: async () => source.active(await findSite(), clock.now),
    warnings: async (from = "2026-11-21", to = from) => {
      const warnings = await source.warnings?.(await spanOf(from, to));
      return (warnings ?? []).map(({ code }) => code);
    },
    /** What became of the lines that were read, without zeros. */
    outcomes: () => {
      const counts = Object.entries(readLatest().collector.outcomes);
      return Object.fromEntries(counts.filter(([, count]) => count > 0));
    },
    contents: () => [...readLatest().registry.contents.values()],
  };
}
