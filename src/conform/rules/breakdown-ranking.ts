import type { Dimension } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { quote, type Reply } from "../reply.ts";
import type { Rule } from "../rule.ts";
import { type Read, read, type Subject } from "../subject.ts";
import { Breach, Skip } from "../verdict.ts";

export type Ranking = ResultOf<typeof breakdown>;
export type Row = Ranking["rows"][number];

const measureOf = (dimension: string) => (dimension === "events" ? "events" : "pageviews");
export const hits = (row: Row, dimension: string) => row[measureOf(dimension)] ?? 0;

/** The breakdown by a dimension. Throws Skip if it is not answered, which is a separate rule. */
export async function rank(subject: Subject, dimension: Dimension): Promise<Read<typeof breakdown>> {
  await read(subject, breakdown);
  return read(subject, breakdown, { dimension }).catch((error: unknown) => {
    if (error instanceof Breach)
      throw new Skip(`the dimension ${dimension} is not answered: see breakdown.dimensions`);
    throw error;
  });
}

/** Checks the breakdown by each dimension. */
export function ofEach(
  chosen: readonly Dimension[],
  check: (ranking: Ranking, reply: Reply, dimension: Dimension) => void,
): Rule["check"] {
  return async (subject) => {
    for (const dimension of chosen) {
      const { reply, answer } = await rank(subject, dimension);
      check(answer, reply, dimension);
    }
  };
}

/** Checks each row of the dimensions. `findExpected` returns what was expected of a wrong row. */
export function ofEachRow(
  chosen: readonly Dimension[],
  findExpected: (row: Row, ranking: Ranking) => string | undefined,
): Rule["check"] {
  return ofEach(chosen, (ranking, reply) => {
    for (const row of ranking.rows) {
      const expected = findExpected(row, ranking);
      if (expected !== undefined) throw new Breach(reply.sent, expected, quote(row));
    }
  });
}

/** Dimensions of every kind, for what holds in all of them. */
export const SAMPLE: Dimension[] = ["pages", "referrers", "countries", "devices", "events"];
