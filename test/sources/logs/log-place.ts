import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import type { DataSource, Span } from "../../../src/sources/data-source.ts";
import { createLogSource } from "../../../src/sources/logs/log-source.ts";
import { readLogSettings } from "../../../src/sources/logs/open.ts";
import type { LogSettings } from "../../../src/sources/logs/settings.ts";
import { nameHistoryFolder } from "../../../src/sources/logs/store/find-history.ts";
import { createLogStore } from "../../../src/sources/logs/store/log-store.ts";
import { openHistoryOf } from "../../../src/sources/logs/store/open-history.ts";

/** A folder with logs, and a clock. */
export interface LogPlace {
  folder: string;
  /** Milliseconds since 1970. */
  clock: { now: number };
  /** Replaces a file's lines. */
  write(name: string, lines: readonly string[]): void;
  append(name: string, lines: readonly string[]): void;
  /** The lines of a file. */
  read(name: string): string[];
  /** Opens the logs as a new process does; with a history unless it is left out. */
  open(flags?: Record<string, unknown>, withHistory?: boolean): Promise<DataSource>;
  /** Changes the options of the history, as `logs --set` does. */
  set(flags: Record<string, unknown>): Promise<unknown>;
  /** The variables that name the folder of histories. */
  environment: Record<string, string>;
  /** The folder of the history. */
  history(): string;
  /** What the program said about the history. */
  warned: string[];
  remove(): void;
}

export const NOON = Date.UTC(2026, 10, 21, 12);

export function createLogPlace(folder = mkdtempSync(join(tmpdir(), "logs-"))): LogPlace {
  mkdirSync(join(folder, "www"), { recursive: true });
  const clock = { now: NOON };
  const environment = { XDG_STATE_HOME: join(folder, "state") };
  const warned: string[] = [];
  const join_ = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join("");
  return {
    folder,
    clock,
    environment,
    warned,
    history: () =>
      nameHistoryFolder(join(folder, "state", "analytics-mcp", "logs"), readSettings(folder, {}).files),
    write: (name, lines) => writeFileSync(join(folder, "www", name), join_(lines)),
    append: (name, lines) => appendFileSync(join(folder, "www", name), join_(lines)),
    read: (name) =>
      readFileSync(join(folder, "www", name), "utf8")
        .split("\n")
        .slice(0, -1),
    open: async (flags = {}, withHistory = true) => {
      const settings = readSettings(folder, flags);
      const openHistory = () => openHistoryOf(settings, environment, (text) => warned.push(text));
      const store = createLogStore(settings, {
        clock: () => clock.now,
        ...(withHistory && { openHistory }),
      });
      return createLogSource(settings, store);
    },
    set: (flags) => {
      const settings = readSettings(folder, flags);
      const openHistory = () => openHistoryOf(settings, environment, (text) => warned.push(text));
      return createLogStore(settings, { clock: () => clock.now, openHistory, mayChange: true }).read();
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** What a command line with these flags asks for. */
export function readSettings(folder: string, flags: Record<string, unknown>): LogSettings {
  return readLogSettings({
    logs: [join(folder, "www", "access.log*")],
    site: ["example.com"],
    timezone: "UTC",
    ...flags,
  });
}

export interface LineParts {
  at: number;
  address?: string;
  path?: string;
  status?: number;
  referrer?: string;
  agent?: string;
}

export const CHROME =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A line in the combined format. @param at Milliseconds since 1970. */
export function combinedLine({ at, address = "203.0.113.7", path = "/", status = 200, ...rest }: LineParts) {
  const { referrer = "-", agent = CHROME } = rest;
  const [date = "", time = ""] = new Date(at).toISOString().slice(0, 19).split("T");
  const [year, month, day] = date.split("-");
  const stamp = `${day}/${MONTHS[Number(month) - 1]}/${year}:${time} +0000`;
  return `${address} - - [${stamp}] "GET ${path} HTTP/1.1" ${status} 512 "${referrer}" "${agent}"`;
}

/** Everything that a source says about some days, to compare two sources. */
export async function readAll(source: DataSource, from: string, to: string, now: number) {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span: Span = { site, from, to, now };
  const dimensions = (await source.dimensions?.(site)) ?? [];
  const rankings: [string, unknown][] = [];
  for (const dimension of dimensions)
    rankings.push([dimension, await source.breakdown(span, dimension, 1000)]);
  return {
    site,
    days: await source.days(span),
    rankings: Object.fromEntries(rankings),
    active: await source.active(site, now),
    notFound: await source.notFound?.(span, 1000),
  };
}

/** Ends waits for a lock at once: to whatever is done meanwhile, a second has passed whenever it looks. `lock.test.ts` really waits. */
export function skipWaits<T>(use: () => T): T {
  let looks = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => 1_000 * ++looks);
  const restore = () => clock.mockRestore();
  const done = use();
  if (done instanceof Promise) void done.then(restore, restore);
  else restore();
  return done;
}
