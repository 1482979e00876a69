import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { signIn } from "../../src/sources/gateways/umami/api.ts";
import { openUmami } from "../../src/sources/gateways/umami/umami-source.ts";
import { conformSource } from "../../test/support/conform-source.ts";
import { LOG_NOW } from "../../test/support/logs.ts";
import { listUmamiChecks } from "../../test/support/umami-checks.ts";
import {
  CONFORM_RECORDINGS,
  createUmamiContext,
  nameEmpty,
  nameRequest,
  RECORDED,
  RECORDINGS,
  type RecordedAnswer,
} from "../../test/support/umami-replay.ts";
import { listUmamiRequests, UMAMI_VISITS, type UmamiDomain } from "../../test/support/umami-visits.ts";
import { startUmami, UMAMI_ADMIN } from "./umami-server.ts";

/** The websites, so that the same requests are recorded each time. */
const IDS: Record<UmamiDomain, string> = {
  "example.com": "5f0a3c52-0d4e-4a63-9a4e-1f1c1f2d3e01",
  "docs.example.com": "5f0a3c52-0d4e-4a63-9a4e-1f1c1f2d3e02",
};
const FOREIGN = "5f0a3c52-0d4e-4a63-9a4e-1f1c1f2d3e03";

/**
 * Starts a real Umami, sends the demo's visits into it, asks it through the gateway as a user with the least rights, and compares
 * every answer with what is known about the visits. `--record` writes what Umami answered, for the tests; `npm run format` puts it in order.
 * `--conform` also says which rules of the contract a REST API in front of Umami keeps.
 */
export async function run(args: string[]): Promise<number> {
  const umami = await startUmami();
  try {
    const apiKey = await prepare(umami.url);
    const recorder = await startRecorder(umami.url);
    let wrong = 0;
    const source = openUmami(createUmamiContext(recorder.url, { apiKey }));
    const checks = listUmamiChecks();
    await source.sites();
    for (const { name, timezone, ask, expected } of checks) {
      const found = await ask(
        timezone === undefined ? source : openUmami(createUmamiContext(recorder.url, { apiKey, timezone })),
      );
      if (isDeepStrictEqual(found, expected)) continue;
      wrong++;
      process.stdout.write(
        `${name}:\n  known ${JSON.stringify(expected)}\n  found ${JSON.stringify(found)}\n`,
      );
    }
    process.stdout.write(`${checks.length - wrong} of ${checks.length} answers are right.\n`);
    await recordOthers(recorder.url, apiKey);
    const records = args.includes("--record");
    if (records) writeRecordings(RECORDINGS, [...recorder.answers.values()], apiKey);
    if (args.includes("--conform")) {
      const known = new Set(recorder.answers.keys());
      await checkContract(recorder.url, apiKey);
      const more = [...recorder.answers.values()].filter(
        ({ request, body }) => !known.has(request) && !isDeepStrictEqual(body, nameEmpty(request)),
      );
      if (records) writeRecordings(CONFORM_RECORDINGS, more, apiKey);
    }
    await recorder.close();
    return wrong === 0 ? 0 : 1;
  } finally {
    await umami.stop();
  }
}

/** Which rules of the contract a REST API in front of Umami does not keep. */
async function checkContract(url: string, apiKey: string) {
  const clock = { now: LOG_NOW };
  const source = openUmami({ ...createUmamiContext(url, { apiKey }), clock: () => clock.now });
  const { rules } = await conformSource(source, clock);
  const passed = rules.filter(({ verdict }) => verdict === "pass");
  process.stdout.write(`${passed.length} of ${rules.length} rules are kept.\n`);
  for (const rule of rules)
    if (rule.verdict === "fail") process.stdout.write(`  ${rule.id}: ${JSON.stringify(rule)}\n`);
}

type Send = (
  path: string,
  body: unknown,
  headers?: Record<string, string>,
) => Promise<Record<string, string>>;

/** Creates the websites in a team, sends the visits, and returns the token of a member who may only look. */
async function prepare(url: string): Promise<string> {
  const send: Send = async (path, body, headers = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${text.slice(0, 500)}`);
    return JSON.parse(text);
  };
  const { token = "" } = await send("/api/auth/login", UMAMI_ADMIN);
  const admin = { authorization: `Bearer ${token}` };
  const [team] = (await send("/api/teams", { name: "Example" }, admin)) as unknown as { id: string }[];
  const teamId = team?.id ?? "";
  const reader = { username: "reader", password: RECORDED.password };
  const { id: userId } = await send("/api/users", { ...reader, role: "view-only" }, admin);
  await send(`/api/teams/${teamId}/users`, { userId, role: "team-view-only" }, admin);
  await send("/api/websites", { id: FOREIGN, name: "Foreign", domain: "foreign.example" }, admin);
  for (const domain of Object.keys(UMAMI_VISITS) as UmamiDomain[]) {
    await send("/api/websites", { id: IDS[domain], name: domain, domain, teamId }, admin);
    for (const requests of listUmamiRequests(domain, IDS[domain])) {
      for (const { payload, headers } of requests)
        await send("/api/send", { type: "event", payload }, headers);
    }
  }
  return signIn(createUmamiContext(url), reader.username, reader.password);
}

/** Passes requests on to Umami, and keeps what it answers. */
async function startRecorder(origin: string) {
  const answers = new Map<string, RecordedAnswer>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { authorization = "", "content-type": sent = "application/json" } = request.headers;
    const answer = await fetch(`${origin}${request.url}`, {
      method: request.method ?? "GET",
      headers: { authorization, "content-type": sent },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const text = await answer.text();
    const name = nameRequest(request.method ?? "", request.url ?? "");
    const { status } = answer;
    const type = answer.headers.get("content-type") ?? "";
    if (type.includes("json"))
      answers.set(name, { request: name, ...(status !== 200 && { status }), body: JSON.parse(text) });
    else process.stderr.write(`${name} has the status ${status} and is ${type}.\n`);
    response.writeHead(status, { "content-type": type });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    answers,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** What no question about known numbers asks. */
async function recordOthers(url: string, apiKey: string) {
  const source = openUmami(createUmamiContext(url, { apiKey }));
  const site = await source.site?.("example.com");
  if (site !== undefined) {
    await source.breakdown({ site, from: "2026-11-03", to: "2026-11-03", now: LOG_NOW }, "channels", 10);
  }
  const headers = { authorization: `Bearer ${apiKey}` };
  for (const path of [
    "/api/me",
    "/api/config",
    `/api/websites/${FOREIGN}/daterange`,
    `/api/websites/${FOREIGN}/active`,
  ])
    await (await fetch(`${url}${path}`, { headers })).text();
  await signIn(createUmamiContext(url), "reader", RECORDED.password);
}

function writeRecordings(file: string, answers: RecordedAnswer[], apiKey: string) {
  const lines = answers
    .sort((a, b) => (a.request < b.request ? -1 : 1))
    .map((answer) => hideTokens(JSON.stringify(answer, leaveOut), apiKey));
  writeFileSync(file, `[\n${lines.join(",\n")}\n]\n`);
}

/** Counts that the source does not read, which are most of what Umami writes. */
const UNREAD = ["visits", "bounces", "totaltime", "comparison"];
const leaveOut = (name: string, value: unknown) => (UNREAD.includes(name) ? undefined : value);

/** Tokens differ from one sign-in to the next. */
const hideTokens = (text: string, apiKey: string) =>
  text.replaceAll(apiKey, RECORDED.reader).replace(/"token":"[^"]*"/g, `"token":"${RECORDED.reader}"`);
