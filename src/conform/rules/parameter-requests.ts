import { quote } from "../../errors.ts";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import type { Operation } from "../../operations/operation.ts";
import { items, member, type Reply } from "../reply.ts";
import { answers, findRefused } from "../reply-checks.ts";
import { basicParams, type Subject } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";

export function askWithout(subject: Subject, operation: Operation, name: string): Promise<Reply> {
  const { [name]: _, ...rest } = basicParams(subject, operation);
  return subject.ask(operation.path, rest);
}

export const parametersOf = ({ params }: Operation) => [...parameterSchemas(params)];
export const isRequired = ([, schema]: [string, JsonSchema]) => schema.default === undefined;

export const isInvalid = answers(400, "invalid_parameter");
export const isUnknown = answers(400, "unknown_parameter");

function findEntry(reply: Reply, parameter: string): unknown {
  const entry = findRefused(reply, parameter);
  if (entry === undefined) throw new Skip("errors does not name the parameter: see params.refusals-named");
  return entry;
}

export function demandBounds(reply: Reply, parameter: string, minimum: number, maximum: number): void {
  const entry = findEntry(reply, parameter);
  demand(
    member(entry, "minimum") === minimum && member(entry, "maximum") === maximum,
    reply,
    `minimum ${minimum} and maximum ${maximum} for ${parameter}`,
    quote(entry),
  );
}

/** Demands that these values are allowed. A service may allow more. */
export function demandAllowed(reply: Reply, parameter: string, values: readonly string[]): void {
  const allowed = items(member(findEntry(reply, parameter), "allowed"));
  const missing = values.filter((value) => !allowed.includes(value));
  demand(missing.length === 0, reply, `allowed: ${quote(values)} for ${parameter}`, quote(allowed));
}
