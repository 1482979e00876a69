import type * as z from "zod";
import { buildWhenAsked, type LazySchemas, type Schemas } from "./schemas.ts";
import type { View } from "./view.ts";

/** What an operation is besides its schemas. */
interface Declaration<Name extends string, Params extends z.ZodObject, Result extends z.ZodObject> {
  /** Name of the shell subcommand, and the OpenAPI `operationId`. */
  readonly name: Name;
  /** Path below the base URL (which ends in `/api/v1`). */
  readonly path: `/${string}`;
  /** One line for people: help, OpenAPI summary, llms.txt. */
  readonly summary: string;
  /** The rules of the answer, for the people who implement or read the contract. */
  readonly description: string;
  /** What an assistant's model is told. */
  readonly tool: { readonly name: string; readonly title: string; readonly description: string };
  /** The member that grows with the question, and which end of it to keep where an answer must be cut. */
  readonly list?: { readonly key: string; readonly keep: "first" | "last" };
  /** How long a client may keep the answer, in seconds; 0 asks it to revalidate each time. */
  readonly maxAge: number;
  /** Says in one sentence why a well-formed answer is not an answer to what was asked. */
  verify?(result: z.output<Result>, params: z.output<Params>): string | undefined;
  /** The result without what can be read off the rest of it, for a model that pays by the word. */
  compact?(result: z.output<Result>): Record<string, unknown>;
  view(result: z.output<Result>, params: z.output<Params>): View;
}

/**
 * One endpoint of the contract, declared once. From it come the client call, the MCP tool, the shell
 * subcommand's options, the reference route's validation, the OpenAPI path and the llms.txt line.
 */
export interface Operation<
  Name extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
> extends Declaration<Name, Params, Result>,
    Schemas<Params, Result> {}

export type ParamsOf<O extends Operation> = z.output<O["params"]>;
export type InputOf<O extends Operation> = z.input<O["params"]>;
export type ResultOf<O extends Operation> = z.output<O["result"]>;

export function defineOperation<const N extends string, P extends z.ZodObject, R extends z.ZodObject>(
  operation: Declaration<N, P, R> & LazySchemas<P, R>,
): Operation<N, P, R> {
  return buildWhenAsked(operation);
}

/**
 * The shell command that asks the same question, safe to paste: what is not plain is quoted for a POSIX shell.
 *
 * @param options Those that choose the source, such as `--demo`, or `--profile` and its name.
 */
export function formatCommand(
  { name: command }: { name: string },
  params: Record<string, unknown>,
  options: readonly string[],
): string {
  const given = Object.entries(params).flatMap(([name, value]) => [`--${name}`, quote(String(value))]);
  return ["analytics-mcp", command, ...given, ...options.map(quote)].join(" ");
}

function quote(text: string): string {
  return /^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
