import { AnalyticsError } from "../../errors.ts";
import type { LocalContext } from "../source-types.ts";
import { openStore } from "./open.ts";
import { inspectHistory } from "./store/inspect-history.ts";
import { findHistoryFolder } from "./store/open-history.ts";

/** Says where the history of the logs is, what it has, and what is wrong with it. Throws AnalyticsError. */
export async function checkHistory(context: LocalContext): Promise<string> {
  const { settings, store } = openStore(context);
  const { notKept } = await store.read();
  const folder = findHistoryFolder(settings, context.environment);
  if (folder === undefined) {
    throw new AnalyticsError("usage", "Nothing is kept: there is no folder for it.", {
      hint: "Set XDG_STATE_HOME or HOME. Until then, days whose log files are gone are missing.",
    });
  }
  if (notKept !== undefined) {
    throw new AnalyticsError("usage", `What was counted could not be saved: ${notKept.reason}.`, {
      hint: `The history of these logs is kept in ${folder}.`,
    });
  }
  const report = inspectHistory(folder);
  if (report === undefined) return "standard input is not kept";
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

const formatSize = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
