import { AnalyticsError, quotePath, readErrorCode } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { quoteForShell } from "../../operations/shell-command.ts";
import { formatCount, nameUnit } from "../../render/plural.ts";
import type { LocalCheck, LocalContext } from "../source-types.ts";
import { describeEnd } from "./coverage.ts";
import { formatSize } from "./histories.ts";
import { listEnded } from "./log-end.ts";
import { openStore } from "./open.ts";
import { readHead } from "./reading/file-head.ts";
import { DOCTOR_LOOKS } from "./reading/file-registry.ts";
import { findFiles, STDIN } from "./reading/find-files.ts";
import { listLost } from "./reading/lost-lines.ts";
import { adviseOnOthers, adviseOnWhole, listUnrotated } from "./reading/named-logs.ts";
import { describeRepeat, listRepeated } from "./reading/repeated-lines.ts";
import { describeUnread, findUnread } from "./reading/unread-input.ts";
import { findServerFormat, SERVER_FOLDERS } from "./server-formats.ts";
import { type LogPattern, type LogSettings, quotePatterns } from "./settings.ts";
import { inspectHistory } from "./store/inspect-history.ts";

/** A stream can be read once, and the sites are read after these checks. */
const readsStdin = ({ files }: LogSettings): boolean => files.some(({ glob }) => glob === STDIN);

/** Says what the log files have, and which of them cannot be read to their end. Throws AnalyticsError. */
export async function checkFiles(
  context: LocalContext,
  folders = SERVER_FOLDERS,
): ReturnType<LocalCheck["run"]> {
  const { settings, store } = openStore(context);
  if (readsStdin(settings)) return "standard input, which the sites are read from";
  const {
    registry,
    collector,
    settings: { calendar },
  } = await store.read().catch((error: unknown) => proposeFormat(error, settings, folders));
  const { contents, leftOut } = registry;
  const lost = listLost(contents.values(), leftOut);
  const [first] = lost;
  if (first !== undefined) {
    const others = lost.length === 1 ? "" : ` So are ${lost.length - 1} more.`;
    throw new AnalyticsError(
      "usage",
      `${first.path || "A file that is gone"} is damaged or incomplete.${others}`,
      {
        hint: "Its lines after the damage are missing from the numbers. Restore it from a backup, or from the server that wrote it: what was missing is then read.",
      },
    );
  }
  const lines = [...contents.values()].reduce((sum, content) => sum + content.lines, 0);
  const present = [...contents.values()].filter((content) => registry.isPresent(content)).length;
  const about = `${lines.toLocaleString("en")} ${nameUnit(lines, "line")}; ${formatCount(present, "file")} present`;
  const now = context.clock();
  const today = calendar.find(now / 1000).date;
  const recent = { from: addDays(today, 1 - RECENT_DAYS), to: today };
  const unread = findUnread(registry, { site: undefined, ...recent }, calendar);
  const [ended] = listEnded(collector.sites, settings, { now, hasFiles: registry.hasFiles() });
  const [unrotated] = listUnrotated(settings.files);
  const gone = await listUnmatched(settings);
  const problems = [
    ...(unread ? [{ detail: describeUnread(unread, recent), fix: describeFix(settings) }] : []),
    ...listRepeated(contents.values())
      .slice(0, MOST_REPEATED)
      .map(({ path, repeats }) => describeRepeat(path || "A file that is gone", repeats.path)),
    ...(unrotated ? [{ detail: unrotated.detail, fix: adviseOnWhole(unrotated) }] : []),
    ...(gone.length > 0 ? [describeUnmatched(gone)] : []),
    ...(ended
      ? [{ detail: describeEnd(ended.log, ended.end, now).detail, fix: gone.length > 0 ? "" : ENDED }]
      : []),
  ];
  if (problems.length === 0) return about;
  const join = (texts: string[]) => [...new Set(texts)].join(" ").trim();
  return {
    warning: join([`${about}.`, ...problems.map(({ detail }) => detail)]),
    fix: join(problems.map(({ fix }) => fix)),
  };
}

/** The patterns that match no file. */
async function listUnmatched({ files }: LogSettings): Promise<LogPattern[]> {
  const found = await Promise.all(files.map((file) => findFiles({ files: [file], mayBeGone: true })));
  return files.filter((_, index) => found[index]?.length === 0);
}

const describeUnmatched = (patterns: readonly LogPattern[]) => ({
  detail: `No file matches ${patterns.map(({ glob }) => quotePath(glob)).join(", ")} any more.`,
  fix:
    adviseOnOthers(patterns) ??
    "If the logs have moved, name their new place with --logs, or log in with it: what was counted stays, and goes on.",
});

const ENDED =
  "If people have come since, check where the server writes its log now: it may need a reload after a rotation, and copied files must be copied again.";
/** What is older has been seen. */
const RECENT_DAYS = 30;
/** `logs` names all. */
const MOST_REPEATED = 3;
const describeFix = ({ files }: LogSettings) =>
  `analytics-mcp logs ${quotePatterns(files)} shows the first of these lines, --log-format describes another format, and a file that is no access log should not match the pattern.`;

/** If the logs are in no known format, adds the option with which this machine's web server describes them. */
async function proposeFormat(
  error: unknown,
  settings: LogSettings,
  folders: readonly string[],
): Promise<never> {
  // A file that cannot be read, or does not exist, has no format.
  if (!(error instanceof AnalyticsError) || readErrorCode(error.cause) !== undefined) throw error;
  for (const file of await findFiles(settings)) {
    const { detected, fingerprint, sample } = await readHead(file, settings.format);
    if (fingerprint !== "" || (detected.kind !== "unknown" && detected.kind !== "access")) continue;
    const found = findServerFormat(sample, folders);
    if (found === undefined) continue;
    throw new AnalyticsError(error.code, error.message, {
      hint: `${found.file} describes these lines. Add: --log-format ${quoteForShell(found.description)}`,
      cause: error,
    });
  }
  throw new AnalyticsError(error.code, error.message, {
    hint: error.hint?.replace(DOCTOR_LOOKS, ". The doctor found none in this machine's web server settings."),
    cause: error,
  });
}

/** Says where the history of the logs is, what it has, and what is wrong with it. Throws AnalyticsError. */
export async function checkHistory(context: LocalContext): Promise<string> {
  const { settings, store } = openStore(context);
  if (readsStdin(settings)) return "standard input is not kept";
  const { notKept, partOf, folder } = await store.read();
  if (notKept !== undefined) {
    throw new AnalyticsError("usage", `What was counted could not be saved: ${notKept.reason}.`, {
      hint: `The history of these logs is kept in ${folder ?? "no folder"}.`,
    });
  }
  if (partOf !== undefined)
    return `nothing is kept: these are only a part of ${partOf.join(", ")}, which has a history`;
  if (folder === undefined) {
    throw new AnalyticsError("usage", "Nothing is kept: there is no folder for it.", {
      hint: "Set XDG_STATE_HOME or HOME. Until then, days whose log files are gone are missing.",
    });
  }
  const report = inspectHistory(folder);
  if (report === undefined) return "nothing is kept yet";
  const [damaged] = report.damaged;
  if (damaged !== undefined) {
    const others = report.damaged.length === 1 ? "" : ` and ${report.damaged.length - 1} more`;
    throw new AnalyticsError("usage", `A file of the history is damaged or missing: ${damaged}${others}.`, {
      hint: "Restore it from a backup. If its log files still exist, remove the folder of the history: it is made again from them.",
    });
  }
  const { first, last, bytes } = report;
  const days = first === undefined ? "no day yet" : `${first} to ${last}`;
  return `${days}, ${formatSize(bytes)} in ${folder}`;
}
