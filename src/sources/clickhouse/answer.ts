import * as z from "zod";

export type Row = Readonly<Record<string, unknown>>;

export interface Answer {
  rows: readonly Row[];
  /** How many rows there are without a LIMIT; exact with GROUP BY. */
  totalRows: number;
}

/** The answer began, and its end did not come. */
export class CutAnswer extends Error {}

const answer = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  rows_before_limit_at_least: z.coerce.number().optional(),
  // Some versions end a document that they cannot finish with the failure; what is above it is not all.
  exception: z.string().optional(),
});

/** Reads ClickHouse's format JSON. Throws an error with ClickHouse's own message, if the query failed on the way. */
export function readAnswer(text: string): Answer {
  const { data, exception, rows_before_limit_at_least: all } = answer.parse(parseWhole(text));
  if (exception !== undefined) throw new Error(exception);
  return { rows: data, totalRows: all ?? data.length };
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Other versions break the document off with the message of the failure.
    const [failure] = /Code: \d+[.,] (?:DB::|e\.)(?!.*Code: \d+[.,] (?:DB::|e\.)).*$/s.exec(text) ?? [];
    if (failure !== undefined) throw new Error(failure);
    throw text.startsWith("{") ? new CutAnswer("The document has no end.", { cause }) : cause;
  }
}
