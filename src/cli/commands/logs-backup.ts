import { resolve } from "node:path";
import { formatCount } from "../../render/plural.ts";
import { backUpLogs } from "../../sources/logs/back-up-logs.ts";
import { formatSize } from "../../sources/logs/histories.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";

export interface BackupFlags {
  backup?: string;
  closedOnly?: true;
}

/** Copies the history of some logs to a folder, and says on stderr what the copy has. Throws AnalyticsError. */
export async function writeBackup(io: Io, flags: SourceFlags, folder: string, closedOnly: boolean) {
  const { environment, clock } = io;
  const warn = (text: string) => printNote(io, `warning: ${text}`);
  const target = resolve(folder);
  const { files, bytes, open, damaged } = await backUpLogs(
    { flags, environment, clock, warn },
    target,
    closedOnly,
  );
  await printNote(io, `Saved ${formatCount(files, "file")} (${formatSize(bytes)}) in ${target}.`);
  if (open.length > 0) {
    const days = open.length === 1 ? "a day that" : `${open.length} days that`;
    await printNote(
      io,
      closedOnly
        ? `Left out: ${open.join(", ")}, which can still grow.`
        : `It has ${days} can still grow (${open.join(", ")}), and so the key of the hashes of their visitors. Keep it as safe as the logs, or add --closed-only.`,
    );
  }
  for (const path of damaged) await printNote(io, `warning: damaged, and so not saved: ${path}`);
}
