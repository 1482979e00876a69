import type * as z from "zod";
import { buildWhenAsked, type LazySchemas, type Schemas } from "./schemas.ts";
import type { View } from "./view.ts";

/** What every question declares, whether one operation answers it or several: its sentences, and its shell command. */
export interface Presentation {
  /** One line for people: help, OpenAPI summary, llms.txt. */
  readonly summary: string;
  /** For an assistant's model. */
  readonly tool: { readonly name: string; readonly title: string; readonly description: string };
  readonly shell: {
    /** Command lines that people use, shown first in the command's help. */
    readonly examples: readonly [string, ...string[]];
    /** Columns of the view that show how `--fields` is written. */
    readonly fields: string;
    /** Whether it is worth asking again and again: `--watch`. */
    readonly canWatch?: true;
    /** Where each row is a site: its id, so that a terminal can show the site's trend beside it. */
    trendOf?(row: Record<string, unknown>): string;
  };
  /** The member that grows with the question, and which end of it to keep where an answer must be cut. */
  readonly list?: { readonly key: string; readonly keep: "first" | "last" };
  /** Whether it describes the API itself: it has no numbers, and is too long for a model, which gets a digest. */
  readonly isDescription?: true;
}

/** What an operation is besides its schemas. */
interface Declaration<Name extends string, Params extends z.ZodObject, Result extends z.ZodObject>
  extends Presentation {
  /** Name of the shell subcommand, and the OpenAPI `operationId`. */
  readonly name: Name;
  /** Path below the base URL (which ends in `/api/v1`). */
  readonly path: `/${string}`;
  /** The rules of the answer, for people who implement or read the contract. */
  readonly description: string;
  /** How long a client may keep the answer, in seconds; 0 asks it to revalidate each time. */
  readonly maxAge: number;
  /** What `conform` checks of every operation: that it answers, with these members. */
  readonly conform: {
    /** The section of rules that it belongs to. */
    readonly section: string;
    /** The parameters of the plainest question, about a site where the operation takes one. */
    ask(site: string): z.input<Params>;
    /** The members of the answer, in words. */
    readonly members: string;
    /** What implementers get wrong most. */
    readonly fix: string;
  };
  /** Says in one sentence why a well-formed answer is not an answer to what was asked. */
  verify?(result: z.output<Result>, params: z.output<Params>): string | undefined;
  /** The result without what can be read off the rest of it, for a model that pays by the word. */
  compact?(result: z.output<Result>): Record<string, unknown>;
  view(result: z.output<Result>, params: z.output<Params>): View;
}

/**
 * One endpoint of the contract, declared once. From it come the client's call, the MCP tool, the shell command with its
 * help and completion, the API route's validation, the OpenAPI path, the llms.txt line and conform's basic rule.
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
