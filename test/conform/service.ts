import type { Api } from "../../src/api/api.ts";
import { buildProblem } from "../../src/api/problem-document.ts";
import { checkConformance } from "../../src/conform/conformance.ts";
import type { Target } from "../../src/conform/probe.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { mondayOf } from "../../src/sources/demo/dataset.ts";
import type { Fixtures } from "../../src/sources/demo/fixture-types.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { DEMO_KEY, GLOBEX_KEY, NOW, toResponse } from "../support/api.ts";
import { createReferenceApi } from "../support/reference-api.ts";

/** A service. The body is separate because a GET `Request` cannot have one. */
export type Service = (request: Request, body?: string) => Response | Promise<Response>;

const BASE = "https://stats.example.test/api/v1";
const PLACEHOLDER = "request-id-of-the-answer";
/** The quota is used up once in the middle of the run. */
const REFUSED_REQUEST = 60;

interface Kept {
  status: number;
  headers: [string, string][];
  text: string;
}

const time = { now: NOW };

/** The reference API and its answers so far. */
interface Source {
  api: Api;
  kept: Map<string, Kept>;
}

/** The site that is checked unless a test names another. */
const SITE = "example.com";

/**
 * The demo's organizations, but neither the site that is checked nor any other has more visitors a day: making them up takes
 * most of a run's time.
 */
export function limitVisitors(own: number, others = own): Fixtures {
  const key = `${own} ${others}`;
  const fixtures = limited.get(key) ?? makeFixtures(own, others);
  limited.set(key, fixtures);
  return fixtures;
}
/** Files of one process have the same ones, and so the answers to what another file has asked. */
const limited = new Map<string, Fixtures>();

function makeFixtures(own: number, others: number): Fixtures {
  const { sites, ...rest } = readFixtures();
  return {
    ...rest,
    sites: sites.map((site) => ({
      ...site,
      visitors: Math.min(site.visitors, site.domain === SITE ? own : others),
    })),
  };
}

function createSource(fixtures?: Fixtures): Source {
  const api = createReferenceApi({
    clock: () => time.now,
    quota: { limit: 1_000_000, window: 60 },
    createRequestId: () => PLACEHOLDER,
    fixtures,
  });
  return { api, kept: new Map() };
}

/** By the fixtures and the Monday that the made-up data depends on. */
const sources = new Map<Fixtures | undefined, Map<string, Source>>();

function openSource(fixtures?: Fixtures): Source {
  const monday = mondayOf(time.now);
  const known = sources.get(fixtures) ?? new Map<string, Source>();
  sources.set(fixtures, known);
  const source = known.get(monday) ?? createSource(fixtures);
  known.set(monday, source);
  return source;
}

/** The reference API with a cache: hundreds of runs send the same requests at the same moments. */
async function ask({ api, kept }: Source, request: Request): Promise<Kept> {
  const authorization = request.headers.get("authorization");
  const key = [
    time.now,
    request.method,
    request.url,
    authorization,
    request.headers.get("if-none-match"),
  ].join(" ");
  let answer = kept.get(key);
  if (answer === undefined) {
    const response = toResponse(await api(request));
    const headers = [...response.headers].filter(([name]) => name !== "ratelimit") as [string, string][];
    answer = { status: response.status, headers, text: await response.text() };
    kept.set(key, answer);
  }
  return answer;
}

/** The reference API at a moment, with a new id for each answer and one 429. Without `fixtures`, it has all of the demo's. */
export function createService(start = NOW, fixtures?: Fixtures): Service {
  time.now = start;
  const source = openSource(fixtures);
  let count = 0;
  return async (request) => {
    count++;
    const id = `request-${count}`;
    if (count === REFUSED_REQUEST) {
      const error = new AnalyticsError("rate_limited", "The quota is used up.");
      const headers = { "content-type": "application/problem+json", "retry-after": "7", "x-request-id": id };
      return new Response(JSON.stringify(buildProblem(error, id)), { status: 429, headers });
    }
    const { status, headers, text } = await ask(source, request);
    const answer = new Response(text === "" ? null : text.replaceAll(PLACEHOLDER, id), { status, headers });
    answer.headers.set("x-request-id", id);
    answer.headers.set("ratelimit", `"default";r=${1_000_000 - count};t=42`);
    return answer;
  };
}

export interface RunOptions extends Partial<Target> {
  only?: string[] | undefined;
  /** `SITE` unless given as undefined. */
  site?: string | undefined;
  start?: number;
  /** Milliseconds that pass with each request. */
  pace?: number;
}

/** The report on a service in this process. Its clock moves only while waiting, and by `pace` per request. */
export async function check(service: Service, options: RunOptions = {}) {
  const { only, start = NOW, pace = 0, site, ...target } = { site: SITE, ...options };
  time.now = start;
  const waits: number[] = [];
  const report = await checkConformance(
    {
      baseUrl: BASE,
      apiKey: DEMO_KEY,
      otherKey: GLOBEX_KEY,
      send: async (url, { body, ...init }) => {
        time.now += pace;
        return service(new Request(url, init), body);
      },
      ...target,
    },
    {
      clock: () => time.now,
      sleep: async (milliseconds) => {
        waits.push(milliseconds);
        time.now += milliseconds;
      },
      ...(only && { only }),
      site,
    },
  );
  const find = (verdict: string) =>
    report.rules.filter((rule) => rule.verdict === verdict).map((rule) => rule.id);
  return { report, failed: find("fail"), skipped: find("skip"), waits };
}
