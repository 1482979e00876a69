import type { Receipt } from "../../src/mcp/tool-answer.ts";
import type { breakdown, realtime, sites, stats, timeseries } from "../../src/operations/index.ts";
import type { ResultOf } from "../../src/operations/operation.ts";
import type { Comparison } from "../../src/reports/compare.ts";
import type { Overview } from "../../src/reports/overview.ts";
import type { Moment } from "./moments.ts";
import type { Truth } from "./truth.ts";

type Breakdown = ResultOf<typeof breakdown>;
type Row = Breakdown["rows"][number];
type Group = Comparison["dimensions"][number];

/** The structured half of each tool's answer. */
interface Structured {
  list_sites: ResultOf<typeof sites>;
  get_stats: ResultOf<typeof stats>;
  get_timeseries: ResultOf<typeof timeseries>;
  /** A label that is the value itself is left out. */
  get_breakdown: Omit<Breakdown, "rows"> & { rows: (Omit<Row, "label"> & { label?: string })[] };
  get_realtime: ResultOf<typeof realtime>;
  get_overview: Overview;
  compare_periods: Omit<Comparison, "dimensions"> & {
    dimensions: (Omit<Group, "movers"> & { movers: Omit<Group["movers"][number], "value">[] })[];
  };
}

export type Tool = keyof Structured;
export type Answer<T extends Tool> = Structured[T] & { receipt: Receipt; text: string };
/** What a call says that cannot be answered. */
export interface Refusal {
  text: string;
}

export interface Args {
  site?: string;
  days?: number;
  dimension?: string;
  limit?: number;
}

/** One call of a tool. `refused` where the right answer is an error that says what to do instead. */
export interface ToolCall {
  tool: Tool;
  args: Args;
  refused?: true;
}

type AnswerTo<C extends ToolCall> = C extends { refused: true } ? Refusal : Answer<C["tool"]>;
type AnswersTo<C extends readonly ToolCall[]> = { readonly [I in keyof C]: AnswerTo<C[I]> };

/** Calls a tool; throws where the tool refuses. */
export type Ask = <T extends Tool>(tool: T, args: Args) => Promise<Answer<T>>;

/** What an answer comes to. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [member: string]: Value };

interface Common {
  /** As somebody says it. */
  question: string;
  at: Moment;
  /** Whose assistant it is; Acme's unless told. */
  key?: "acme" | "globex";
  /** What is right, counted from the raw visits: never undefined, since a number that is missing would equal it. */
  expect: (count: Truth) => Value;
}

/** A question whose calls are known beforehand. */
interface PlainQuestion<C extends readonly ToolCall[]> extends Common {
  calls: C;
  /** The answer, as it is read from the calls' answers. */
  read: (answers: AnswersTo<C>) => unknown;
  /** Whether the receipts' shell commands must give the same answer. */
  shell?: true;
}

/** A question whose later calls depend on what the earlier ones answer. */
interface FollowedQuestion<A> extends Common {
  calls: (ask: Ask) => Promise<A>;
  read: (answers: A) => unknown;
}

/** A question of whichever kind, as the test runs it. */
export interface Question extends Common {
  calls: readonly ToolCall[] | ((ask: Ask) => Promise<unknown>);
  read: (answers: never) => unknown;
  shell?: true;
}

/** Lets the compiler see which tool's answer `read` is given. */
export function question<const C extends readonly ToolCall[]>(question: PlainQuestion<C>): Question;
export function question<A>(question: FollowedQuestion<A>): Question;
export function question(question: Question): Question {
  return question;
}
