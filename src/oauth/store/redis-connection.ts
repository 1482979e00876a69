import type { Redis } from "ioredis";
import { AnalyticsError, readErrorCode } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { createStoreError } from "./store-failure.ts";

/** In milliseconds. A connection that is silent for the third limit is replaced. */
const CONNECT_TIMEOUT = 2_000;
const COMMAND_TIMEOUT = 2_000;
const SILENCE_TIMEOUT = 4_000;
const MAX_PAUSE = 1_000;

export interface Connection {
  /** Returns the answer of Redis, or throws AnalyticsError `unavailable` within `COMMAND_TIMEOUT`. */
  ask<T>(command: (redis: Redis) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Connects, and reconnects whenever the connection is lost; until then, calls fail at once. Logs when the connection
 * is lost and when it is back. Throws AnalyticsError `usage` for an invalid URL, and `unavailable` if Redis does not
 * answer. No message contains the URL, which may have a password.
 */
export async function connectRedis(url: string, report: (line: string) => void): Promise<Connection> {
  if (!URL.canParse(url)) {
    throw new AnalyticsError("usage", "--store is not a Redis URL.", {
      hint: "Use redis://user:password@host:6379/0, or rediss:// for TLS.",
    });
  }
  // The package is CommonJS: only its default export exists both bundled and unbundled.
  const { default: Redis } = await import("ioredis");
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT,
    commandTimeout: COMMAND_TIMEOUT,
    socketTimeout: SILENCE_TIMEOUT,
    // Calls do not wait for a connection. And a call that got no answer is not sent again, since it may have been
    // executed: the second call would take the first one's consumption for another request's.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE),
    // After a failover, a new connection may reach the new primary.
    reconnectOnError: (error) => readCode(error) === "READONLY",
  });
  let lost = true;
  let lastError: string | undefined;
  // A failed call says only "closed". The reason, such as a wrong password, comes with this event, at every attempt.
  redis.on("error", (error) => {
    lastError = readCode(error);
  });
  redis.on("close", () => {
    if (!lost) report("Lost the connection to Redis. Sign-ins are refused until it is back.");
    lost = true;
  });
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw createRedisError(error, lastError);
  }
  lost = false;
  lastError = undefined;
  redis.on("ready", () => {
    lastError = undefined;
    if (lost) report("The connection to Redis is back.");
    lost = false;
  });
  return {
    ask: async (command) => {
      try {
        return await command(redis);
      } catch (error) {
        throw createRedisError(error, lastError);
      }
    },
    close: () => {
      lost = true;
      redis.disconnect();
    },
  };
}

const REASONS: Record<string, string> = {
  OOM: "Redis is out of memory",
  READONLY: "this Redis is a read-only replica",
  NOREPLICAS: "Redis has too few replicas",
  MISCONF: "Redis cannot write to its disk",
  LOADING: "Redis is loading its data",
  BUSY: "Redis is busy with a script",
  MOVED: "this Redis is a cluster, which is not supported",
  NOAUTH: "Redis requires a password",
  WRONGPASS: "Redis does not accept the password",
  NOPERM: "this Redis user lacks a permission that the store needs",
};

function createRedisError(error: unknown, lastError: string | undefined): AnalyticsError {
  const own = readCode(error);
  const code = Object.hasOwn(REASONS, own) ? own : (lastError ?? own);
  const secure = /CERT|SSL|TLS|EPROTO/.test(code);
  const reason = secure ? "this machine does not trust the certificate of Redis" : "Redis does not answer";
  return createStoreError(readMember(REASONS, code) ?? reason, code);
}

/**
 * Reads the code of a Redis error, its first word, or of a network error. Redis 6 reports the failure of a script
 * inside a sentence: "ERR Error running script …: -OOM command not allowed".
 */
function readCode(error: unknown): string {
  const { message }: { message?: unknown } = Object(error);
  const words: string[] = String(message).match(/(?<=^|[-\s])[A-Z]{3,}\b/g) ?? [];
  const known = words.find((word) => Object.hasOwn(REASONS, word));
  return known ?? readErrorCode(error) ?? words[0] ?? "no answer";
}
