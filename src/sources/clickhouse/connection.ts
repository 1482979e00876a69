import { setMaxListeners } from "node:events";
import { createClient } from "@clickhouse/client";
import * as z from "zod";
import { explainFailure } from "./failure.ts";
import { checkProfile } from "./profile.ts";
import type { ClickHouseSettings } from "./settings.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface Answer {
  rows: readonly Row[];
  /** How many rows there are without a LIMIT; exact with GROUP BY. */
  totalRows: number;
}

/** Values of a query's parameters, which ClickHouse receives apart from the SQL. */
export type QueryParams = Readonly<Record<string, string | number | readonly string[]>>;

export interface Connection {
  /** Throws AnalyticsError `unavailable` or `usage`, or the signal's reason. */
  ask(query: string, params?: QueryParams, signal?: AbortSignal): Promise<Answer>;
}

/** Some queries take minutes on a large table; whoever asks cancels sooner. */
const TIME_LIMIT_MS = 10 * 60_000;
/** The queries of one overview run side by side, and leave room for others. */
const MOST_QUERIES = 4;

/** Creates a connection by HTTP. Nothing is sent before the first query, which checks the user's profile. */
export function connect({ url, user, password, database }: ClickHouseSettings): Connection {
  const client = createClient({
    ...{ url, username: user, password, database, application: "analytics-mcp" },
    request_timeout: TIME_LIMIT_MS,
    max_open_connections: MOST_QUERIES,
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
    // The questions of an overview share a signal, and each query listens to it.
    if (signal) setMaxListeners(0, signal);
    try {
      const result = await client.query({
        ...{ query, format: "JSON", query_params: params, clickhouse_settings: settings },
        ...(signal && { abort_signal: signal }),
      });
      return readAnswer(await result.text());
    } catch (error) {
      signal?.throwIfAborted();
      throw explainFailure(error);
    }
  };
  let checked: Promise<Readonly<Record<string, string>>> | undefined;
  const check = () => {
    checked ??= checkProfile((query) => send(query, {}, {}, undefined)).catch((error: unknown) => {
      checked = undefined;
      throw error;
    });
    return checked;
  };
  return { ask: async (query, params = {}, signal) => send(query, params, await check(), signal) };
}

const answer = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  rows_before_limit_at_least: z.coerce.number().optional(),
  // Some versions end a document that they cannot finish with the failure; what is above it is not all.
  exception: z.string().optional(),
});

function readAnswer(text: string): Answer {
  const { data, exception, rows_before_limit_at_least: all } = answer.parse(JSON.parse(text));
  if (exception !== undefined) throw new Error(exception);
  return { rows: data, totalRows: all ?? data.length };
}
