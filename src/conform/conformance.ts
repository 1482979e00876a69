import { hideKey } from "../client/hidden-key.ts";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { formatCount } from "../render/plural.ts";
import { suggest } from "../suggest.ts";
import { type ConformReport, type RuleReport, summarize } from "./conform-report.ts";
import { createProbe, DEFAULT_LIMITS, type Probe, type ProbeLimits, type Target } from "./probe.ts";
import { formatCurl, type Key } from "./reply.ts";
import type { Rule, Section } from "./rule.ts";
import { sections } from "./rules/sections.ts";
import type { Subject } from "./subject.ts";
import { type Survey, survey } from "./survey.ts";
import { Breach, Halt, Inconclusive, Skip } from "./verdict.ts";

export interface ConformOptions {
  /** Milliseconds since 1970. */
  clock: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  /** Receives progress messages for people at a terminal. */
  note?: (text: string) => void;
  /** Id or domain of the site to check. */
  site?: string | undefined;
  /** Ids of rules and names of sections; all if omitted. */
  only?: readonly string[] | undefined;
  limits?: Partial<ProbeLimits>;
}

/** The names that `only` accepts, of sections and rules, each with its title. */
export const listNames = (): { value: string; description: string }[] =>
  sections.flatMap(({ name, title, rules }) => [
    { value: name, description: title },
    ...rules.map((rule) => ({ value: rule.id, description: rule.title })),
  ]);

/**
 * Checks every rule that the given keys allow, one request after the other. No answer of the service makes this throw:
 * it becomes a verdict. Throws AnalyticsError if nothing can be checked at all.
 */
export async function checkConformance(target: Target, options: ConformOptions): Promise<ConformReport> {
  const { clock, sleep, note = () => {}, only } = options;
  const chosen = chooseSections(only);
  const keys = nameKeys(target);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const probe = createProbe(target, keys.own, { clock, sleep, note, limits });
  const began = clock();
  const found = await survey(probe, { url: target.baseUrl, apiKey: target.apiKey }, keys, options.site);
  const subject = createSubject(probe, keys, found, options);
  const rules: RuleReport[] = [];
  let end: string | undefined;
  for (const section of chosen) {
    note(`${section.title}: ${formatCount(section.rules.length, "rule")}`);
    for (const rule of section.rules) {
      const outcome = await checkRule(rule, subject, probe);
      if (outcome instanceof Halt) end ??= outcome.message;
      rules.push(report(section, rule, outcome, target));
    }
  }
  const { site } = found;
  const obstacle = end ?? (typeof site === "string" ? site : undefined);
  return {
    base_url: target.baseUrl,
    checked_at: `${new Date(began).toISOString().slice(0, 19)}Z`,
    site: typeof site === "string" ? null : site.domain,
    rules,
    summary: summarize(rules, probe.requests, obstacle && redact(obstacle, target)),
  };
}

/** The sections with the chosen rules. Throws AnalyticsError `usage` for an unknown name. */
export function chooseSections(only: readonly string[] | undefined): Section[] {
  if (only === undefined) return [...sections];
  const names = listNames().map(({ value }) => value);
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined || only.length === 0) {
    throw new AnalyticsError("usage", `--only: there is no rule or section ${quoteWord(unknown ?? "")}.`, {
      hint: `${suggest(unknown ?? "", names)}List them with: analytics-mcp conform --list`,
    });
  }
  return sections
    .map((section) => {
      const rules = section.rules.filter(({ id }) => only.includes(section.name) || only.includes(id));
      return { ...section, rules };
    })
    .filter(({ rules }) => rules.length > 0);
}

/** Checks a rule again if it was broken or inconclusive, so that no verdict depends on the moment. */
async function checkRule(rule: Rule, subject: Subject, probe: Probe): Promise<Breach | Skip | undefined> {
  const first = await attempt(rule, subject);
  if (first === undefined || first instanceof Skip) return first;
  probe.forgetReplies();
  const second = await attempt(rule, subject);
  if (second instanceof Halt && first instanceof Breach) return first;
  return second instanceof Inconclusive ? new Skip(second.message) : second;
}

async function attempt(rule: Rule, subject: Subject): Promise<Breach | Skip | Inconclusive | undefined> {
  try {
    await rule.check(subject);
    return undefined;
  } catch (error) {
    if (error instanceof Breach || error instanceof Skip || error instanceof Inconclusive) return error;
    throw error;
  }
}

const MAX_WORDS = 300;
const MIN_PART = 5;

function report(
  { name }: Section,
  rule: Rule,
  outcome: Breach | Skip | undefined,
  target: Target,
): RuleReport {
  const { id, severity, title, fix } = rule;
  const base = { id, severity, section: name, title };
  const nothing = { detail: null, expected: null, seen: null, fix: null, request: null };
  const say = (text: string) => {
    const safe = redact(text, target);
    return safe.length <= MAX_WORDS ? safe : `${safe.slice(0, MAX_WORDS - 1)}…`;
  };
  if (outcome === undefined) return { ...base, verdict: "pass", ...nothing };
  if (outcome instanceof Skip) return { ...base, verdict: "skip", ...nothing, detail: say(outcome.message) };
  const { sent } = outcome;
  const [expected, seen] = [say(outcome.expected), say(outcome.seen)];
  const detail = `${sent.method} ${new URL(sent.url).pathname}: expected ${expected}; seen ${seen}`;
  return { ...base, verdict: "fail", detail, expected, seen, fix, request: redact(formatCurl(sent), target) };
}

/** Hides keys that a service repeats in its answers, including those that a rule shortened or put into a query. */
function redact(text: string, { apiKey, otherKey = "" }: Target): string {
  // A part of one character or a few would be in every other word.
  const part = apiKey.length > MIN_PART ? apiKey.slice(0, -1) : "";
  const keys = [apiKey, encodeURIComponent(apiKey), otherKey, part].filter((key) => key !== "");
  return keys.reduce(hideKey, text);
}

type Keys = Subject["keys"] & { other: Key | undefined };

const nameKeys = ({ apiKey, otherKey }: Target): Keys => ({
  own: { value: apiKey, shown: "$ANALYTICS_API_KEY" },
  wrong: { value: "conform-no-such-key", shown: "conform-no-such-key" },
  recased: recase(apiKey),
  changed: changeEnd(apiKey),
  longer: { value: `${apiKey}x`, shown: "$" + "{ANALYTICS_API_KEY}x" },
  shorter: { value: apiKey.slice(0, -1), shown: "$" + "{ANALYTICS_API_KEY%?}" },
  other: otherKey === undefined ? undefined : { value: otherKey, shown: "$ANALYTICS_OTHER_API_KEY" },
});

/** The key with another last character. */
function changeEnd(apiKey: string): Key {
  const last = apiKey.endsWith("0") ? "1" : "0";
  return { value: `${apiKey.slice(0, -1)}${last}`, shown: `\${ANALYTICS_API_KEY%?}${last}` };
}

/** The key with its letters in the other case. */
function recase(apiKey: string): Key | undefined {
  const swap = (letter: string) => (letter < "a" ? letter.toLowerCase() : letter.toUpperCase());
  const value = apiKey.replace(/[a-z]/gi, swap);
  const shown = `$(printf %s "$ANALYTICS_API_KEY" | tr a-zA-Z A-Za-z)`;
  return value === apiKey ? undefined : { value, shown };
}

const NO_OTHER_KEY = "a second key is needed: set ANALYTICS_OTHER_API_KEY";

function createSubject(probe: Probe, keys: Keys, found: Survey, { clock, sleep }: ConformOptions): Subject {
  const skip = (reason: string): never => {
    throw new Skip(reason);
  };
  const { sites, site, whyNoVisits, otherSites } = found;
  return {
    clock,
    pause: sleep,
    ask: probe.ask,
    keys,
    sites,
    refusals: probe.refusals,
    answers: probe.answers,
    hasSite: typeof site !== "string",
    get site() {
      return typeof site === "string" ? skip(site) : site;
    },
    demandVisits: () => {
      if (whyNoVisits !== undefined) throw new Skip(whyNoVisits);
    },
    get otherKey() {
      return keys.other ?? skip(NO_OTHER_KEY);
    },
    get otherSites() {
      return typeof otherSites === "object" ? otherSites : skip(otherSites ?? NO_OTHER_KEY);
    },
  };
}
