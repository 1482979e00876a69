import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { createNetworkFetch } from "../../src/client/network.ts";
import { AnalyticsError } from "../../src/errors.ts";
import type { Call } from "../../src/operations/call.ts";
import { operations } from "../../src/operations/index.ts";
import { toJsonSchema } from "../../src/operations/json-schema.ts";
import type { Operation } from "../../src/operations/operation.ts";
import {
  answerRightly,
  type FaultProxy,
  format,
  type Line,
  startFaultProxy,
} from "../support/fault-proxy.ts";
import { pick } from "../support/seed.ts";
import { extendAnswer, spoilAnswer } from "./spoiled-answers.ts";

const KEY = "canary-key-5d0c97-of-the-answers";
const SITE = "example.com";
type Params = Record<string, string | number>;
const questions: Record<string, Params> = {
  sites: {},
  stats: { site: SITE, days: 7 },
  timeseries: { site: SITE, days: 7 },
  breakdown: { site: SITE, dimension: "countries", limit: 3, days: 7 },
  crawlers: { site: SITE, limit: 3, days: 7 },
  "not-found": { site: SITE, limit: 3, days: 7 },
  realtime: { site: SITE },
  openapi: {},
};

let proxy: FaultProxy;
let line: Line;
let call: Call;
beforeAll(async () => {
  proxy = await startFaultProxy();
  line = proxy.open();
  const fetch = createNetworkFetch();
  const target = { baseUrl: `${line.origin}/api/v1`, apiKey: KEY, fetch };
  call = createHttpClient({ readTarget: () => target, clock: Date.now }).call;
});
afterAll(() => proxy.close());

async function ask(operation: Operation, params: Params, text: string) {
  line.fault = ({ socket, right }) => socket.write(format({ ...right, body: Buffer.from(text) }));
  try {
    return { answer: await call(operation, params) };
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    return { error };
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const read = async ({ path }: Operation, params: Params) => {
  const query = new URLSearchParams(
    Object.entries(params).map(([name, value]): [string, string] => [name, `${value}`]),
  );
  return proxy.read(`/api/v1${path}${query.size === 0 ? "" : `?${query}`}`);
};

const cases = operations.map((operation) => [operation.path, operation as Operation] as const);

it.each(cases)(
  "%s: an answer that does not match the published schema is always refused",
  async (_, operation) => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const schema = toJsonSchema(operation.result);
    const isDescribed = ajv.compile(schema);
    const params = questions[operation.name] ?? {};
    const right = await read(operation, params);
    const wrong: string[] = [];
    const spoiled = [...spoilAnswer(schema, JSON.parse(right), KEY)];
    expect(spoiled.length).toBeGreaterThan(150);
    for (const { name, text } of pick(spoiled, 40)) {
      const { answer, error } = await ask(operation, params, text);
      const body = parse(text);
      if (error && error.code !== "bad_answer") wrong.push(`${name}: ${error.code}`);
      if (`${error?.message}${error?.hint}${JSON.stringify(answer)}`.includes(KEY))
        wrong.push(`${name}: shows the key`);
      if (answer && !(body !== undefined && isDescribed(body))) wrong.push(`${name}: believed`);
      // What is accepted is what came: nothing is repaired on the way.
      if (answer && !JSON.stringify(text).includes(KEY)) expect(body).toMatchObject(answer as object);
    }
    line.fault = answerRightly;
    expect(JSON.parse(right)).toMatchObject((await call(operation, params)) as object);
    expect(wrong).toEqual([]);
  },
);

it.each(cases)("%s: unknown members change nothing", async (_, operation) => {
  const params = questions[operation.name] ?? {};
  const right = await read(operation, params);
  const known = operation.result.parse(JSON.parse(right));
  for (const { name, text } of extendAnswer(toJsonSchema(operation.result), JSON.parse(right))) {
    const { answer, error } = await ask(operation, params, text);
    expect([name, error?.message]).toEqual([name, undefined]);
    expect(answer).toMatchObject(known);
    expect(Object.prototype).not.toHaveProperty("polluted");
  }
});
