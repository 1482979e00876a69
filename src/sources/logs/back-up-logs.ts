import { AnalyticsError } from "../../errors.ts";
import type { LocalContext } from "../source-types.ts";
import { openStore } from "./open.ts";
import { type Backup, backUpHistory } from "./store/back-up.ts";
import { explain } from "./store/open-history.ts";

/** Saves what is new in some logs in their history, and copies the history to a folder. Throws AnalyticsError. */
export async function backUpLogs(
  context: LocalContext,
  target: string,
  closedOnly: boolean,
): Promise<Backup> {
  const { store } = openStore(context);
  const { notKept, folder } = await store.read();
  if (notKept !== undefined)
    throw new AnalyticsError("usage", `What was counted could not be saved: ${notKept.reason}.`);
  if (folder === undefined) throw new AnalyticsError("usage", "Nothing is kept of these logs.");
  try {
    return backUpHistory(folder, target, closedOnly);
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause;
    throw new AnalyticsError("usage", `The history cannot be copied: ${explain(cause)}.`, { cause });
  }
}
