import { completeNames, nameDimension } from "../../operations/dimension-names.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import { breakdown } from "../../operations/index.ts";
import { periodChoices } from "../../operations/period-choices.ts";
import { MONTHS } from "../../operations/period-words.ts";
import { cleanText } from "../../render/clean-text.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { openSourceQuietly } from "../source.ts";
import type { Candidate } from "./candidates.ts";
import { readSiteCandidates } from "./known-sites.ts";

/** Milliseconds. A person is waiting with a finger on the Tab key. */
const DEADLINE_MS = 1_000;
const TOP_VALUES = 50;
const DAYS = 30;
/**
 * Visitors choose most values, and none may become part of a command: of what a shell reads, these have single spaces alone,
 * which the scripts quote.
 */
const PLAIN = /^[A-Za-z0-9/](?: ?[A-Za-z0-9._/+@-]){0,199}$/;

/** The dimensions of goals, the most frequent first. */
const GOALS: readonly Dimension[] = ["events", "pages", "hostnames"];

/** Completes a period. Words are spelled as they were begun: `last-week` or `last_week`. Months follow where no word does. */
export function listPeriods(current: string, others: readonly string[] = []): Candidate[] {
  const words = [...periodChoices, ...others];
  const isBegun = words.some((word) => word.startsWith(current.replaceAll("-", "_")));
  return (isBegun ? words : MONTHS).map((word) => ({
    value: current.includes("-") ? word.replaceAll("_", "-") : word,
    description: "",
  }));
}

/** Completes a goal such as `events=signup`. Only a filter chooses visits. */
export async function readGoalCandidates(io: Io, flags: SourceFlags, current: string): Promise<Candidate[]> {
  return current.startsWith("visit:") ? [] : readConditionCandidates(io, flags, current, GOALS);
}

/** Completes a condition such as `countries=DE`: by dimension, and behind the equals sign by its top values. */
export async function readConditionCandidates(
  io: Io,
  flags: SourceFlags,
  current: string,
  among: readonly Dimension[] = dimensions,
): Promise<Candidate[]> {
  const [, start = "", visit = "", name = ""] = /^((visit:)?([\w-]{1,40})!?=)/.exec(current) ?? [];
  if (start === "") {
    const names = completeNames(among, current).map((name) => ({ value: `${name}=`, description: "" }));
    const [only, ...others] = names.filter(({ value }) => value.startsWith(current));
    if (only === undefined || others.length > 0) return names;
    // With a name alone, a shell would close the quote before the value.
    const values = await readConditionCandidates(io, flags, only.value, among).catch(() => []);
    return values.length > 0 ? values : [only];
  }
  const dimension = among.find((known) => known === nameDimension(name));
  if (dimension === undefined) return [];
  const typed = current.slice(start.length);
  const rows = await readTop(io, flags, dimension);
  return rows.flatMap(({ value, label }) => {
    if (value === null) return [];
    // `referrers=Goo` continues with a name, which a filter takes for the value.
    const [text, other] =
      label.startsWith(typed) && !value.startsWith(typed) ? [label, value] : [value, label];
    if (!PLAIN.test(text)) return [];
    const described = other === text ? "" : cleanText(other, 60);
    return [{ value: `${start}${text}`, description: visit === "" ? described : "in the visit" }];
  });
}

async function readTop(io: Io, flags: SourceFlags, dimension: Dimension) {
  const site = await findSite(io, flags);
  if (site === undefined) return [];
  const { call } = openSourceQuietly(io, flags, { deadline: DEADLINE_MS, attempts: 1 });
  return (await call(breakdown, { site, dimension, days: DAYS, limit: TOP_VALUES })).rows;
}

/** The site on the command line, else the default site, else the first. */
async function findSite(io: Io, flags: SourceFlags): Promise<string | undefined> {
  const { site } = flags as { site?: string | string[] };
  const given = Array.isArray(site) ? site.at(-1) : site;
  if (given !== undefined) return given;
  const source = openSourceQuietly(io, flags, { deadline: DEADLINE_MS, attempts: 1 });
  return (await source.call.readSite?.()) ?? (await readSiteCandidates(io, flags, ""))[0]?.value;
}
