import type * as z from "zod";
import { type LazySchemas, type Schemas, withLazySchemas } from "./schemas.ts";
import type { View } from "./view.ts";

/** What every query declares, whether one operation answers it or several: its texts and its shell command. */
export interface Presentation {
  /** One line for people: help, OpenAPI summary, llms.txt. */
  readonly summary: string;
  /** For the model. */
  readonly tool: { readonly name: string; readonly title: string; readonly description: string };
  readonly shell: {
    /** Typical command lines, shown first in the command's help. */
    readonly examples: readonly [string, ...string[]];
    /** Columns of the view, used in the example of `--fields`. */
    readonly fields: string;
    /** Adds `--watch`, for answers that change from second to second. */
    readonly canWatch?: true;
    /** If each row is a site: returns its id, so that a terminal can show the site's trend next to it. */
    trendOf?(row: Record<string, unknown>): string;
  };
  /**
   * The list in the answer that can get long, and which end to keep if it must be cut; the member `truncated` then says so.
   * `hasVisits` is set if its entries have visits, which are shown on request.
   */
  readonly list?: {
    readonly key: string;
    readonly keep: "first" | "last";
    readonly hasVisits?: true;
  };
  /** Set if the answer describes the API: it has no numbers and is too long for a model, which gets a summary. */
  readonly isDescription?: true;
}

/** An operation without its schemas. */
interface Declaration<
  Name extends string,
  Params extends z.ZodObject,
  Result extends z.ZodObject,
  Answer extends z.ZodObject,
> extends Presentation {
  /** Name of the shell subcommand, and the OpenAPI `operationId`. */
  readonly name: Name;
  /** Path below the base URL (which ends in `/api/v1`). */
  readonly path: `/${string}`;
  /** How the answer is computed, for people who implement or read the contract. */
  readonly description: string;
  /** Seconds for which a client may cache the answer; 0 means that it must revalidate each time. */
  readonly maxAge: number;
  /** What `conform` checks for every operation: it answers, with these members. */
  readonly conform: {
    /** The section of its rules. */
    readonly section: string;
    /** Parameters of a typical query; `site` is empty if the operation takes none. */
    ask(site: string): z.input<Params>;
    /** The members of the answer, as a phrase. */
    readonly members: string;
    /** The most common mistake of implementers, as advice. */
    readonly fix: string;
    /** Set if the answer has the visitors and page views of the whole period: they equal those of /stats. */
    totals?(result: z.output<Result>): { visitors: number; pageviews: number };
  };
  /** Returns why a well-formed answer does not match the query, or undefined if it does. */
  verify?(result: z.output<Result>, params: z.output<Params>): string | undefined;
  /** The result without members that follow from others, to save a model tokens. */
  compact?(answer: z.output<Answer>): Record<string, unknown>;
  view(answer: z.output<Answer>, params: z.output<Params>): View;
}

/**
 * One endpoint of the contract, declared once. The client's call, the MCP tool, the shell command with its help and
 * completion, the API route's validation, the OpenAPI path, the llms.txt line and conform's basic rule are derived from it.
 */
export interface Operation<
  Name extends string = string,
  Params extends z.ZodObject = z.ZodObject,
  Result extends z.ZodObject = z.ZodObject,
  Answer extends z.ZodObject = z.ZodObject,
> extends Declaration<Name, Params, Result, Answer>,
    Schemas<Params, Result, Answer> {
  /** Set if a service may lack the operation: it then answers 404 `not_found` and does not describe it. */
  readonly isOptional?: true;
}

export type ParamsOf<O extends Operation> = z.output<O["params"]>;
/** What a call returns. */
export type AnswerOf<O extends Operation> = z.output<O["answer"]>;
/** What the contract has on the wire: an answer with all its members. */
export type ResultOf<O extends Operation> = z.output<O["result"]>;

export function defineOperation<
  const N extends string,
  P extends z.ZodObject,
  R extends z.ZodObject,
  A extends z.ZodObject = R,
  const O extends true = never,
>(
  operation: Declaration<N, P, R, A> & LazySchemas<P, R, A> & { readonly isOptional?: O },
): Operation<N, P, R, A> & { readonly isOptional?: O } {
  return withLazySchemas(operation);
}
