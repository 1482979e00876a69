import { addAbortSignal, type Readable } from "node:stream";
import { createClient } from "@clickhouse/client";
import { createCache } from "../../client/concurrency.ts";
import {
  type Answer,
  IncompleteAnswer,
  maxBytesOf,
  OversizedAnswer,
  type Query,
  readAnswer,
} from "./answer.ts";
import { explainFailure, explainTimeout, RefusedQuery } from "./failure.ts";
import { checkProfile } from "./profile.ts";
import type { ClickHouseSettings } from "./settings.ts";

export interface Connection {
  /** Throws AnalyticsError `unreachable`, `timeout`, `tls`, `unavailable`, `too_large` or `usage`, or the signal's reason. */
  ask<Row>(query: Query<Row>, signal?: AbortSignal): Promise<Answer<Row>>;
}

/** On a large table a query can take minutes. Callers that cannot wait cancel it. */
const TIME_LIMIT_MS = 10 * 60_000;
/** An overview sends its queries in parallel, and must leave connections for other queries. */
const MAX_QUERIES = 4;

/** A profile can change while this process runs. */
const PROFILE_FRESH_MS = 5 * 60_000;
/** The check of the profile reads no table of hits: if it takes longer, the server hangs. */
const PROFILE_LIMIT_MS = 30_000;

/** A message of an error. Its beginning has ClickHouse's number. */
const MAX_ERROR_BYTES = 64_000;

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
  const send = async <Row>(
    query: Query<Row>,
    settings: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
    timeLimit = TIME_LIMIT_MS,
  ): Promise<Answer<Row>> => {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(timeLimit);
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    try {
      // Not the client's `query`, which reads answers and errors of any length into memory.
      const { stream, http_status_code, response_headers } = await client.exec({
        query: `${query.sql}\nFORMAT JSON`,
        query_params: query.params ?? {},
        clickhouse_settings: settings,
        abort_signal: either,
        ignore_error_response: true,
        decompress_response_stream: false,
      });
      addAbortSignal(either, stream);
      const { "x-clickhouse-exception-code": number } = response_headers;
      if (http_status_code !== 200 || number !== undefined) {
        const message = await readText(stream, MAX_ERROR_BYTES).catch(() => "");
        either.throwIfAborted();
        throw new RefusedQuery(http_status_code, number, message);
      }
      return readAnswer(await readText(stream, maxBytesOf(query)), query);
    } catch (error) {
      signal?.throwIfAborted();
      throw limit.aborted ? explainTimeout(timeLimit, error) : explainFailure(error);
    }
  };
  const check = createCache(PROFILE_FRESH_MS, clock, (_, signal) =>
    checkProfile((query) => send(query, {}, signal, PROFILE_LIMIT_MS)),
  );
  return {
    ask: async (query, signal) => send(query, await check("", signal), signal),
  };
}

/** Reads at most so many bytes. Throws OversizedAnswer, IncompleteAnswer, or what the stream was destroyed with. */
async function readText(stream: Readable, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new OversizedAnswer(`More than ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof OversizedAnswer
      ? cause
      : new IncompleteAnswer("The connection was closed.", { cause });
  }
  return Buffer.concat(chunks).toString();
}
