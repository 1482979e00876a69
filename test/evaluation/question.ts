import type { Receipt } from "../../src/mcp/tool-answer.ts";
import type {
  breakdown,
  crawlers,
  notFound,
  realtime,
  stats,
  timeseries,
} from "../../src/operations/index.ts";
import type { ResultOf } from "../../src/operations/operation.ts";
import type { Comparison } from "../../src/reports/compare.ts";
import type { Conversions } from "../../src/reports/conversions.ts";
import type { Overview } from "../../src/reports/overview.ts";
import type { SiteList } from "../../src/reports/site-list.ts";
import type { Moment } from "./moments.ts";
import type { Span } from "./spans.ts";
import type { Truth } from "./truth.ts";

/** An hour has `time` in place of `date`. */
type Series = ResultOf<typeof timeseries>;
type Breakdown = ResultOf<typeof breakdown>;
type Row = Breakdown["rows"][number];
type Crawlers = ResultOf<typeof crawlers>;
type Crawler = Crawlers["rows"][number];
type Group = Comparison["dimensions"][number];
type Conversion = NonNullable<Conversions["rows"]>[number];

/** The structured half of each tool's answer. */
interface Structured {
  list_sites: SiteList;
  get_stats: ResultOf<typeof stats>;
  get_timeseries: Omit<Series, "points"> & { points: (Series["points"][number] & { time?: string })[] };
  /** A label that equals the value is omitted. */
  get_breakdown: Omit<Breakdown, "rows"> & { rows: (Omit<Row, "label"> & { label?: string })[] };
  get_crawlers: Omit<Crawlers, "rows"> & { rows: (Omit<Crawler, "label"> & { label?: string })[] };
  get_not_found: ResultOf<typeof notFound>;
  get_realtime: ResultOf<typeof realtime>;
  get_overview: Overview;
  compare_periods: Omit<Comparison, "dimensions"> & {
    dimensions: (Omit<Group, "movers"> & {
      movers: (Omit<Group["movers"][number], "label"> & { label?: string })[];
    })[];
  };
  get_conversions: Omit<Conversions, "rows"> & { rows?: (Omit<Conversion, "label"> & { label?: string })[] };
}

export type Tool = keyof Structured;
export type Answer<T extends Tool> = Structured[T] & { receipt: Receipt; text: string };
/** The answer to a call that fails. */
export interface Refusal {
  text: string;
}

export interface Args {
  site?: string;
  days?: number;
  dimension?: string;
  limit?: number;
  period?: string;
  against?: string;
  filter?: readonly string[];
  goal?: string;
  by?: string;
  with?: string;
  /** What models make up. */
  metric?: string;
  visitor_type?: string;
}

/** The days that an answer must have, or those of both windows of a comparison, the later named first. */
export type Covers = Span | readonly [current: Span, previous: Span];

/** One tool call. `refused` if the right answer is an error that says what to do instead. */
export interface ToolCall {
  tool: Tool;
  args: Args;
  refused?: true;
  /** Needed with `period`: what people mean by it, in dates or words that the test resolves by itself. */
  covers?: Covers;
}

type AnswerTo<C extends ToolCall> = C extends { refused: true } ? Refusal : Answer<C["tool"]>;
type AnswersTo<C extends readonly ToolCall[]> = { readonly [I in keyof C]: AnswerTo<C[I]> };

/** Calls a tool; throws if the tool refuses. */
export type Ask = <T extends Tool>(tool: T, args: Args, covers?: Covers) => Promise<Answer<T>>;

/** The facts that a question asks for. */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly Value[]
  | { readonly [member: string]: Value };

interface Common {
  /** In the words of a person. */
  question: string;
  at: Moment;
  /** The organization that asks; Acme by default. */
  key?: "acme" | "globex";
  /** The right facts, counted from the raw visits. Never undefined, because a missing number would equal it. */
  expect: (count: Truth) => Value;
}

/** A question with fixed calls. */
interface PlainQuestion<C extends readonly ToolCall[]> extends Common {
  calls: C;
  /** Reads the facts from the answers of the calls. */
  read: (answers: AnswersTo<C>) => unknown;
  /** Whether the shell commands of the receipts are run too, and must give the same answer. */
  shell?: true;
}

/** A question whose later calls depend on earlier answers. */
interface FollowedQuestion<A> extends Common {
  calls: (ask: Ask) => Promise<A>;
  read: (answers: A) => unknown;
}

/** A question of either kind, as the test runs it. */
export interface Question extends Common {
  calls: readonly ToolCall[] | ((ask: Ask) => Promise<unknown>);
  read: (answers: never) => unknown;
  shell?: true;
}

/** Lets the compiler infer which tools' answers `read` gets. */
export function question<const C extends readonly ToolCall[]>(question: PlainQuestion<C>): Question;
export function question<A>(question: FollowedQuestion<A>): Question;
export function question(question: Question): Question {
  return question;
}
