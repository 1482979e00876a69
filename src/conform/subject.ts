import { describeMismatch } from "../client/result-parser.ts";
import { type AnyOperation, type OptionalOperation, openapi, operations } from "../operations/index.ts";
import type { Operation, ResultOf } from "../operations/operation.ts";
import { findPath } from "./openapi-lookup.ts";
import type { Ask, Params, Query } from "./probe.ts";
import { describeReply, type Key, member, type Reply } from "./reply.ts";
import type { Site } from "./survey.ts";
import { Breach, Skip } from "./verdict.ts";

/** The operations that every service has. The optional ones have sections of their own. */
type RequiredOperation = Exclude<AnyOperation, OptionalOperation>;
export const allOperations = operations.filter(
  (operation): operation is RequiredOperation => !operation.isOptional,
);

/** The operations that take a parameter. */
const taking = <P extends string>(parameter: P) =>
  allOperations.filter(
    (operation): operation is Extract<RequiredOperation, { params: { shape: Record<P, unknown> } }> =>
      parameter in operation.params.shape,
  );

export const siteOperations = taking("site");
export const periodOperations = taking("days");
/** All operations that return data. */
export const dataOperations = allOperations.filter((operation) => !operation.isDescription);

/** The service under test, as the checks see it. */
export interface Subject {
  clock(): number;
  pause(milliseconds: number): Promise<void>;
  ask(path: string, query?: Query, how?: Ask): Promise<Reply>;
  /** The caller's own key, and variants of it. `recased` is undefined if the key has no letters. */
  keys: { own: Key; wrong: Key; longer: Key; shorter: Key; changed: Key; recased: Key | undefined };
  readonly sites: readonly Site[];
  /** The site used for the checks. Throws Skip if there is none. */
  readonly site: Site;
  readonly hasSite: boolean;
  /** Throws Skip if the site had no visits in the last 30 days. */
  demandVisits(): void;
  /** Another organization's key. Throws Skip if there is none. */
  readonly otherKey: Key;
  /** The sites that the other key lists. Throws Skip if there are none. */
  readonly otherSites: readonly Site[];
  /** The 429 replies so far. */
  readonly refusals: readonly Reply[];
  /** All replies to GET with the status 200 so far. */
  readonly answers: readonly Reply[];
}

/** The basic query of an operation, from its declaration. */
export function basicParams(subject: Subject, operation: Operation): Record<string, string | number> {
  const site = "site" in operation.params.shape ? subject.site.domain : "";
  // Every parameter is a string or a number, because it goes into a query string.
  return operation.conform.ask(site) as Record<string, string | number>;
}

export interface Read<O extends Operation> {
  reply: Reply;
  answer: ResultOf<O>;
}

/**
 * The answer to the basic query. Throws a breach if it does not match the contract, and Skip if the operation is optional
 * and the service does not offer it.
 */
export async function readBasic<O extends Operation>(subject: Subject, operation: O): Promise<Read<O>> {
  const reply = await subject.ask(operation.path, basicParams(subject, operation));
  if (operation.isOptional && (await isUnoffered(subject, operation, reply))) {
    throw new Skip(`the service does not offer ${operation.path}, which is optional`);
  }
  return parse(operation, reply);
}

/** Whether there is nothing at the operation's path, and the service's own description does not say otherwise. */
async function isUnoffered(subject: Subject, operation: Operation, reply: Reply): Promise<boolean> {
  if (reply.status !== 404 || member(reply.json, "code") === "site_not_found") return false;
  return findPath((await subject.ask(openapi.path)).json, operation) === undefined;
}

/**
 * The answer to a query. Throws Skip if the operation does not even answer its basic query, which is a separate rule.
 */
export async function read<O extends Operation>(
  subject: Subject,
  operation: O,
  params: Params = {},
  how: Ask = {},
): Promise<Read<O>> {
  await usable(operation, readBasic(subject, operation));
  const complete = { ...basicParams(subject, operation), ...params };
  return parse(operation, await subject.ask(operation.path, complete, how));
}

/** Turns a breach into a skip that names the broken rule. */
const usable = async <T>({ path, conform }: Operation, reading: Promise<T>): Promise<T> =>
  reading.catch((error: unknown) => {
    if (!(error instanceof Breach)) throw error;
    throw new Skip(`${path} returns no usable answer: see ${conform.section}.answer`);
  });

/** What replies say, by operation. Many rules read the same ones. */
const parsedReplies = new WeakMap<Reply, Map<Operation, Read<Operation>>>();

/** Parses a reply as an operation's result. Throws a breach that names the missing or wrong member. */
export function parse<O extends Operation>(operation: O, reply: Reply): Read<O> {
  const known = parsedReplies.get(reply) ?? new Map<Operation, Read<Operation>>();
  const found = known.get(operation) ?? parseReply(operation, reply);
  parsedReplies.set(reply, known.set(operation, found));
  // TypeScript does not connect the operation with what is kept of it.
  return found as Read<O>;
}

function parseReply<O extends Operation>(operation: O, reply: Reply): Read<O> {
  const createBreach = (seen: string) =>
    new Breach(reply.sent, "status 200 with the contract's members", seen);
  if (reply.status !== 200) throw createBreach(describeReply(reply));
  if (reply.json === undefined) throw createBreach(`${describeReply(reply)}: the body is not JSON`);
  const parsed = operation.result.safeParse(reply.json);
  if (!parsed.success) throw createBreach(describeMismatch(parsed.error, reply.json));
  // TypeScript does not connect the schema of a generic operation with its result.
  return { reply, answer: parsed.data as ResultOf<O> };
}
