import * as z from "zod";

export type Row = Readonly<Record<string, unknown>>;

export interface Answer {
  rows: readonly Row[];
  /** How many rows there are without a LIMIT; exact with GROUP BY. */
  totalRows: number;
}

/** The answer broke off before its end. */
export class CutAnswer extends Error {}

const answer = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  rows_before_limit_at_least: z.coerce.number().optional(),
  // Some versions end a document that they cannot finish with the error; the rows before it are not all.
  exception: z.string().optional(),
});

/** Reads ClickHouse's format JSON. Throws an error with ClickHouse's own message if the query failed halfway. */
export function readAnswer(text: string): Answer {
  const { data, exception, rows_before_limit_at_least: all } = answer.parse(parseWhole(text));
  if (exception !== undefined) throw new Error(exception);
  return { rows: data, totalRows: all ?? data.length };
}

function parseWhole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Other versions break off the document with the error's message.
    const [failure] = /Code: \d+[.,] (?:DB::|e\.)(?!.*Code: \d+[.,] (?:DB::|e\.)).*$/s.exec(text) ?? [];
    if (failure !== undefined) throw new Error(failure);
    throw text.startsWith("{") ? new CutAnswer("The document has no end.", { cause }) : cause;
  }
}
