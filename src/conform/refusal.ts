import type { ProblemCode } from "../operations/problem.ts";
import { describeReply, items, member, type Reply } from "./reply.ts";
import { demand } from "./verdict.ts";

/** Throws a breach unless the answer is an error with this status and one of these codes. */
export function demandRefusal(reply: Reply, status: number, ...codes: ProblemCode[]): void {
  const code = member(reply.json, "code");
  demand(
    reply.status === status && codes.some((each) => each === code),
    reply,
    `status ${status} with the code ${codes.map((each) => JSON.stringify(each)).join(" or ")}`,
    describeReply(reply),
  );
}

/** The entry for a parameter in a problem's `errors`. */
export function findRefused({ json }: Reply, parameter: string): unknown {
  return items(member(json, "errors")).find((each) => member(each, "parameter") === parameter);
}
