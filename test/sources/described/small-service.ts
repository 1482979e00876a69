import { addDays } from "../../../src/operations/days.ts";
import { findQuery } from "../../../src/reports/queries.ts";
import { createContractCall } from "../../../src/sources/service-source.ts";

/** Noon in UTC, when all of Europe has the same date. */
export const NOON = Date.parse("2026-11-20T12:00:00Z");
export const TODAY = "2026-11-20";

/** What a path answers: a body of status 200, or a `Reply`. */
type Answer = (query: URLSearchParams) => unknown;

export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;
  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export const listDays = (count: number, last = TODAY): string[] =>
  Array.from({ length: count }, (_, index) => addDays(last, index + 1 - count));

const daysOf = (query: URLSearchParams) => Number(query.get("days") ?? 30);

/** One site, 10 visitors and 20 page views a day, in plain words; a path that is named answers otherwise. */
export const PLAIN: Record<string, Answer> = {
  "/sites": () => [{ id: 7, domain: "acme.example", name: "Acme", timezone: "Europe/Berlin" }],
  "/stats": (query) => ({ visitors: 10 * daysOf(query), pageviews: 20 * daysOf(query), events: 3 }),
  "/timeseries": (query) => listDays(daysOf(query)).map((date) => ({ date, visitors: 10, pageviews: 20 })),
  "/breakdown": () => [
    { page: "/", visitors: 40, pageviews: 90 },
    { page: "/pricing", visitors: 30, pageviews: 50 },
  ],
  "/realtime": () => ({ active: 3 }),
};

/** An OpenAPI document with these query parameters of paths. */
export const describeParameters = (parameters: Record<string, Record<string, object>>) => ({
  openapi: "3.1.0",
  paths: Object.fromEntries(
    Object.entries(parameters).map(([path, schemas]) => [
      path,
      {
        get: {
          parameters: Object.entries(schemas).map(([name, schema]) => ({ name, in: "query", schema })),
          responses: {},
        },
      },
    ]),
  ),
});

/** A small service in this process, with a call of it and a record of what was asked. A text is sent as it is. */
export function createSmallService(
  answers: Record<string, Answer>,
  { mapping, environment = {} }: { mapping?: unknown; environment?: Record<string, string> } = {},
) {
  const asked: string[] = [];
  const all = new Map(Object.entries({ ...PLAIN, ...answers }));
  const call = createContractCall({
    readTarget: async () => ({
      baseUrl: "https://stats.acme.example/api/v1",
      apiKey: "key-of-acme",
      fetch: async (url) => {
        const { pathname, searchParams, origin } = new URL(url);
        if (origin !== "https://stats.acme.example") throw new TypeError(`The key was sent to ${origin}`);
        const path = pathname.replace("/api/v1", "");
        asked.push(`${path}${searchParams.size > 0 ? "?" : ""}${searchParams}`);
        const answer = all.get(path)?.(searchParams) ?? new Reply(404, { error: "Nothing here" });
        const { status, body, headers } = answer instanceof Reply ? answer : new Reply(200, answer);
        const fields = new Map(Object.entries({ "content-type": "application/json", ...headers }));
        const text = typeof body === "string" ? body : JSON.stringify(body);
        return {
          status,
          headers: { get: (name: string) => fields.get(name.toLowerCase()) ?? null },
          body: [new TextEncoder().encode(text)],
        };
      },
    }),
    clock: () => NOON,
    environment,
    limits: { attempts: 1 },
    ...(mapping !== undefined && {
      readMapping: () => ({ text: JSON.stringify(mapping), name: "the mapping" }),
    }),
  });
  const ask = async (name: string, params: Record<string, unknown> = {}) => {
    const query = findQuery(name);
    const given = name === "sites" ? params : { site: "acme.example", ...params };
    const usesDefaultDays = params.days === undefined && params.period === undefined;
    const { result } = await query.ask(call, query.params.parse(given), { usesDefaultDays });
    // Each test looks at the members that its question is about.
    // biome-ignore lint/suspicious/noExplicitAny: another answer in each test.
    return result as Record<string, any>;
  };
  return { call, ask, asked };
}

export const warningsOf = ({ warnings = [] }: { warnings?: { detail: string }[] }) =>
  warnings.map(({ detail }) => detail).join(" ");

/** Asks a service with these answers. */
export async function askSmall(
  answers: Parameters<typeof createSmallService>[0],
  name: string,
  params: Record<string, unknown> = {},
  how = {},
) {
  return createSmallService(answers, how).ask(name, params);
}

export const askTotals = (totals: unknown, params = {}, how = {}) =>
  askSmall({ "/stats": () => totals }, "stats", { days: 7, ...params }, how);
