import * as z from "zod";

/** Values of a query's parameters, which are sent apart from the SQL. */
export type QueryParams = Readonly<Record<string, string | number | readonly string[]>>;

export interface Query<Row> {
  /** Without FORMAT. */
  sql: string;
  params?: QueryParams;
  row: z.ZodType<Row>;
  /** An answer with more rows, or far more bytes than they need, is refused. */
  maxRows: number;
}

export interface Answer<Row> {
  rows: readonly Row[];
  /** How many rows there are without a LIMIT; exact with GROUP BY. */
  totalRows: number;
}

/** Of an answer that ends too early. */
export class IncompleteAnswer extends Error {}

/** Of an answer with more rows or bytes than its query asks for. */
export class OversizedAnswer extends Error {}

/** Column names and types, statistics. */
const HEAD_BYTES = 64_000;
/** A row has at most four long texts: a path and three referrers of 500 characters, each of up to six bytes. */
const ROW_BYTES = 16_000;

/** A message of ClickHouse at the end of a document is within so many characters. */
const MAX_FAILURE_LENGTH = 20_000;

export const maxBytesOf = ({ maxRows }: Pick<Query<unknown>, "maxRows">) => HEAD_BYTES + maxRows * ROW_BYTES;

const answer = z.object({
  data: z.array(z.unknown()),
  rows_before_limit_at_least: z.coerce.number().pipe(z.int().min(0)).optional(),
  // If a query fails halfway, some versions close the document and put the error here. Rows are missing then.
  exception: z.string().optional(),
});

/** Reads ClickHouse's format JSON. Throws an Error with ClickHouse's own message if the query failed halfway. */
export function readAnswer<Row>(text: string, { row, maxRows }: Query<Row>): Answer<Row> {
  const { data, exception, rows_before_limit_at_least: all } = answer.parse(parseWhole(text));
  if (exception !== undefined) throw new Error(exception);
  if (data.length > maxRows) throw new OversizedAnswer(`More than ${maxRows} rows.`);
  const rows = z.array(row).parse(data);
  return { rows, totalRows: Math.max(all ?? 0, rows.length) };
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Other versions stop in the middle of the document and append the error.
    const end = text.slice(-MAX_FAILURE_LENGTH);
    const failure = [...end.matchAll(/Code: \d+[.,] (?:DB::|e\.)/g)].at(-1);
    if (failure !== undefined) throw new Error(end.slice(failure.index));
    throw text.startsWith("{") ? new IncompleteAnswer("The document is incomplete.", { cause }) : cause;
  }
}
