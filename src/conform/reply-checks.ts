import { quote } from "../errors.ts";
import type { Operation } from "../operations/operation.ts";
import type { ProblemCode } from "../operations/problem.ts";
import { describeReply, items, member, type Reply } from "./reply.ts";
import type { Rule } from "./rule.ts";
import { read } from "./subject.ts";
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

/** Whether a cache gives the answer to no other key. */
export function variesByKey({ headers }: Reply): boolean {
  return (headers.get("vary") ?? "").split(",").some((name) => /^(authorization|\*)$/i.test(name.trim()));
}

/** The seconds of `max-age` in Cache-Control, if it is there. */
export function readMaxAge(cache: string): number | undefined {
  const [, seconds] = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/i.exec(cache) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Whether a cache that several people share may store the answer. */
export const isShared = (cache: string) => /(^|[\s,])(public|s-maxage)/i.test(cache);

/** The entry for a parameter in a problem's `errors`. */
export function findRefused({ json }: Reply, parameter: string): unknown {
  return items(member(json, "errors")).find((entry) => member(entry, "parameter") === parameter);
}

/** Checks the default of a parameter: the value in the answer to a query with only the required ones. */
export function checkDefault(
  operation: Operation,
  required: Record<string, string>,
  path: string[],
  value: number,
): Rule["check"] {
  return async (subject) => {
    await read(subject, operation);
    const reply = await subject.ask(operation.path, { site: subject.site.domain, ...required });
    const [seen, name] = [member(reply.json, ...path), path.at(-1)];
    demand(seen === value, reply, `${name}: ${value}`, `${name}: ${quote(seen)}`);
  };
}
