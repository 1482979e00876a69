import { quoteIfNeeded } from "../errors.ts";
import type { View } from "../operations/view.ts";
import { cleanText } from "../render/clean-text.ts";
import { formatCount } from "../render/plural.ts";
import { paint, type Screen, type Style } from "../render/terminal-screen.ts";
import { pad, wrap } from "../render/text-width.ts";
import type { Severity } from "./rule.ts";

export type Verdict = "pass" | "fail" | "skip";

export interface RuleReport {
  id: string;
  severity: Severity;
  section: string;
  title: string;
  verdict: Verdict;
  /** One sentence: why it failed or was skipped. */
  detail: string | null;
  expected: string | null;
  seen: string | null;
  fix: string | null;
  /** A curl command with variables in place of keys. */
  request: string | null;
}

export interface ConformReport {
  base_url: string;
  /** RFC 3339, UTC. */
  checked_at: string;
  /** Domain of the site used for the checks. */
  site: string | null;
  rules: RuleReport[];
  summary: Summary;
}

export interface Summary {
  rules: number;
  kept: number;
  failed: number;
  /** How many of the failed rules are `must`. */
  must_failed: number;
  skipped: number;
  /** The number of requests sent. */
  requests: number;
  /** One sentence: why too few rules were checked to trust the result; null if enough were. */
  incomplete: string | null;
}

/**
 * Counts the verdicts.
 *
 * @param obstacle What ended the run early or kept rules from being checked, if anything did.
 */
export function summarize(rules: readonly RuleReport[], requests: number, obstacle: string | undefined) {
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  const skipped = count("skip");
  return {
    rules: rules.length,
    kept: count("pass"),
    failed: count("fail"),
    must_failed: rules.filter(({ verdict, severity }) => verdict === "fail" && severity === "must").length,
    skipped,
    requests,
    incomplete: explainIncomplete(rules, skipped, obstacle),
  };
}

/** A rule that a service, key or moment gives no occasion for is normal; half of the rules, or an obstacle, is not. */
function explainIncomplete(rules: readonly RuleReport[], skipped: number, obstacle: string | undefined) {
  const isEnough = skipped === 0 || (obstacle === undefined && skipped * 2 <= rules.length);
  if (isEnough) return null;
  const first = rules.find(({ verdict }) => verdict === "skip")?.detail;
  return `Only ${rules.length - skipped} of ${formatCount(rules.length, "rule")} could be checked: ${obstacle ?? first}.`;
}

/** How a verdict is shown; `word` is for terminals without symbols. */
const VERDICTS = {
  pass: { mark: "✓", word: "ok", style: "green" },
  fail: { mark: "✗", word: "FAIL", style: "red" },
  skip: { mark: "–", word: "skip", style: "dim" },
} as const satisfies Record<Verdict, { mark: string; word: string; style: Style }>;
const MAX_LINE = 2_000;
const MARGIN = 16;

/** The report for people, in the order of the sections. */
export function formatReport(report: ConformReport, titles: ReadonlyMap<string, string>, screen: Screen) {
  const site = report.site === null ? "" : `, site ${quoteIfNeeded(report.site)}`;
  const sections = [...new Set(report.rules.map(({ section }) => section))].map((section) => {
    const rules = report.rules.filter((rule) => rule.section === section);
    const title = paint(screen, "bold", titles.get(section) ?? section);
    return [title, ...mergeSkipped(rules).map((rule) => formatRule(rule, screen))].join("\n");
  });
  const head = cleanText(`${report.base_url}${site}, ${report.checked_at}`, MAX_LINE);
  return [wrap(head, screen.width), ...sections, formatSummary(report.summary, screen.width)].join("\n\n");
}

/** One line for all rules that are skipped for the same reason, in the place of the first: the others are easily missed among them. */
function mergeSkipped(rules: readonly RuleReport[]): RuleReport[] {
  const isSkipped = ({ verdict }: RuleReport) => verdict === "skip";
  const sameAs = (rule: RuleReport) =>
    rules.filter((other) => isSkipped(other) && other.detail === rule.detail);
  return rules.flatMap((rule) => {
    if (!isSkipped(rule)) return [rule];
    const same = sameAs(rule);
    return same[0] === rule ? [{ ...rule, id: same.map(({ id }) => id).join(", ") }] : [];
  });
}

function formatRule({ id, severity, title, verdict, ...rule }: RuleReport, screen: Screen): string {
  const { mark, word, style } = VERDICTS[verdict];
  const first = `  ${paint(screen, style, screen.pictures ? mark : word)} ${wrap(id, screen.width - MARGIN, "    ")}`;
  const explain = (label: string, text: string | null) => {
    if (text === null) return [];
    const lines = wrap(cleanText(text, MAX_LINE), Math.max(20, screen.width - MARGIN)).split("\n");
    return lines.map((line, index) => pad(index === 0 ? `      ${label}` : "", MARGIN, "left") + line);
  };
  if (verdict === "pass") return first;
  if (verdict === "skip") return [first, ...explain("skipped", rule.detail)].join("\n");
  return [
    `${first} (${severity})`,
    ...explain("rule", title),
    ...explain("expected", rule.expected),
    ...explain("seen", rule.seen),
    ...explain("fix", rule.fix),
    // On one line, for pasting.
    ...(rule.request === null ? [] : [`      ${cleanText(rule.request, MAX_LINE)}`]),
  ].join("\n");
}

/** The counts, and why they say little if they do. */
export function formatSummary(summary: Summary, width = MAX_LINE): string {
  const { rules, kept, failed, must_failed, skipped, requests, incomplete } = summary;
  const kinds = failed === 0 ? "" : ` (${must_failed} must, ${failed - must_failed} should)`;
  const counts = `${kept} of ${rules} rules kept, ${failed} failed${kinds}, ${skipped} could not be checked; ${requests} requests.`;
  return incomplete === null ? counts : `${counts}\n${wrap(cleanText(incomplete, MAX_LINE), width)}`;
}

/** The report for a pipe: one line per rule. */
export const viewReport = ({ rules }: ConformReport): View => ({
  headline: "",
  columns: ["rule", "severity", "verdict", "detail"].map((key) => ({ key, label: key, kind: "text" })),
  rows: rules.map(({ id, severity, verdict, detail }) => ({ rule: id, severity, verdict, detail })),
  notes: [],
});
