import { AnalyticsError } from "../../errors.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { Store, StoreOptions } from "./store.ts";

const REDIS = /^rediss?:\/\//i;

/** What this machine lacks for the store that `--store` names; undefined if nothing. */
export async function findStoreLack(text: string): Promise<AnalyticsError | undefined> {
  if (text === "memory" || REDIS.test(text)) return undefined;
  const { findDriverLack } = await import("./sqlite-store.ts");
  return findDriverLack();
}

/**
 * Opens the store that `--store` names: `memory`, `redis://…` or `rediss://…`, or the path of a file. Throws
 * AnalyticsError `usage` if the name is none of these or the file is unsafe, and `unavailable` if the store fails.
 */
export async function openStore(text: string, options: StoreOptions): Promise<Store> {
  if (text === "memory") return createMemoryStore(options);
  if (REDIS.test(text)) {
    const { openRedisStore } = await import("./redis-store.ts");
    return openRedisStore(text, options);
  }
  if (text.trim() === "" || /^([a-z][a-z\d+.-]*:\/\/|file:|:memory:)/i.test(text)) {
    throw new AnalyticsError("usage", "--store is not a file path, a Redis URL or memory.", {
      hint: "Use --store ./data/store.db, --store redis://host:6379 or --store memory.",
    });
  }
  const { openSqliteStore } = await import("./sqlite-store.ts");
  return openSqliteStore(text, options);
}
