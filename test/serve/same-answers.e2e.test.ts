import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import * as oauth from "oauth4webapi";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { createNetworkFetch } from "../../src/client/network.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { connectHttp, connectInProcess, type McpClient, spawnClient, textOf } from "../support/clients.ts";
import { combined, joinLines } from "../support/logs.ts";
import { findPort, startProgram } from "../support/processes.ts";
import { share } from "../support/seed.ts";
import { runShell } from "../support/shell.ts";
import { signIn } from "../support/sign-in.ts";

// One log, asked in every way: the same question must get the same answer.

const BIN = resolve("bin/analytics-mcp.js");
const SITE = "example.com";
const DAY = 86_400_000;
const GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";

const operations = [
  { tool: "get_stats", command: "stats", args: {} },
  { tool: "get_timeseries", command: "timeseries", args: {} },
  { tool: "get_breakdown", command: "breakdown", args: { dimension: "pages" } },
  { tool: "get_crawlers", command: "crawlers", args: {} },
  { tool: "get_not_found", command: "not-found", args: {} },
  { tool: "get_overview", command: "overview", args: {} },
  { tool: "compare_periods", command: "compare", args: {} },
  { tool: "compare_periods", command: "compare", args: { against: "year_before" } },
  { tool: "get_conversions", command: "conversions", args: { goal: "pages=/page-1|/page-3" } },
  { tool: "get_conversions", command: "conversions", args: { goal: "pages=/page-2", by: "browsers" } },
] as const;
const words = ["today", "yesterday", "monday", "last_7_days", "all", "2026"];
const units = ["week", "month", "quarter", "year"].flatMap((unit) => [`this_${unit}`, `last_${unit}`]);
const dates = [3, 45].map((ago) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10));
const periods = [
  undefined,
  ...words,
  ...units,
  ...dates,
  `${dates[1]}/${dates[0]}`,
  dates[1]?.slice(0, 7),
] as const;

/** Visitors on each of fifty days, each with a dead link, and a crawler: one day more than another. */
function writeLog(): string {
  const now = Date.now();
  return joinLines(
    ...Array.from({ length: 50 }, (_, index) => 49 - index).flatMap((ago) =>
      Array.from({ length: 2 + (ago % 5) }, (_, visitor) => {
        const request = { at: now - ago * DAY - 120_000 + visitor * 1_000, target: `/page-${visitor}` };
        return [
          combined({ ...request, address: `192.0.2.${visitor}` }),
          combined({ ...request, address: "198.51.100.1", agent: GPTBOT }),
          combined({
            ...request,
            address: `192.0.2.${visitor}`,
            target: `/gone-${visitor}`,
            status: 404,
            referrer: `https://${SITE}/page-${visitor}`,
          }),
        ];
      }).flat(),
    ),
  );
}

let folder: string;
const open: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

type Ask = (question: (typeof operations)[number], period: string | undefined) => Promise<unknown>;
const surfaces = new Map<string, Ask>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "same-"));
  const log = join(folder, "access.log");
  writeFileSync(log, writeLog());
  const source = ["--logs", log, "--site", SITE, "--timezone", "UTC"];
  const env = { HOME: join(folder, "home"), ANALYTICS_KEYS_FILE: join(folder, "keys.json") };
  const addKey = async () =>
    (
      await runShell(["keys", "add", "somebody", "--sites", SITE], { environment: env, clock: Date.now })
    ).stdout.trim();
  const start = async (args: string[], said: string) => {
    const program = await startProgram(process.execPath, [BIN, ...args, ...source], env, said);
    open.push(() => program.child.exitCode ?? program.stop("SIGKILL"));
    return program;
  };
  const keep = <T extends McpClient>(client: T) => {
    open.push(() => client.close());
    return client;
  };
  // The reference API has a quota for each key, which a few questions use up.
  const keys: string[] = [];
  for (const _ of operations) keys.push(await addKey(), await addKey(), await addKey(), await addKey());

  surfaces.set("shell", async ({ command, args }, period) => {
    const given = Object.entries({ ...args, period }).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}`, value],
    );
    const { code, stdout } = await runShell([command, ...given, ...source, "--json"], {
      environment: { ...env, XDG_STATE_HOME: join(folder, "shell") },
      clock: Date.now,
    });
    if (code !== 0) return "refused";
    const answer = JSON.parse(stdout);
    return findQuery(command).compact?.(answer) ?? answer;
  });

  const stdio = keep(await spawnClient("v2 auto", process.execPath, [BIN, ...source], env));
  surfaces.set("stdio", (question, period) => askTool(stdio, question, period));

  const reference = await start(["reference", "--port", "0"], "Try:");
  const [, baseUrl = ""] = /Reference API at (\S+) /.exec(reference.output.stderr) ?? [];
  const fetch = createNetworkFetch({});
  surfaces.set("reference", async (question, period) => {
    const apiKey = keys[4 * operations.indexOf(question) + (periods.indexOf(period) % 4)] ?? "";
    const { call } = createHttpClient({ readTarget: () => ({ baseUrl, apiKey, fetch }), clock: Date.now });
    const client = await connectInProcess({ call });
    try {
      return await askTool(client, question, period);
    } finally {
      await client.close();
    }
  });

  const port = await findPort();
  await start(["serve", "--port", `${port}`], "The connector is at");
  const connector = { publicUrl: `http://localhost:${port}`, mcp: `http://localhost:${port}/mcp` };
  const { server, client, exchange } = await signIn(connector, undefined, keys[0]);
  const { access_token } = await oauth.processAuthorizationCodeResponse(server, client, await exchange());
  const served = keep(await connectHttp("v2 auto", connector.mcp, access_token));
  surfaces.set("serve", (question, period) => askTool(served, question, period));
});

async function askTool(client: McpClient, { tool, args }: (typeof operations)[number], period?: string) {
  const answer = await client.callTool(tool, { site: SITE, ...args, ...(period && { period }) });
  if (!answer.isError) return answer.structuredContent;
  expect(textOf(answer)).not.toMatch(/bug|this service only/);
  return "refused";
}

/** An answer without what the moment and the surface add to it. Tools show the end of a long series only, and say so. */
function readNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(-100).map(readNumbers);
  if (typeof value !== "object" || value === null) return value;
  const added = ["as_of", "receipt", ...("points" in value ? ["truncated"] : [])];
  const kept = Object.entries(value).filter(([name]) => !added.includes(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, readNumbers(member)]));
}

it.each(operations.map((question, index) => ({ ...question, asked: share(periods, 7, index), question })))(
  "$command with $args is the same in the shell, over stdio, from the reference API and from serve, for any period",
  async ({ question, asked }) => {
    let isCounted = false;
    for (const period of asked) {
      // The default days are fitted to the data of a local source; a service is asked for all of them.
      const isFitted = period === undefined;
      const answers = new Map<string, unknown>();
      for (const [name, ask] of surfaces)
        if (!(isFitted && name === "reference")) answers.set(name, readNumbers(await ask(question, period)));
      const [[, first] = []] = answers;
      for (const [name, answer] of answers) expect([name, period, answer]).toEqual([name, period, first]);
      isCounted ||= /"(visitors|requests)":[1-9]/.test(JSON.stringify(first));
    }
    expect(isCounted).toBe(true);
  },
  120_000,
);
