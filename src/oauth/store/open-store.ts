import { AnalyticsError } from "../../errors.ts";
import { createMemoryStore } from "./memory-store.ts";
import type { Store, StoreOptions } from "./store.ts";
import { isUnavailable } from "./store-failure.ts";

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
    return openRedisStore(text, options).catch((error: unknown) => {
      throw isUnavailable(error) ? addAddress(error, new URL(text)) : error;
    });
  }
  if (text.trim() === "" || /^([a-z][a-z\d+.-]*:\/\/|file:|:memory:)/i.test(text)) {
    throw new AnalyticsError("usage", "--store is not a file path, a Redis URL or memory.", {
      hint: "Use --store ./data/store.db, --store redis://host:6379 or --store memory.",
    });
  }
  const { openSqliteStore } = await import("./sqlite-store.ts");
  return openSqliteStore(text, options);
}

/** For the operator, whose command has just failed. The rest of the URL may have a password. */
const addAddress = ({ code, message, cause }: AnalyticsError, { host }: URL): AnalyticsError =>
  new AnalyticsError(code, message, {
    hint: `Check that Redis runs at ${host || "localhost:6379"}, and the rest of the address in --store.`,
    cause,
  });
