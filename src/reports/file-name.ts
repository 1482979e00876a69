import { createHash } from "node:crypto";
import * as z from "zod";

const named = z.object({
  site: z.object({ domain: z.string() }).optional(),
  filter: z.array(z.string()).optional(),
  period: z.object({ from: z.string(), to: z.string() }).optional(),
  current: z.object({ from: z.string(), to: z.string() }).optional(),
});

/**
 * The name of a file with an answer, on any system, without its ending: the site, what it lists if not all of a report, the days, and
 * the filter.
 */
export function nameFile(result: object, page = ""): string {
  const { site, filter, period, current } = named.parse(result);
  const { from, to } = period ?? current ?? {};
  const days = [...new Set([from, to])].filter((day) => day !== undefined);
  const words = [toFileName(site?.domain ?? "sites"), page, ...days, ...nameFilter(filter)];
  return words.filter((word) => word !== "").join("-");
}

const MAX_FILTER_NAME = 40;

/**
 * A filter as parts of a file's name, on any system. Its hash keeps the reports of different filters apart, because only the
 * beginning is readable, and some systems do not tell `DE` from `de`.
 */
function nameFilter(filter: readonly string[] = []): string[] {
  if (filter.length === 0) return [];
  const words = filter
    .join("-")
    .replaceAll("!=", "-not-")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  const hash = createHash("sha256").update(JSON.stringify(filter)).digest("hex");
  return ["only", [...words].slice(0, MAX_FILTER_NAME).join("").replace(/-$/, ""), hash.slice(0, 6)];
}

/** A domain as a part of a file's name, on any system. */
const toFileName = (domain: string) => domain.replaceAll(/[^\p{L}\p{N}.-]/gu, "_").replace(/^[.-]+/, "");
