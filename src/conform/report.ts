import type { View } from "../operations/view.ts";
import { cleanText } from "../render/clean.ts";
import type { Severity } from "./rule.ts";

export type Verdict = "pass" | "fail" | "skip";

export interface RuleReport {
  id: string;
  severity: Severity;
  section: string;
  title: string;
  verdict: Verdict;
  /** Why it failed or was skipped, in one sentence. */
  detail: string | null;
  expected: string | null;
  seen: string | null;
  fix: string | null;
  /** A curl line with the keys by their variables' names. */
  request: string | null;
}

export interface Report {
  base_url: string;
  /** RFC 3339, UTC. */
  checked_at: string;
  /** Domain of the site that was asked about. */
  site: string | null;
  rules: RuleReport[];
  summary: Summary;
}

export interface Summary {
  rules: number;
  kept: number;
  failed: number;
  /** Of the failed ones, those that clients rely on. */
  must_failed: number;
  skipped: number;
  /** How many were sent. */
  requests: number;
}

export function summarize(rules: readonly RuleReport[], requests: number): Summary {
  const count = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  return {
    rules: rules.length,
    kept: count("pass"),
    failed: count("fail"),
    must_failed: rules.filter(({ verdict, severity }) => verdict === "fail" && severity === "must").length,
    skipped: count("skip"),
    requests,
  };
}

const MARKS: Record<Verdict, string> = { pass: "✓", fail: "✗", skip: "–" };
const MAX_LINE = 2_000;

/** The report for people, in the order of the sections. */
export function formatReport(report: Report, titles: ReadonlyMap<string, string>): string {
  const site = report.site === null ? "" : `, asked about ${report.site}`;
  const sections = [...new Set(report.rules.map(({ section }) => section))].map((section) => {
    const rules = report.rules.filter((rule) => rule.section === section);
    return [titles.get(section) ?? section, ...rules.map(formatRule)].join("\n");
  });
  const head = cleanText(`${report.base_url}${site}, ${report.checked_at}`, MAX_LINE);
  return [head, ...sections, formatSummary(report.summary)].join("\n\n");
}

function formatRule({ id, severity, title, verdict, ...rule }: RuleReport): string {
  const line = (label: string, text: string | null) =>
    text === null ? [] : [`      ${label.padEnd(10)}${cleanText(text, MAX_LINE)}`];
  if (verdict === "pass") return `  ${MARKS.pass} ${id}`;
  if (verdict === "skip") return [`  ${MARKS.skip} ${id}`, ...line("skipped", rule.detail)].join("\n");
  return [
    `  ${MARKS.fail} ${id} (${severity})`,
    `      ${title}`,
    ...line("expected", rule.expected),
    ...line("seen", rule.seen),
    ...line("fix", rule.fix),
    ...line("try", rule.request),
  ].join("\n");
}

export function formatSummary({ rules, kept, failed, must_failed, skipped, requests }: Summary): string {
  const kinds = failed === 0 ? "" : ` (${must_failed} must, ${failed - must_failed} should)`;
  return `${kept} of ${rules} rules kept, ${failed} failed${kinds}, ${skipped} could not be checked; ${requests} requests.`;
}

/** The report for a pipe: a line a rule. */
export function viewReport({ rules }: Report): View {
  return {
    headline: "",
    columns: ["rule", "severity", "verdict", "detail"].map((key) => ({ key, label: key, kind: "text" })),
    rows: rules.map(({ id, severity, verdict, detail }) => ({ rule: id, severity, verdict, detail })),
    notes: [],
  };
}
