import type { ProblemCode } from "../operations/problem.ts";
import { describeReply, items, member, type Reply } from "./reply.ts";
import { demand } from "./verdict.ts";

/** The answer must be an error of this status and code. */
export function demandRefusal(reply: Reply, status: number, ...codes: ProblemCode[]): void {
  const code = member(reply.json, "code");
  demand(
    reply.status === status && codes.some((each) => each === code),
    reply,
    `status ${status} with the code ${codes.map((each) => JSON.stringify(each)).join(" or ")}`,
    describeReply(reply),
  );
}

/** The entry of a problem's `errors` for a parameter. */
export function findRefused({ json }: Reply, parameter: string): unknown {
  return items(member(json, "errors")).find((each) => member(each, "parameter") === parameter);
}
