import { describeMismatch } from "../client/result-parser.ts";
import { type AnyOperation, operations } from "../operations/index.ts";
import type { Operation, ResultOf } from "../operations/operation.ts";
import type { Ask, Query } from "./probe.ts";
import { describeReply, type Key, type Reply } from "./reply.ts";
import type { Site } from "./survey.ts";
import { Breach, Skip } from "./verdict.ts";

/** The operations that take a parameter, as their declarations say. */
const taking = <P extends string>(parameter: P) =>
  operations.filter(
    (operation): operation is Extract<AnyOperation, { params: { shape: Record<P, unknown> } }> =>
      parameter in operation.params.shape,
  );

export const allOperations: readonly AnyOperation[] = operations;
export const siteOperations = taking("site");
export const periodOperations = taking("days");
/** All that answer with numbers. */
export const dataOperations = allOperations.filter((operation) => !operation.isDescription);

/** What checks ask through. */
export interface Subject {
  clock(): number;
  pause(milliseconds: number): Promise<void>;
  ask(path: string, query?: Query, how?: Ask): Promise<Reply>;
  /** The caller's own key, and those made from it. */
  keys: { own: Key; wrong: Key; longer: Key; shorter: Key };
  readonly sites: readonly Site[];
  /** The site that is asked about. Throws Skip where there is none. */
  readonly site: Site;
  /** Throws Skip where nobody visited it in the last 30 days. */
  demandVisits(): void;
  /** Another organization's key. Throws Skip where there is none. */
  readonly otherKey: Key;
  /** The sites that it lists. */
  readonly otherSites: readonly Site[];
  /** The same key, and a site that it lists and the own key does not. Throws Skip where there is none. */
  readonly other: { key: Key; site: Site };
  /** The refusals for want of quota so far. */
  readonly refusals: readonly Reply[];
}

/** The plainest question to an operation, as it declares it. */
export function usualParams(subject: Subject, operation: Operation): Record<string, string | number> {
  const site = "site" in operation.params.shape ? subject.site.domain : "";
  // Parameters are texts and numbers: they go into a query string.
  return operation.conform.ask(site) as Record<string, string | number>;
}

export interface Read<O extends Operation> {
  reply: Reply;
  answer: ResultOf<O>;
}

/** The answer to the usual question. Throws a breach where it has not the contract's form. */
export async function readUsual<O extends Operation>(subject: Subject, operation: O): Promise<Read<O>> {
  return parse(operation, await subject.ask(operation.path, usualParams(subject, operation)));
}

/**
 * An answer that a rule looks into. Where the operation gives no usable answer at all, that is a rule of its own,
 * and this one is skipped.
 */
export async function read<O extends Operation>(
  subject: Subject,
  operation: O,
  params: Record<string, string | number> = {},
  how: Ask = {},
): Promise<Read<O>> {
  await usable(operation, readUsual(subject, operation));
  const complete = { ...usualParams(subject, operation), ...params };
  return parse(operation, await subject.ask(operation.path, complete, how));
}

/** What it brings, or a skip that names the rule which is broken. */
async function usable<T>({ path, conform }: Operation, reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    if (!(error instanceof Breach)) throw error;
    throw new Skip(`${path} gives no usable answer: see ${conform.section}.answer`);
  });
}

/** A reply as an operation's result. Throws a breach that names the member which is missing or wrong. */
export function parse<O extends Operation>(operation: O, reply: Reply): Read<O> {
  const refuse = (seen: string) => new Breach(reply.sent, "status 200 with the contract's members", seen);
  if (reply.status !== 200) throw refuse(describeReply(reply));
  if (reply.json === undefined) throw refuse(`${describeReply(reply)}: the body is not JSON`);
  const parsed = operation.result.safeParse(reply.json);
  if (!parsed.success) throw refuse(describeMismatch(parsed.error, reply.json));
  return { reply, answer: parsed.data as ResultOf<O> };
}
