import { setMaxListeners } from "node:events";
import { createClient } from "@clickhouse/client";
import { type Answer, IncompleteAnswer, readAnswer } from "./answer.ts";
import { createCache } from "./cache.ts";
import { explainFailure, explainNoAnswer } from "./failure.ts";
import { checkProfile } from "./profile.ts";
import type { ClickHouseSettings } from "./settings.ts";

/** The values of a query's parameters, which are sent apart from the SQL. */
export type QueryParams = Readonly<Record<string, string | number | readonly string[]>>;

export interface Connection {
  /** Throws AnalyticsError `unavailable` or `usage`, or the signal's reason. */
  ask(query: string, params?: QueryParams, signal?: AbortSignal): Promise<Answer>;
}

/** On a large table a query can take minutes. Callers that cannot wait cancel it. */
const TIME_LIMIT_MS = 10 * 60_000;
/** An overview sends its queries in parallel, and must leave connections for other queries. */
const MAX_QUERIES = 4;

/** A profile can change while this process runs. */
const PROFILE_FRESH_MS = 5 * 60_000;
/** The check of the profile reads no table of hits: if it takes longer, the server hangs. */
const PROFILE_LIMIT_MS = 30_000;

/** Creates a connection over HTTP. The first query checks the user's profile; nothing is sent before it. */
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
    // Without this, the client writes failures to stdout, with their SQL.
    log: { level: 127 },
  });
  const send = async (
    query: string,
    params: QueryParams,
    settings: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Answer> => {
    signal?.throwIfAborted();
    // All queries of an overview listen to the same signal.
    if (signal) setMaxListeners(0, signal);
    try {
      const result = await client.query({
        query,
        format: "JSON",
        query_params: params,
        clickhouse_settings: settings,
        ...(signal && { abort_signal: signal }),
      });
      return readAnswer(await result.text().catch(throwIncomplete));
    } catch (error) {
      signal?.throwIfAborted();
      throw explainFailure(error);
    }
  };
  const check = createCache(PROFILE_FRESH_MS, clock, async (_, signal) => {
    const limit = AbortSignal.timeout(PROFILE_LIMIT_MS);
    const either = AbortSignal.any([signal, limit]);
    try {
      return await checkProfile((query) => send(query, {}, {}, either));
    } catch (error) {
      throw error === limit.reason ? explainNoAnswer(error) : error;
    }
  });
  return {
    ask: async (query, params = {}, signal) => send(query, params, await check("", signal), signal),
  };
}

const throwIncomplete = (cause: unknown) => {
  throw new IncompleteAnswer("The connection was closed.", { cause });
};
