import { quote } from "../../errors.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { items, member, type Reply } from "../reply.ts";
import type { Rule } from "../rule.ts";
import { basicParams, parse, type Read, read, type Subject } from "../subject.ts";
import { Breach, Skip } from "../verdict.ts";

export type Ranking = ResultOf<typeof breakdown>;
export type Row = Ranking["rows"][number];

/** What the rows of a dimension count beside visitors. */
export const measureOf = (dimension: string) => (dimension === "events" ? "events" : "pageviews");
export const hits = (row: Row, dimension: string) => row[measureOf(dimension)] ?? 0;

/** A source may not record every dimension: access logs know no countries. */
export class Unrecorded extends Skip {}

/**
 * The breakdown by a dimension. Throws a breach if it is neither answered nor refused as one that the service does not
 * record, and Skip if it is refused so: 400 `invalid_parameter`, with the dimensions that it records in `allowed`.
 */
export async function readRanking(subject: Subject, dimension: Dimension): Promise<Read<typeof breakdown>> {
  await read(subject, breakdown);
  const reply = await subject.ask(breakdown.path, { ...basicParams(subject, breakdown), dimension });
  if (isUnrecorded(reply, dimension)) throw new Unrecorded(`the service does not record ${dimension}`);
  return parse(breakdown, reply);
}

function isUnrecorded(reply: Reply, dimension: Dimension): boolean {
  if (reply.status !== 400 || member(reply.json, "code") !== "invalid_parameter") return false;
  const entry = items(member(reply.json, "errors")).find(
    (error) => member(error, "parameter") === "dimension",
  );
  const allowed = items(member(entry, "allowed"));
  const known: readonly unknown[] = dimensions;
  return allowed.length > 0 && allowed.every((other) => known.includes(other) && other !== dimension);
}

/** The same, but throws Skip if the dimension is not answered, which is a separate rule. */
export const rank = async (subject: Subject, dimension: Dimension): Promise<Read<typeof breakdown>> =>
  readRanking(subject, dimension).catch((error: unknown) => {
    if (error instanceof Breach)
      throw new Skip(`the dimension ${dimension} is not answered: see breakdown.dimensions`);
    throw error;
  });

/** The breakdowns by those of the dimensions that the service records. Throws Skip if it records none of them. */
export async function rankEach(
  subject: Subject,
  chosen: readonly Dimension[],
): Promise<(Read<typeof breakdown> & { dimension: Dimension })[]> {
  const found: (Read<typeof breakdown> & { dimension: Dimension })[] = [];
  for (const dimension of chosen) {
    const ranking = await rank(subject, dimension).catch((error: unknown) => {
      if (error instanceof Unrecorded) return undefined;
      throw error;
    });
    if (ranking) found.push({ ...ranking, dimension });
  }
  if (found.length === 0) throw new Skip(`the service does not record ${chosen.join(" or ")}`);
  return found;
}

/** Checks the breakdown by each dimension. */
export function ofEach(
  chosen: readonly Dimension[],
  check: (ranking: Ranking, reply: Reply, dimension: Dimension) => void,
): Rule["check"] {
  return async (subject) => {
    for (const { reply, answer, dimension } of await rankEach(subject, chosen)) {
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

/** The share that a row must have, in words, if its own is another one. */
export function findShare(row: Row, { totals }: Ranking): string | undefined {
  const share = totals.visitors === 0 ? 0 : (100 * row.visitors) / totals.visitors;
  // Allows for rounding to tenths. More digits break another rule.
  return Math.abs(row.percentage - share) <= 0.05 + 1e-9 ? undefined : `${share.toFixed(1)} percent`;
}

/** Dimensions of every kind, for what holds in all of them. */
export const SAMPLE: Dimension[] = ["pages", "referrers", "countries", "devices", "events"];
