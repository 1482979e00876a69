import { isDeepStrictEqual } from "node:util";
import { createHttpClient } from "../src/client/http-client.ts";
import { BASE_PATH } from "../src/operations/contract.ts";
import { operations } from "../src/operations/index.ts";
import { queries } from "../src/reports/queries.ts";
import type { Figures } from "./figures.ts";
import type { Organization } from "./organizations.ts";

export interface Asked {
  tool: string;
  args: Record<string, unknown>;
}

/** What a session may call for its site. */
export const catalogue: Asked[] = [
  { tool: "list_sites", args: {} },
  ...[1, 7, 30].map((days) => ({ tool: "get_stats", args: { days } })),
  ...[7, 28].map((days) => ({ tool: "get_timeseries", args: { days } })),
  ...["pages", "referrers", "channels", "countries", "devices", "events"].map((dimension) => ({
    tool: "get_breakdown",
    args: { dimension, limit: 5, days: 7 },
  })),
  { tool: "get_realtime", args: {} },
  { tool: "get_overview", args: { days: 7 } },
  { tool: "compare_periods", args: { days: 7 } },
];

/** The service's own answers, requested without the connector; each once, because its clock does not move. */
export function createTruth(origin: string) {
  const known = new Map<string, Promise<unknown>>();

  const ask = async ({ key, site }: Organization, { tool, args }: Asked): Promise<unknown> => {
    const params = tool === "list_sites" ? {} : { site, ...args };
    const operation = operations.find((each) => each.tool.name === tool);
    if (operation) {
      const query = new URLSearchParams(
        Object.entries(params).map(([name, value]): [string, string] => [name, `${value}`]),
      );
      const headers = { authorization: `Bearer ${key}` };
      const response = await fetch(`${origin}${BASE_PATH}${operation.path}?${query}`, { headers });
      if (!response.ok) throw new Error(`The service answers ${response.status} to ${operation.path}.`);
      return response.json();
    }
    // These combine several answers of the API.
    const question = queries.find((each) => each.tool.name === tool);
    if (!question) throw new Error(`There is no tool ${tool}.`);
    const target = { baseUrl: origin + BASE_PATH, apiKey: key, fetch };
    const { call } = createHttpClient({ readTarget: () => target, clock: Date.now });
    const { result } = await question.ask(call, params, {});
    return JSON.parse(JSON.stringify(question.compact?.(result) ?? result));
  };

  return {
    read: (organization: Organization, asked: Asked): Promise<unknown> => {
      const name = JSON.stringify([organization.site, asked]);
      const answer = known.get(name) ?? ask(organization, asked);
      known.set(name, answer);
      return answer;
    },
  };
}

/** What tools add to an answer of the API, computed from its numbers; tests of the reports check it. */
const ADDED = new Set([
  "bounce_rate",
  "views_per_visit",
  "seconds_per_visit",
  "weekday",
  "highest",
  "lowest",
]);

/** Whether everything in a tool's answer is what the service says; it may leave out, and add, what follows from the rest. */
export function agrees(said: unknown, truth: unknown): boolean {
  if (Array.isArray(said)) {
    return (
      Array.isArray(truth) &&
      said.length === truth.length &&
      said.every((each, index) => agrees(each, truth[index]))
    );
  }
  if (typeof said !== "object" || said === null) return isDeepStrictEqual(said, truth);
  return Object.entries(said).every(([name, value]) => {
    const member = Reflect.get(Object(truth), name);
    return member === undefined ? ADDED.has(name) : agrees(value, member);
  });
}

export interface Judged {
  tool: string;
  /** The result of `tools/call`. */
  result: Record<string, unknown>;
  expected: unknown;
  organization: Organization;
  figures: Figures;
  /** Whether an error is acceptable too. */
  mayFail: boolean;
}

/** Compares an answer with the service's own; any difference is a fault. */
export function judge({ tool, result, expected, organization, figures, mayFail }: Judged): void {
  const text = JSON.stringify(result);
  if (result.isError) {
    const isExpected = mayFail && !text.includes("this is a bug");
    if (text.includes("Too many calls")) figures.expected("the sign-in's share of calls is used up");
    else if (isExpected) figures.expected("an error while the service failed");
    else figures.fault(`${tool}: an error`, text);
    return;
  }
  const { receipt: _, ...said } = Object(result.structuredContent);
  const stranger = findStranger(text, organization);
  if (stranger !== undefined) figures.fault("an answer of another's grant", `${stranger} in ${text}`);
  if (!text.includes(organization.domain)) figures.fault(`${tool}: an answer without its site`, text);
  const failed = mayFail ? takeFailed(said) : new Set();
  if (failed.size > 0) figures.expected("an answer without a list that failed");
  if (!agrees(said, leaveOut(expected, failed)))
    figures.fault(`${tool}: another number than the service's`, text);
}

/** Takes from an answer what it says of lists that failed; returns their dimensions. */
function takeFailed(said: { missing?: { dimension?: string; failed?: true }[] }): Set<unknown> {
  const { missing = [] } = said;
  const rest = missing.filter(({ failed }) => !failed);
  if (rest.length > 0) said.missing = rest;
  else delete said.missing;
  return new Set(missing.flatMap(({ failed, dimension }) => (failed ? [dimension] : [])));
}

/** An answer without its lists of some dimensions. */
const leaveOut = (answer: unknown, left: ReadonlySet<unknown>) =>
  left.size === 0
    ? answer
    : Object.fromEntries(
        Object.entries(Object(answer)).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.filter((each) => !left.has(Object(each).dimension ?? "")) : value,
        ]),
      );

function findStranger(text: string, own: Organization): string | undefined {
  const names = text.match(/load-\d+\.example|site_load\d+/g) ?? [];
  return names.find((name) => name !== own.domain && name !== own.site);
}
