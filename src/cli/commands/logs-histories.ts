import { isDeepStrictEqual } from "node:util";
import { listProfiles, readProfileOptions, writeProfile } from "../../config/profiles.ts";
import type { Environment } from "../../config/variables.ts";
import { readMember } from "../../member.ts";
import { countDays } from "../../operations/days.ts";
import { quoteForShell } from "../../operations/shell-command.ts";
import type { Column, View } from "../../operations/view.ts";
import { formatCount } from "../../render/plural.ts";
import { pickOptions } from "../../sources/local-choice.ts";
import {
  findOwnFolder,
  forgetHistory,
  type HistoryRow,
  listHistoryRows,
  nameUser,
  setOptions,
} from "../../sources/logs/histories.ts";
import { readLogSettings } from "../../sources/logs/open.ts";
import { assertGiven } from "../../sources/logs/saved-options.ts";
import { findHistoriesFolder } from "../../sources/logs/store/find-history.ts";
import { logs } from "../../sources/logs.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { printNote } from "../output/streams.ts";

export interface HistoryFlags {
  list?: boolean;
  set?: boolean;
  forget?: boolean;
}

/**
 * Lists the histories of logs, changes the options of one, or removes one. Throws AnalyticsError.
 *
 * @param findFlags Which logs these are, with their options.
 */
export async function changeHistories(
  io: Io,
  flags: SourceFlags & OutputFlags & HistoryFlags,
  findFlags: () => SourceFlags,
): Promise<void> {
  const { environment, clock } = io;
  const output = readOutput(io, flags);
  const print = (histories: HistoryRow[], notes: string[], headline?: string) =>
    printAnswer(
      io,
      { params: {}, result: { histories }, views: [buildView(histories, notes, headline)] },
      output,
    );
  const locate = (rows: HistoryRow[]) =>
    rows.length === 1 ? rows.map(({ folder }) => `Its files are in ${folder}.`) : [];
  if (flags.list) {
    const rows = listHistoryRows(environment);
    return print(rows, [...locate(rows), ...describeOwner(environment)]);
  }
  if (flags.forget) {
    const settings = readLogSettings(findFlags(), environment.ANALYTICS_SITE);
    const isPerson = io.stdin.isTTY === true && output.format === "table";
    const forgotten = await forgetHistory(settings, environment, (row) =>
      isPerson ? confirmForgetting(io, row) : Promise.resolve(true),
    );
    return forgotten === undefined
      ? printNote(io, "Nothing was removed.")
      : print([forgotten], ["This history is removed."], "Removed");
  }
  const warn = (text: string) => printNote(io, `warning: ${text}`);
  // Before the files: what a profile has is not to be set.
  assertGiven(flags);
  const { row, changes } = await setOptions({ flags: findFlags(), environment, clock, warn });
  const changed = await changeProfiles(environment, row, flags);
  const told = changed.length === 0 ? [] : [`Changed in your profiles, too: ${changed.join(", ")}.`];
  return print([row], [...changes, ...locate([row]), ...told], "Options of the history");
}

async function confirmForgetting(io: Io, { logs, first_day, last_day, folder }: HistoryRow) {
  const { askYesOrNo, withPrompts } = await import("./login-prompt.ts");
  const name = logs?.map(quoteForShell).join(" ") ?? folder;
  const days = first_day && last_day ? ` (${formatCount(countDays(first_day, last_day), "day")})` : "";
  await printNote(io, "Only days whose log files still exist can be counted again.");
  const question = `Remove the history of ${name}${days}`;
  return withPrompts(io, (ask) => askYesOrNo(ask, question, "no"), "nothing was removed");
}

/** Changes what the profiles of a history say of options that were set: they would ask for the earlier ones. Returns their names. */
async function changeProfiles(environment: Environment, { folder }: HistoryRow, flags: SourceFlags) {
  // Which logs these are is not set, and paths to leave out are not saved with a history.
  const { logs: _, site: __, excludePath: ___, ...set } = pickOptions({ kind: logs, flags });
  const changed: string[] = [];
  for (const name of listProfiles(environment)) {
    const options = readProfileOptions(environment, name);
    if (options?.logs === undefined) continue;
    const stale = Object.entries(set).filter(([key, value]) => {
      const saved = readMember(options, key);
      return saved !== undefined && !isDeepStrictEqual(saved, value);
    });
    if (stale.length === 0) continue;
    const settings = readLogSettings({ logs: options.logs, site: options.site });
    if ((await findOwnFolder(settings, environment)) !== folder) continue;
    writeProfile(environment, name, { options: { ...options, ...Object.fromEntries(stale) } });
    changed.push(name);
  }
  return changed;
}

const describeOwner = (environment: Environment): string[] =>
  findHistoriesFolder(environment) === undefined
    ? ["This user has no folder for histories: HOME is not set, so nothing that is counted is kept."]
    : [`These are the histories of the user ${nameUser()}: others have their own.`];

const column = (key: string, kind: Column["kind"], more: Partial<Column> = {}): Column => ({
  key,
  label: key.replaceAll("_", " "),
  kind,
  ...more,
});

const COLUMNS = [
  column("logs", "text", { wraps: true, keepsEnd: true }),
  column("options", "text", { wraps: true }),
  column("sites", "count", { spare: true }),
  column("first_day", "date"),
  column("last_day", "date"),
  column("bytes", "count"),
  column("damaged", "text", { wraps: true }),
  column("set_aside", "text", { machine: true }),
  column("folder", "text", { machine: true }),
];

function buildView(
  histories: readonly HistoryRow[],
  notes: readonly string[],
  headline = "Histories of access logs",
): View {
  const isDamaged = histories.some(({ damaged }) => damaged.length > 0);
  return {
    headline,
    columns: COLUMNS.map((each) => (each.key !== "damaged" || isDamaged ? each : { ...each, machine: true })),
    rows: histories.map(({ logs, options, damaged, set_aside, ...row }) => ({
      ...row,
      logs: logs?.join(" ") ?? null,
      // A spreadsheet takes what begins with a hyphen for a formula.
      options: options?.map((option) => option.slice(2).replaceAll(/ --(?=[a-z])/g, ", ")).join(", ") ?? null,
      damaged: damaged.length === 0 ? null : damaged.join(" "),
      set_aside: set_aside.length === 0 ? null : set_aside.join(" "),
    })),
    notes: [
      ...histories.flatMap(({ set_aside }) =>
        set_aside.map((path) => `A damaged part was set aside: ${path}`),
      ),
      ...notes,
    ],
  };
}
