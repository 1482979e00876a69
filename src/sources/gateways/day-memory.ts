import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type * as z from "zod";
import { findCacheFolder } from "../../config/folders.ts";
import { readRegularFile } from "../../config/read-regular-file.ts";
import { replaceFile } from "../../config/replace-file.ts";
import type { GatewayContext } from "./gateway.ts";

/** What a service said about days that are over, kept on disk so that no later process has to ask again. */
export interface DayMemory<T> {
  /** Undefined for a day that is not kept, and for whatever cannot be read. */
  read(name: string, date: string): T | undefined;
  /** Does nothing where files cannot be written. */
  keep(name: string, date: string, value: T): void;
}

/**
 * Opens the days of a site. Only the same key for the same address finds them again.
 *
 * @param of What the days depend on beside key and address: the site, its timezone.
 */
export function openDayMemory<T>(
  { environment, target }: Pick<GatewayContext, "environment" | "target">,
  of: readonly (string | null)[],
  schema: z.ZodType<T>,
): DayMemory<T> {
  const cache = findCacheFolder(environment);
  const folder = cache && join(cache, "services", hash(target.baseUrl, target.apiKey), hash(...of));
  return {
    read: (name, date) => {
      if (folder === undefined) return undefined;
      try {
        const bytes = readRegularFile(join(folder, name, `${date}.json`));
        return schema.safeParse(JSON.parse(bytes.toString())).data;
      } catch {
        return undefined;
      }
    },
    keep: (name, date, value) => {
      if (folder === undefined) return;
      try {
        mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
        replaceFile(join(folder, name, `${date}.json`), JSON.stringify(value));
      } catch {
        // A folder that cannot be written, or a full disk: the service is asked again.
      }
    },
  };
}

const hash = (...parts: readonly (string | null)[]) =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
