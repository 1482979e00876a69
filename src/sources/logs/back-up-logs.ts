import { AnalyticsError } from "../../errors.ts";
import type { LocalContext } from "../source-types.ts";
import { openStore } from "./open.ts";
import { type Backup, backUpHistory } from "./store/back-up.ts";
import { explain, findHistoryFolder } from "./store/open-history.ts";

/** Saves what is new in some logs in their history, and copies the history to a folder. Throws AnalyticsError. */
export async function backUpLogs(
  context: LocalContext,
  target: string,
  closedOnly: boolean,
): Promise<Backup> {
  const { settings, store } = openStore(context);
  const { notKept } = await store.read();
  if (notKept !== undefined)
    throw new AnalyticsError("usage", `What was counted could not be saved: ${notKept.reason}.`);
  const folder = findHistoryFolder(settings, context.environment);
  if (folder === undefined) throw new AnalyticsError("usage", "Nothing is kept: there is no folder for it.");
  try {
    return backUpHistory(folder, target, closedOnly);
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause;
    throw new AnalyticsError("usage", `The history cannot be copied: ${explain(cause)}.`, { cause });
  }
}
