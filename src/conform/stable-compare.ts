import { quote, type Reply, withoutAsOf } from "./reply.ts";
import { Breach, Inconclusive } from "./verdict.ts";

/** Numbers by name, and the moment for which they hold. */
export interface Reading {
  reply: Reply;
  asOf: string;
  period: { to: string };
  numbers: Record<string, number>;
}

/**
 * Two answers must tell the same numbers. Today's grow meanwhile: where they differ, the first is read again, and
 * the other may lie between the two. An answer that is of no moment between them says nothing.
 */
export async function demandSameNumbers(
  readFirst: (fresh: boolean) => Promise<Reading>,
  readOther: () => Promise<Reading>,
): Promise<void> {
  const first = await readFirst(false);
  const other = await readOther();
  const isSame = Object.entries(other.numbers).every(([name, value]) => first.numbers[name] === value);
  if (isSame && first.period.to === other.period.to) return;
  const again = await readFirst(true);
  if (again.period.to !== other.period.to) throw new Inconclusive("the day turned at the site while reading");
  const [start, moment, end] = [first, other, again].map(({ asOf }) => Date.parse(asOf));
  const isWithin = Number(start) <= Number(moment) && Number(moment) <= Number(end);
  const lies = Object.entries(other.numbers).every(([name, value]) => {
    const bounds = [first.numbers[name] ?? Number.NaN, again.numbers[name] ?? Number.NaN];
    return value >= Math.min(...bounds) && value <= Math.max(...bounds);
  });
  if (lies) return;
  if (!isWithin) throw new Inconclusive("the answers are of different moments, and today's numbers moved");
  throw new Breach(other.reply.sent, quote(first.numbers), quote(other.numbers));
}

/**
 * A comparison of two answers. Where it finds a breach, the first is read again: a breach between answers of which
 * one moved meanwhile is none.
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
    throw new Inconclusive("the numbers of today moved while reading");
  }
}
