import { delimiter, dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Api } from "../../src/api/api.ts";
import { type Listening, listen } from "../../src/api/listen.ts";
import type { Fetch } from "../../src/client/http-request.ts";
import { createTestApi, DEMO_KEY, GLOBEX_KEY, toResponse } from "../support/api.ts";
import { execFile } from "../support/child-process.js";
import { connectInProcess, type McpClient, spawnClient } from "../support/clients.ts";
import { installed } from "../support/installed-package.ts";
import { withoutSpans } from "../support/period-service.ts";
import { IS_LONG, pick } from "../support/seed.ts";
import { runShell } from "../support/shell.ts";
import { expectSameInText, type Given } from "./carried.ts";
import { type Moment, moments } from "./moments.ts";
import type { Answer, Args, Ask, Question, Tool, ToolCall } from "./question.ts";
import { questions } from "./questions/index.ts";
import { expectRightReceipt } from "./receipts.ts";
import { createTruth, fixtures, type Truth } from "./truth.ts";

/** Most questions are asked at this moment. */
const AMPLE: Moment = "a Saturday morning";

const { bin } = installed;
const keys = { acme: DEMO_KEY, globex: GLOBEX_KEY };

/** Clients by key, each of which has listed the tools, as every host does first: it then validates answers. */
function createClients(start: (key: string) => Promise<McpClient>) {
  const clients = new Map<string, Promise<McpClient>>();
  const connect = (key: string) => {
    const client = clients.get(key) ?? listToolsOf(start(key));
    clients.set(key, client);
    return client;
  };
  const close = async () => {
    for (const client of clients.values()) await (await client).close();
  };
  return { connect, close };
}

async function listToolsOf(starting: Promise<McpClient>): Promise<McpClient> {
  const client = await starting;
  await client.listTools();
  return client;
}

/**
 * Each moment has a service with a stopped clock and servers of its own, because a server may cache an answer for a minute
 * of real time. At `AMPLE` they are processes, with LONG=1 at all moments.
 */
async function open(moment: Moment) {
  const { reference } = createTestApi({ start: moments[moment], fixtures });
  const service = await listen(reference, "127.0.0.1", 0);
  const isSpawned = IS_LONG || moment === AMPLE;
  const fetch: Fetch = async (url, init) => toResponse(await reference(new Request(url, init)));
  const clients = createClients((key) =>
    isSpawned
      ? spawnClient("v2 pinned to 2026-07-28", bin, [], readEnvironment(service, key))
      : connectInProcess({ key, fetch }),
  );
  const limited = openLimited(reference);
  const close = async () => {
    await Promise.all([clients.close(), limited.close()]);
    await service.close();
  };
  return { service, connect: clients.connect, limited, close };
}

/** The same without `from` and `to`, and without a network and processes, which are tried already. */
function openLimited(reference: Api) {
  const answer = withoutSpans(reference);
  const fetch: Fetch = async (url, init) => toResponse(await answer(new Request(url, init)));
  return createClients((key) => connectInProcess({ key, fetch }));
}

const readEnvironment = ({ origin }: Listening, key: string) => ({
  ANALYTICS_API_KEY: key,
  ANALYTICS_BASE_URL: origin,
});

/** Lets a question call the tools of a client. */
function createTools(client: McpClient, given: Given[]) {
  const ask: Ask = async (tool, args, covers) => {
    const { content, structuredContent, isError } = await client.callTool(tool, { ...args });
    const text = content[0]?.text ?? "";
    if (isError || !structuredContent) throw new Error(`${tool} refuses ${JSON.stringify(args)}: ${text}`);
    // The client has validated it against the tool's output schema, which has the same source as these types.
    const answer = { ...structuredContent, text } as never as Answer<typeof tool>;
    given.push({ tool, args, covers, answer } as Given);
    return answer;
  };
  const expectRefusal = async (tool: Tool, args: Args) => {
    const { content, isError } = await client.callTool(tool, { ...args });
    if (!isError) throw new Error(`${tool} answers ${JSON.stringify(args)}, which it should refuse.`);
    return { text: content[0]?.text ?? "" };
  };
  const call = ({ tool, args, refused, covers }: ToolCall): Promise<unknown> =>
    refused ? expectRefusal(tool, args) : ask(tool, args, covers);
  return { ask, call, expectRefusal };
}

async function readAnswers({ calls }: Question, { ask, call }: ReturnType<typeof createTools>) {
  if (typeof calls === "function") return calls(ask);
  const answers: unknown[] = [];
  for (const each of calls) answers.push(await call(each));
  return answers;
}

/** What a receipt's command, pasted into a shell, prints. */
type RunCommand = (command: string, env: Record<string, string>) => Promise<string>;

const runPacked: RunCommand = async (command, env) => {
  const PATH = [dirname(bin), process.env.PATH].join(delimiter);
  return (await execFile("sh", ["-c", `${command} --json`], { env: { ...env, PATH } })).stdout;
};

/** A shell splits the command into words; the program then runs in this process, since a process for each takes long. */
const runHere: RunCommand = async (command, environment) => {
  const script = `alias analytics-mcp="printf '%s\\\\0'"\n${command} --json`;
  const words = (await execFile("sh", ["-c", script])).stdout.split("\0").slice(0, -1);
  const { code, stdout, stderr } = await runShell(words, { environment });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
};

/** The answer with its members replaced by what the receipt's command prints. */
async function answerInShell({ answer }: Given, env: Record<string, string>, run: RunCommand) {
  return { ...answer, ...JSON.parse(await run(answer.receipt.command ?? "", env)) };
}

const score = { asked: 0, right: 0 };
afterAll(() => {
  process.stdout.write(`evaluation: ${score.right} of ${score.asked} questions answered rightly\n`);
});

const keyOf = ({ key }: Question) => keys[key ?? "acme"];

/** Asks a question, and checks the answers and all that they say about themselves. */
async function expectRight(question: Question, client: McpClient, count: Truth) {
  const read = question.read as (answers: unknown) => unknown;
  const given: Given[] = [];
  const tools = createTools(client, given);
  const [answers, expected] = await Promise.all([readAnswers(question, tools), question.expect(count)]);
  expect(read(answers)).toEqual(expected);
  for (const each of given) {
    expectSameInText(each);
    expectRightReceipt(each, count);
  }
  return { given, read, expected };
}

describe.each(Object.keys(moments) as Moment[])("asked on %s", (moment) => {
  const count = createTruth(moments[moment]);
  let opened: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    opened = await open(moment);
  });
  afterAll(() => opened.close());

  const own = questions.filter(({ at }) => at === moment);
  const withShell = own.filter(({ shell }) => shell);
  // A process for each command takes long: a run tries some, LONG=1 all.
  const inShell = pick(withShell, Math.min(withShell.length, moment === AMPLE ? 6 : 1));
  const packed = moment === AMPLE ? pick(inShell, 2) : [];
  it.each(own.map((each) => [each.question, each] as const))("%s", async (_, question) => {
    score.asked++;
    const key = keyOf(question);
    const { given, read, expected } = await expectRight(question, await opened.connect(key), count);
    if (inShell.includes(question)) {
      const env = readEnvironment(opened.service, key);
      const run = packed.includes(question) ? runPacked : runHere;
      const shown = await Promise.all(given.map((each) => answerInShell(each, env, run)));
      expect(read(shown)).toEqual(expected);
    }
    score.right++;
  });

  const past = own.filter(({ calls }) => typeof calls === "object" && calls.some(({ covers }) => covers));
  // A run asks some; LONG=1 asks all.
  const askedAgain = pick(past, Math.min(past.length, moment === AMPLE ? 4 : 1));
  it.runIf(past.length > 0).each(askedAgain.map((each) => [each.question, each] as const))(
    "of a service without from and to: %s",
    async (_, question) => {
      const client = await opened.limited.connect(keyOf(question));
      const early = findEarly(question, count);
      const gone = findPastRequests(question, count);
      if (gone !== undefined) {
        const { text } = await createTools(client, []).expectRefusal(gone.tool, gone.args);
        expect(text).toContain(
          `must end today: for ${REQUESTS_OF.get(gone.tool)}, this service only answers for days up to today`,
        );
      } else if (early === undefined) await expectRight(question, client, count);
      else {
        const { text } = await createTools(client, []).expectRefusal(early.tool, early.args);
        // Or the days that these are compared with.
        expect(text).toMatch(
          new RegExp(
            `must not begin before ${early.earliest}: this service reaches back no further|this service reaches back only to ${early.earliest}`,
          ),
        );
      }
    },
  );
});

/** The operations that rank requests. */
const REQUESTS_OF = new Map([
  ["get_crawlers", "crawlers"],
  ["get_not_found", "not-found"],
]);

/** The call of a question for requests of days that ended before today, which cannot be subtracted. */
function findPastRequests({ calls }: Question, count: Truth) {
  if (typeof calls === "function") return undefined;
  return calls.find(({ tool, args, covers }) => {
    const { dates, today } = count(args.site ?? "globex.example");
    return REQUESTS_OF.has(tool) && typeof covers === "string" && dates(covers)[1] !== today;
  });
}

/** The call of a question for days that are not among the last 365, and the first of those. */
function findEarly({ calls }: Question, count: Truth) {
  if (typeof calls === "function") return undefined;
  return calls
    .map(({ tool, args, covers = [] }) => {
      const { dates } = count(args.site ?? "globex.example");
      const starts = [covers].flat().map((span) => dates(span)[0]);
      return { tool, args, starts, earliest: dates("last 365 days")[0] };
    })
    .find(({ starts, earliest }) => starts.some((start) => start < earliest));
}

describe("the questions", () => {
  it("are at least 190, each asked once", () => {
    const texts = questions.map(({ question }) => question);
    expect(texts.length).toBeGreaterThanOrEqual(190);
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
  });
});
