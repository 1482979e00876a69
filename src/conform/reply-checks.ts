import { quote } from "../errors.ts";
import type { Operation, ResultOf } from "../operations/operation.ts";
import type { ProblemCode } from "../operations/problem.ts";
import type { Warning } from "../operations/warning.ts";
import type { Params, Query } from "./probe.ts";
import { describeReply, items, member, type Reply } from "./reply.ts";
import type { Rule } from "./rule.ts";
import { compareStable } from "./stable-compare.ts";
import { basicParams, type Read, read, type Subject } from "./subject.ts";
import { demand } from "./verdict.ts";

/** Throws a breach unless the answer has this status. */
export function demandStatus(reply: Reply, status: number): void {
  demand(reply.status === status, reply, `status ${status}`, describeReply(reply));
}

/** Throws a breach unless the answer is an error with this status and one of these codes. */
export function demandRefusal(reply: Reply, status: number, ...codes: ProblemCode[]): void {
  const code = member(reply.json, "code");
  demand(
    reply.status === status && codes.some((allowed) => allowed === code),
    reply,
    `status ${status} with the code ${codes.map((code) => quote(code)).join(" or ")}`,
    describeReply(reply),
  );
}

/** Demands that no cache gives the answer to another key. */
export function demandVary(reply: Reply): void {
  const vary = reply.headers.get("vary") ?? "";
  const varies = vary.split(",").some((name) => /^(authorization|\*)$/i.test(name.trim()));
  demand(varies, reply, "Vary: Authorization", vary === "" ? "no Vary" : `Vary: ${quote(vary)}`);
}

/** The seconds of `max-age` in Cache-Control, if it is there. */
export function readMaxAge(cache: string): number | undefined {
  const [, seconds] = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i.exec(cache) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Whether a cache that several people share may store the answer. */
export const isShared = (cache: string) => /(^|[\s,])(public|s-maxage)/i.test(cache);

/** Demands something of Cache-Control. */
export function demandCache(reply: Reply, expected: string, isRight: (cache: string) => boolean): void {
  const cache = reply.headers.get("cache-control") ?? "";
  demand(isRight(cache), reply, `Cache-Control: ${expected}`, cache === "" ? "none" : quote(cache));
}

/** The entry for a parameter in a problem's `errors`. */
export const findRefused = ({ json }: Reply, parameter: string): unknown =>
  items(member(json, "errors")).find((entry) => member(entry, "parameter") === parameter);

/** Demands that an answer warns of days before the site had data. */
export function demandWarnsBeforeData(reply: Reply, answer: { warnings?: Warning[] | undefined }): void {
  const codes = (answer.warnings ?? []).map(({ code }) => code);
  demand(codes.includes("before_data_since"), reply, "the warning before_data_since", quote(codes));
}

/** A request, as `subject.ask` takes it. */
export type Request = Parameters<Subject["ask"]>;

/** Checks the replies to some requests, one after the other. */
export const ofReplies =
  (list: (subject: Subject) => readonly Request[], check: (reply: Reply) => void): Rule["check"] =>
  async (subject) => {
    for (const request of list(subject)) check(await subject.ask(...request));
  };

/** Sends the basic query with parameters added or changed. */
export const askWith = (subject: Subject, operation: Operation, changed: Params): Promise<Reply> =>
  subject.ask(operation.path, { ...basicParams(subject, operation), ...changed });

/** Checks the replies of each operation to the basic query with these changes, one after the other. */
export const ofEach =
  (asked: readonly Operation[], changes: readonly Params[], check: (reply: Reply) => void): Rule["check"] =>
  async (subject) => {
    for (const operation of asked) {
      for (const changed of changes) check(await askWith(subject, operation, changed));
    }
  };

/** Checks that a reply has this status and, for an error, one of these codes. */
export const answers =
  (status: number, ...codes: ProblemCode[]) =>
  (reply: Reply) =>
    codes.length === 0 ? demandStatus(reply, status) : demandRefusal(reply, status, ...codes);

/** Checks that a path refuses a request without a key, and with one that does not exist. */
export const needsKey =
  (path: string, query: Query = ""): Rule["check"] =>
  async ({ ask, keys }) => {
    demandRefusal(await ask(path, query, { key: null }), 401, "missing_api_key");
    demandRefusal(await ask(path, query, { key: keys.wrong }), 401, "invalid_api_key");
  };

/** Checks the answers of operations to their basic query, or to it with each of these changes. */
export const ofAnswers =
  <O extends Operation, P extends Params>(
    operations: readonly O[],
    check: (found: Read<O>, subject: Subject, params: P) => void,
    changes: readonly P[] = [{} as P],
  ): Rule["check"] =>
  async (subject) => {
    for (const operation of operations) {
      for (const params of changes) check(await read(subject, operation, params), subject, params);
    }
  };

/** Checks that what `look` sees of an answer is the same with a limit of three rows. */
export const checkCut =
  <O extends Operation>(operation: O, look: (answer: ResultOf<O>) => string): Rule["check"] =>
  (subject) =>
    compareStable(
      (fresh) => read(subject, operation, {}, { fresh }),
      async ({ answer: whole }) => {
        const { reply, answer: part } = await read(subject, operation, { limit: 3 });
        demand(look(part) === look(whole), reply, look(whole), look(part));
      },
    );

/** Checks the default of a parameter: the value in the answer to a query with only the required ones. */
export const checkDefault =
  (operation: Operation, required: Record<string, string>, path: string[], value: number): Rule["check"] =>
  async (subject) => {
    await read(subject, operation);
    const reply = await subject.ask(operation.path, { site: subject.site.domain, ...required });
    const [seen, name] = [member(reply.json, ...path), path.at(-1)];
    demand(seen === value, reply, `${name}: ${value}`, `${name}: ${quote(seen)}`);
  };
