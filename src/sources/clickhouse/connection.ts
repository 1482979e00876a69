import { setMaxListeners } from "node:events";
import { createClient } from "@clickhouse/client";
import { type Answer, CutAnswer, readAnswer } from "./answer.ts";
import { createCache } from "./cache.ts";
import { explainFailure, explainSilence } from "./failure.ts";
import { checkProfile } from "./profile.ts";
import type { ClickHouseSettings } from "./settings.ts";

/** Values of a query's parameters, which are sent separately from the SQL. */
export type QueryParams = Readonly<Record<string, string | number | readonly string[]>>;

export interface Connection {
  /** Throws AnalyticsError `unavailable` or `usage`, or the signal's reason. */
  ask(query: string, params?: QueryParams, signal?: AbortSignal): Promise<Answer>;
}

/** Some queries take minutes on a large table; callers cancel sooner. */
const TIME_LIMIT_MS = 10 * 60_000;
/** The queries of one overview run in parallel and must leave room for others. */
const MAX_QUERIES = 4;

/** A profile can change while this process runs. */
const CHECK_AGAIN_MS = 5 * 60_000;
/** The check reads no table: if it takes longer, the server hangs. */
const CHECK_LIMIT_MS = 30_000;

/** Creates a connection by HTTP. Nothing is sent before the first query, which checks the user's profile. */
export function connect(
  { url, user, password, database }: ClickHouseSettings,
  clock: () => number,
): Connection {
  const client = createClient({
    url,
    username: user,
    password,
    database,
    application: "analytics-mcp",
    request_timeout: TIME_LIMIT_MS,
    max_open_connections: MAX_QUERIES,
    // The client would write failures, with SQL, to stdout.
    log: { level: 127 },
  });
  const send = async (
    query: string,
    params: QueryParams,
    settings: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> => {
    signal?.throwIfAborted();
    // The queries of an overview share a signal, and each listens to it.
    if (signal) setMaxListeners(0, signal);
    try {
      const result = await client.query({
        query,
        format: "JSON",
        query_params: params,
        clickhouse_settings: settings,
        ...(signal && { abort_signal: signal }),
      });
      return readAnswer(await result.text().catch(throwCutAnswer));
    } catch (error) {
      signal?.throwIfAborted();
      throw explainFailure(error);
    }
  };
  const check = createCache(CHECK_AGAIN_MS, clock, async (_, signal) => {
    const limit = AbortSignal.timeout(CHECK_LIMIT_MS);
    const either = AbortSignal.any([signal, limit]);
    try {
      return await checkProfile((query) => send(query, {}, {}, either));
    } catch (error) {
      throw error === limit.reason ? explainSilence(error) : error;
    }
  });
  return {
    ask: async (query, params = {}, signal) => send(query, params, await check("", signal), signal),
  };
}

const throwCutAnswer = (cause: unknown) => {
  throw new CutAnswer("The connection ended.", { cause });
};
