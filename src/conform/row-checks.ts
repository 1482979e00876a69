import { quote } from "../errors.ts";
import type { Reply } from "./reply.ts";
import { demand } from "./verdict.ts";

/** Demands that no two rows next to each other are in the wrong order. */
export function demandOrder<R>(
  rows: readonly R[],
  reply: Reply,
  isWrong: (before: R, row: R) => boolean,
  show: (row: R | undefined) => string = quote,
): void {
  const index = rows.findIndex((row, at) => isWrong(rows[at - 1] ?? row, row));
  const expected = `${show(rows[index])} before ${show(rows[index - 1])}`;
  demand(index === -1, reply, expected, "the other order");
}

/** Demands that no value comes twice. */
export function demandOnce(values: readonly unknown[], reply: Reply, what = "value"): void {
  const twice = values.findIndex((value, index) => values.indexOf(value) !== index);
  demand(twice === -1, reply, `each ${what} once`, `${quote(values[twice])} twice`);
}

interface Cut {
  reply: Reply;
  answer: { rows: readonly unknown[]; total_rows: number; truncated: boolean };
}

/** Demands that a list says whether rows were cut off. */
export function demandTruncated({ reply, answer: { rows, total_rows, truncated } }: Cut): void {
  const isCut = total_rows > rows.length;
  const seen = `${truncated}, with ${rows.length} of ${total_rows} rows`;
  demand(truncated === isCut, reply, `truncated: ${isCut}`, seen);
}
