import { completable, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { compare } from "../insights/compare.ts";
import type { Call } from "../operations/call.ts";
import { readParams } from "../operations/parameters.ts";
import { cleanText } from "../render/clean.ts";
import { completeDimension, completeSite } from "./completion.ts";

/** Prompts that people pick from a menu: good questions, with the tools that answer them. */
export function registerPrompts(server: McpServer, call: Call): void {
  const { ofSite, ofChange } = argumentsFor(call);

  server.registerPrompt(
    "weekly_report",
    {
      title: "Weekly report",
      description: "A short report on a site's last seven complete days.",
      argsSchema: ofSite,
    },
    (args) =>
      ask(`Write a short weekly report ${forSite(args.site)}.
Call compare_periods with days=7, and get_overview with days=7. State both windows by their dates. Say how visitors and page views changed, what moved most and the top pages and referrers. Say what is uncertain: a small sample, cut-off rows. End with one sentence on what to look at next.`),
  );
  server.registerPrompt(
    "what_changed",
    {
      title: "What changed, and why",
      description: "The last complete days against the days before them, and what moved.",
      argsSchema: ofChange,
    },
    (args) =>
      ask(`What changed ${forSite(args.site)}, and why?
Call compare_periods with days=${clean(args.days) ?? "7"}${args.dimension ? ` and dimension=${clean(args.dimension)}` : ""}. If one value explains most of the change, call get_timeseries to see on which day it happened. Name numbers with their dates, and tell what is known from what is guessed.`),
  );
  server.registerPrompt(
    "traffic_drop_check",
    {
      title: "Traffic-drop check",
      description: "Whether traffic really dropped, when, and where.",
      argsSchema: ofSite,
    },
    (args) =>
      ask(`Did traffic drop ${forSite(args.site)}?
Call get_timeseries with days=29 and compare each complete day with the same weekday a week before; today is partial and counts for nothing. If there is a drop, call compare_periods with days=7 to see which pages, referrers, channels or countries fell. Say plainly if there is no drop, or if the numbers are too small to tell.`),
  );
}

const known = new WeakMap<Call, ReturnType<typeof buildArguments>>();

/** Built once for whoever asks: servers may be made for every request. */
function argumentsFor(call: Call) {
  const built = known.get(call) ?? buildArguments(call);
  known.set(call, built);
  return built;
}

function buildArguments(call: Call) {
  // The SDK looks for the completion inside an optional schema, not on it.
  const site = completable(
    z.string().describe("Site id or domain; may be left out when there is one."),
    (text) => completeSite(call, text),
  ).optional();
  const days = textFor("days")
    .optional()
    .describe("Days in each window: 7 compares a week with the week before.");
  const dimension = completable(
    textFor("dimension").describe(
      "Where to look for the cause; without it, pages, referrers, channels, countries.",
    ),
    completeDimension,
  ).optional();
  return { ofSite: z.object({ site }), ofChange: z.object({ site, days, dimension }) };
}

/** A text that compare_periods takes for its parameter. Hosts send a field that was left empty. */
function textFor(parameter: "days" | "dimension") {
  return z.string().superRefine((text, context) => {
    if (text === "") return;
    try {
      const params = z.strictObject({ [parameter]: compare.params.shape[parameter] });
      readParams(params, new Map([[parameter, [text]]]));
    } catch (error) {
      context.addIssue({ code: "custom", message: error instanceof Error ? error.message : String(error) });
    }
  });
}

const clean = (text: string | undefined) => (text === undefined || text === "" ? undefined : cleanText(text));
const forSite = (site: string | undefined) =>
  clean(site) === undefined ? "on our site" : `on the site ${clean(site)}`;

function ask(text: string) {
  return { messages: [{ role: "user" as const, content: { type: "text" as const, text } }] };
}
