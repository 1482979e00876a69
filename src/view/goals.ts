import { html, type Tree } from "../mcp/chart/elements.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { conditionOf, formatCondition } from "../operations/filter.ts";
import { breakdown } from "../operations/index.ts";
import { cleanText } from "../render/clean-text.ts";
import { mayCountGoals } from "../reports/conversions-answer.ts";
import { createNoDaysError } from "../reports/counted-list.ts";
import { findLike } from "../reports/named-values.ts";
import { type Address, change } from "./address.ts";
import type { Href } from "./bar.ts";
import { type Ask, parseQuestion } from "./questions.ts";

/** @param hasEvents Whether the source may have any. */
export const aboutGoals = (hasEvents: boolean): Tree =>
  html(
    "p",
    `A goal is a page ${hasEvents ? "or an event that visitors should reach, such as /thanks or events=signup" : "that visitors should reach, such as /thanks"}: this page says how many of them did. Type one, or choose one of the site's own.`,
  );

export const mayHaveEvents = async (call: Call, options: CallOptions): Promise<boolean> =>
  (await call.listed?.(options).catch(() => undefined))?.includes("events") !== false;

/** As many as a person reads at a glance. */
const SHOWN = 5;
/** In characters: no name is longer. */
const MAX_TYPED = 200;

/**
 * The site's own pages and events, to be chosen as a goal: those with a name like the one that was typed, or the most frequent. Throws
 * if the source has neither, or cannot tell who reached one.
 */
export async function listGoals(
  address: Address,
  { ask, call, signal }: { ask: Ask; call: Call; signal: AbortSignal },
  href: Href,
): Promise<Tree[]> {
  const [typed = ""] = address.given.get("goal") ?? [];
  const name = typed.slice(0, MAX_TYPED).replace(/^[^=]*=/, "");
  const answers = await Promise.allSettled(
    (["pages", "events"] as const).map(async (dimension) => {
      const list = change({ ...address, page: dimension }, { goal: undefined, by: undefined });
      const { result } = await ask(list, parseQuestion(list), signal);
      const { rows } = breakdown.answer.pick({ rows: true }).parse(result);
      const named = rows.filter(({ value, other }) => value !== null && !other);
      const near = name === "" ? [] : findLike(dimension, name, named);
      return { dimension, isNear: near.length > 0, rows: near.length > 0 ? near : named };
    }),
  );
  // The lists may only now have shown what kind of service it is.
  if (!(await mayCountGoals(call, { signal }))) throw createNoDaysError("goal");
  const lists = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const [failed] = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  if (lists.length === 0) throw failed;
  const near = lists.filter(({ isNear }) => isNear);
  return (near.length > 0 ? near : lists).flatMap(({ dimension, isNear, rows }) => {
    if (rows.length === 0) return [];
    const title = `${isNear ? "Nearest" : "Most frequent"} ${dimension}`;
    const links = rows.slice(0, SHOWN).map(({ value, label }) => {
      const goal = formatCondition(conditionOf(dimension, value));
      return html(
        "li",
        html("a", { href: href(change(address, { goal: [goal] })) }, html("bdi", cleanText(label))),
      );
    });
    return [html("h2", title), html("ul", { class: "chips", "aria-label": title }, ...links)];
  });
}
