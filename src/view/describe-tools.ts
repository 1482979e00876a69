import * as z from "zod";
import { headFilter } from "../operations/filter.ts";
import { formatCommand } from "../operations/shell-command.ts";
import { isShiftedComparison } from "../reports/compare-answer.ts";
import { isFitted, SHIFTED } from "../reports/default-days.ts";
import { findQuery } from "../reports/queries.ts";
import type { Answer } from "../reports/query.ts";
import { reportQuery } from "../reports/site-report.ts";
import { type Address, DEFAULT_PERIOD, readQuestion } from "./address.ts";
import type { Tools } from "./bar.ts";

const datedResult = z.object({
  period: z.object({ from: z.string(), to: z.string() }),
  warnings: z.array(z.object({ code: z.string() })),
});

const shiftedResult = z.object({
  warnings: z.array(z.object({ code: z.string(), detail: z.string() })).default([]),
  near: z.array(z.string()).default([]),
});

/** Why an answer is not of the days that were asked for. */
export function listShifts(result: Answer["result"]): string[] {
  const { warnings, near } = shiftedResult.parse(result);
  const shifted = warnings.filter(({ code }) => code === SHIFTED).map(({ detail }) => detail);
  return [...shifted, ...near.filter(isShiftedComparison)];
}

const comparedResult = z.object({ current: z.object({ days: z.int() }) });

/**
 * How to ask the same elsewhere: in a shell, of an assistant.
 *
 * @param source Options that choose the source on the command line.
 */
export function describeTools(
  { params, result }: Answer,
  address: Address,
  source: readonly string[],
): Tools {
  const { query, texts, fit } = readQuestion(address);
  const isFit = fit.usesDefaultDays || fit.takesNearDays;
  const dated = isFit ? datedResult.safeParse(result).data : undefined;
  // The command has these days, too, where those of the page were fitted to the data.
  if (dated?.warnings.some(isFitted)) texts.set("period", [`${dated.period.from}/${dated.period.to}`]);
  const compared = listShifts(result).length > 0 ? comparedResult.safeParse(result).data : undefined;
  if (compared) texts.set("period", [`last_${compared.current.days}_days`]);
  // A list whose days are unknown is refused for days that are named.
  if (isFit && "dimension" in result && result.period === undefined) texts.delete("period");
  const given = Object.fromEntries(
    [...texts].map(([name, values]) => [name, name === "site" ? (params.site ?? values) : values]),
  );
  // What the report shows is the overview, with more lists.
  const asked = query === reportQuery ? findQuery("overview") : query;
  const [days] = texts.get("days") ?? [];
  const period = days === undefined ? `period ${texts.get("period")?.[0] ?? DEFAULT_PERIOD}` : `days ${days}`;
  const filter = texts.get("filter") ?? [];
  return {
    command: formatCommand(asked, given, source),
    report: query === reportQuery ? formatCommand(query, given, source) : undefined,
    prompt: `Use ${asked.tool.name} for ${address.site ?? "all sites"}, ${period}${headFilter(filter)}. What stands out, and why?`,
  };
}
