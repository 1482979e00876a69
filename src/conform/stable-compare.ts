import { quote } from "../errors.ts";
import { readMember } from "../member.ts";
import { type Reply, withoutAsOf } from "./reply.ts";
import { Breach, Inconclusive } from "./verdict.ts";

/** Numbers by name, and the moment at which they were counted. */
export interface Reading {
  reply: Reply;
  period: { to: string; as_of: string };
  numbers: Record<string, number>;
}

/**
 * Demands that two answers have the same numbers. Today's numbers grow between requests: if they differ, the first
 * answer is read again, and the other must lie between the two readings. An answer counted outside that interval is
 * inconclusive.
 */
export async function demandSameNumbers(
  readFirst: (fresh: boolean) => Promise<Reading>,
  readOther: () => Promise<Reading>,
): Promise<void> {
  const first = await readFirst(false);
  const other = await readOther();
  const isSame = Object.entries(other.numbers).every(
    ([name, value]) => readMember(first.numbers, name) === value,
  );
  if (isSame && first.period.to === other.period.to) return;
  const again = await readFirst(true);
  if (again.period.to !== other.period.to)
    throw new Inconclusive("a new day began at the site between the requests");
  const [start, moment, end] = [first, other, again].map(({ period }) => Date.parse(period.as_of));
  const isWithin = Number(start) <= Number(moment) && Number(moment) <= Number(end);
  const isBetween = Object.entries(other.numbers).every(([name, value]) => {
    const bounds = [
      readMember(first.numbers, name) ?? Number.NaN,
      readMember(again.numbers, name) ?? Number.NaN,
    ];
    return value >= Math.min(...bounds) && value <= Math.max(...bounds);
  });
  if (isBetween) return;
  if (!isWithin) throw new Inconclusive("today's numbers changed between the requests");
  throw new Breach(other.reply.sent, quote(first.numbers), quote(other.numbers));
}

/**
 * Compares two answers. After a breach, the first answer is read again: if it changed meanwhile, the comparison is
 * inconclusive.
 */
export async function compareStable<T extends { reply: Reply }>(
  readFirst: (fresh: boolean) => Promise<T>,
  compare: (first: T) => Promise<void>,
): Promise<void> {
  const first = await readFirst(false);
  try {
    await compare(first);
  } catch (error) {
    if (!(error instanceof Breach)) throw error;
    const again = await readFirst(true);
    if (withoutAsOf(again.reply) === withoutAsOf(first.reply)) throw error;
    throw new Inconclusive("today's numbers changed between the requests");
  }
}
