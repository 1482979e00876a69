import type { Redis } from "ioredis";
import { AnalyticsError } from "../../errors.ts";
import { describeFailure } from "./store-failure.ts";

/** Milliseconds. A silent server is taken for gone after the third, so that a dead connection is made anew. */
const CONNECT_TIMEOUT = 2_000;
const COMMAND_TIMEOUT = 2_000;
const SILENCE_TIMEOUT = 4_000;
const MAX_PAUSE = 1_000;

export interface Connection {
  /** What Redis says, or AnalyticsError `unavailable` within `COMMAND_TIMEOUT`. */
  ask<T>(question: (redis: Redis) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Connects, and connects again by itself whenever the connection is lost; calls fail at once meanwhile. Tells
 * the log when it is lost and when it is back, and nothing in between. Throws AnalyticsError `usage` for a URL
 * that is none, `unavailable` where Redis does not answer. The URL, which may hold a password, is in no message.
 */
export async function connectRedis(url: string, report: (line: string) => void): Promise<Connection> {
  if (!URL.canParse(url)) {
    throw new AnalyticsError("usage", "--store is not a Redis URL.", {
      hint: "It looks like redis://user:password@host:6379/0, or rediss:// for TLS.",
    });
  }
  // The package is CommonJS: only its default is there both bundled and not.
  const { default: Redis } = await import("ioredis");
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT,
    commandTimeout: COMMAND_TIMEOUT,
    socketTimeout: SILENCE_TIMEOUT,
    // A call waits for no connection; and one whose answer was lost may have been carried out, so that sending
    // it again would find its own consumption and take it for another's.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 50, MAX_PAUSE),
    // After a failover, the address may lead to the new primary.
    reconnectOnError: (error) => readCode(error) === "READONLY",
  });
  let lost = true;
  let trouble: string | undefined;
  // What a call gets is "closed"; why, such as a wrong password, only this event tells. It comes at every attempt.
  redis.on("error", (error) => {
    trouble = readCode(error);
  });
  redis.on("close", () => {
    if (!lost) report("The connection to Redis is lost; sign-ins are refused until it is back.");
    lost = true;
  });
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw explain(error, trouble);
  }
  lost = false;
  trouble = undefined;
  redis.on("ready", () => {
    trouble = undefined;
    if (lost) report("The connection to Redis is back.");
    lost = false;
  });
  return {
    ask: async (question) => {
      try {
        return await question(redis);
      } catch (error) {
        throw explain(error, trouble);
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
  NOAUTH: "Redis asks for a password",
  WRONGPASS: "Redis does not accept the password",
  NOPERM: "Redis does not permit this user what is needed",
};

function explain(error: unknown, trouble: string | undefined): AnalyticsError {
  const own = readCode(error);
  const code = own in REASONS ? own : (trouble ?? own);
  const secure = /CERT|SSL|TLS|EPROTO/.test(code);
  const reason = secure ? "Redis shows no certificate that this machine accepts" : "Redis does not answer";
  return describeFailure(REASONS[code] ?? reason, code);
}

/**
 * The word that an answer of Redis starts with, or the code of a network's failure. Redis 6 puts what a script
 * met in the middle of a sentence: "ERR Error running script …: -OOM command not allowed".
 */
function readCode(error: unknown): string {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown };
  const words: string[] = String(message).match(/(?<=^|[-\s])[A-Z]{3,}\b/g) ?? [];
  const known = words.find((word) => word in REASONS);
  return known ?? (typeof code === "string" ? code : (words[0] ?? "no answer"));
}
