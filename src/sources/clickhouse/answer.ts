import * as z from "zod";

export type Row = Readonly<Record<string, unknown>>;

export interface Answer {
  rows: readonly Row[];
  /** How many rows there are without a LIMIT; exact with GROUP BY. */
  totalRows: number;
}

/** Of an answer that ends too early. */
export class IncompleteAnswer extends Error {}

const answer = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  rows_before_limit_at_least: z.coerce.number().optional(),
  // If a query fails halfway, some versions close the document and put the error here. Rows are missing then.
  exception: z.string().optional(),
});

/** Reads ClickHouse's format JSON. Throws an Error with ClickHouse's own message if the query failed halfway. */
export function readAnswer(text: string): Answer {
  const { data, exception, rows_before_limit_at_least: all } = answer.parse(parseWhole(text));
  if (exception !== undefined) throw new Error(exception);
  return { rows: data, totalRows: all ?? data.length };
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Other versions stop in the middle of the document and append the error.
    const [failure] = /Code: \d+[.,] (?:DB::|e\.)(?!.*Code: \d+[.,] (?:DB::|e\.)).*$/s.exec(text) ?? [];
    if (failure !== undefined) throw new Error(failure);
    throw text.startsWith("{") ? new IncompleteAnswer("The document is incomplete.", { cause }) : cause;
  }
}
