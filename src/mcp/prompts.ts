import { type GetPromptResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import * as z from "zod";
import { quoteIfNeeded } from "../errors.ts";
import { readMember } from "../member.ts";
import { readParams } from "../operations/parameters.ts";
import { isPeriod, PERIOD_FORMS } from "../operations/period-words.ts";
import { cleanText } from "../render/clean-text.ts";

const site = { name: "site", description: "Site id or domain; optional if there is only one site." };
const days = { name: "days", description: "Days in each window: 7 compares one week with the week before." };
const period = {
  name: "period",
  description: "Days to report on, such as last_week, last_month or 2026-11; today is left out.",
};
const dimension = {
  name: "dimension",
  description: "Where to look for the cause; by default pages, referrers, channels and countries.",
};

type Arguments = Partial<Record<"site" | "days" | "period" | "dimension", string>>;

interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: { name: string; description: string }[];
  write: (given: Arguments) => string;
}

/** Prompts that people pick from a menu: common questions, with the tools that answer them. */
const prompts: Prompt[] = [
  {
    name: "weekly_report",
    title: "Weekly report",
    description: "A short report on a site's last seven complete days, or on another week.",
    arguments: [site, period],
    write: (given) => `Write a short weekly report ${forSite(given.site)}.
Call compare_periods and get_timeseries, both with period=${clean(given.period) ?? "last_7_days"}, and leave out today, which is incomplete. For more detail, call get_breakdown with the same period. State the dates of both windows. Report how visitors and page views changed, on which days, and which pages, referrers, channels and countries changed most. Say what is uncertain, such as a small sample or missing rows. End with one sentence on what to look at next.`,
  },
  {
    name: "what_changed",
    title: "What changed, and why",
    description: "The last complete days compared with the days before, and what changed most.",
    arguments: [
      site,
      days,
      { ...period, description: "Instead of days, such as last_week, last_month or 2026-11." },
      dimension,
    ],
    write: (given) => `What changed ${forSite(given.site)}, and why?
Call compare_periods with ${clean(given.period) ? `period=${clean(given.period)}` : `days=${clean(given.days) ?? "7"}`}${given.dimension ? ` and dimension=${clean(given.dimension)}` : ""}. If one value explains most of the change, call get_timeseries to see on which day it happened and, with interval=hour, at what time. Give each number with its dates, and separate what is known from what is a guess.`,
  },
  {
    name: "traffic_drop_check",
    title: "Traffic-drop check",
    description: "Whether traffic really dropped, when and where.",
    arguments: [site],
    write: (given) => `Did traffic drop ${forSite(given.site)}?
Call get_timeseries with days=29 and compare each complete day with the same weekday a week before; leave out today, which is incomplete. If there is a drop, call compare_periods with days=7 to see which pages, referrers, channels or countries fell. Say plainly if there is no drop, or if the numbers are too small to tell.`,
  },
];

export const listPrompts = () =>
  prompts.map(({ write: _, ...prompt }) => ({
    ...prompt,
    arguments: prompt.arguments.map((argument) => ({ ...argument, required: false })),
  }));

/** Throws a protocol error -32602 if there is no such prompt. */
export function findPrompt(name: string): Prompt {
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (prompt) return prompt;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Prompt ${name} not found`);
}

/** Writes a prompt. Ignores unknown arguments; throws a protocol error -32602 for invalid ones. */
export async function writePrompt(name: string, given: Record<string, string>): Promise<GetPromptResult> {
  const prompt = findPrompt(name);
  const accepted: Arguments = Object.fromEntries(
    prompt.arguments.flatMap((argument) =>
      Object.hasOwn(given, argument.name) ? [[argument.name, readMember(given, argument.name)]] : [],
    ),
  );
  const mistakes = [
    ...(await findMistake("days", accepted.days)),
    ...(await findMistake("dimension", accepted.dimension)),
    ...findPeriodMistake(accepted),
  ];
  if (mistakes.length > 0) {
    const message = `Invalid arguments for prompt ${name}: ${mistakes.join(", ")}`;
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }
  return { messages: [{ role: "user", content: { type: "text", text: prompt.write(accepted) } }] };
}

/** Checks an argument as compare_periods would. Hosts send an empty text for a field that was left empty. */
async function findMistake(parameter: "days" | "dimension", text = ""): Promise<string[]> {
  if (text === "") return [];
  const { compare } = await import("../reports/compare.ts");
  try {
    const params = z.strictObject({ [parameter]: compare.params.shape[parameter] });
    readParams(params, new Map([[parameter, [text]]]));
    return [];
  } catch (error) {
    return [`${parameter}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function findPeriodMistake(given: Arguments): string[] {
  if (!given.period) return [];
  if (!isPeriod(given.period)) return [`period: must be ${PERIOD_FORMS}`];
  return given.days ? ["period: cannot be combined with days"] : [];
}

const clean = (text: string | undefined) => (text === undefined || text === "" ? undefined : cleanText(text));
const forSite = (text: string | undefined) =>
  clean(text) === undefined ? "on our site" : `on the site ${quoteIfNeeded(clean(text) ?? "")}`;
