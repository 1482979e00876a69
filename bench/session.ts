import { Agent } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { queries } from "../src/reports/queries.ts";
import type { Figures } from "./figures.ts";
import { createSpeaker, readMessage } from "./mcp.ts";
import { describeOrganization } from "./organizations.ts";
import { createAuthorization, type Tokens } from "./sign-in.ts";
import { type Asked, catalogue, type createTruth, judge } from "./truth.ts";

export interface SessionOptions {
  index: number;
  publicUrl: string;
  truth: ReturnType<typeof createTruth>;
  figures: Figures;
  /** An address that nobody has used yet. */
  takeAddress: () => string;
  isOver: () => boolean;
  /** Milliseconds between two actions, on average. */
  pause: number;
  /** Whether the service has failed in the time of what began then: what needs it may have failed, too. */
  mayFail?: (began: number) => boolean;
}

/** How long a refresh token may be used again, and then some. */
const GRACE_MS = 62_000;

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/** One person with one assistant: signs in, asks at random, and holds every answer against the service's own. */
export function createSession(options: SessionOptions) {
  const { index, publicUrl, truth, figures, mayFail = () => false } = options;
  const organization = describeOrganization(index);
  const agent = new Agent({ keepAlive: true });
  const oauth = createAuthorization(agent, publicUrl);
  const isCurrent = index % 2 === 0;
  const speaker = createSpeaker(agent, `${publicUrl}/mcp`, isCurrent ? "current" : "before");
  let tokens: Tokens = { client: "", access: "", refresh: "" };
  let spent: { tokens: Tokens; at: number } | undefined;

  /** Tries again: without tokens of its own a session would take its own refusals for faults. */
  const signIn = async () => {
    for (let left = 5; left > 0; left--) {
      const began = performance.now();
      const given = await figures.time("sign-in", () =>
        oauth.signIn(organization.key, options.takeAddress()).catch((error) => {
          if (!mayFail(began)) throw error;
          figures.expected("no sign-in while the service failed");
          left++;
        }),
      );
      if (!given) {
        await wait(100);
        continue;
      }
      [tokens, spent] = [given, undefined];
      return void (await greet());
    }
    throw new Error("A session cannot sign in.");
  };

  const greet = () =>
    figures.time("greeting", async () => {
      const status = await speaker.greet(tokens.access);
      if (status !== 200) throw new Error(`answered with ${status}`);
    });

  /** Sends a request and gives the result; what is no right answer is a fault. Ids are few, and everyone's. */
  const request = (kind: string, method: string, params: Record<string, unknown>) =>
    figures.time(kind, async () => {
      const id = Math.floor(Math.random() * 10);
      const answer = await speaker.send(tokens.access, { id, method, params });
      if (answer?.status !== 200) throw new Error(`answered with ${answer?.status}: ${answer?.text}`);
      const message = readMessage(answer);
      if (message.id !== id) figures.fault("an answer with another's id", JSON.stringify([id, message]));
      if (message.error) throw new Error(JSON.stringify(message.error));
      return message.result as Record<string, unknown>;
    });

  const choose = (): Asked => {
    const asked = pick(catalogue);
    // The only site of a key may be left out, or called by its domain.
    const site = pick([{ site: organization.site }, { site: organization.domain }, {}]);
    return asked.tool === "list_sites" ? asked : { tool: asked.tool, args: { ...site, ...asked.args } };
  };

  const callTool = async () => {
    const { tool, args } = choose();
    const { site: _, ...rest } = args;
    const expected = await truth.read(organization, { tool, args: rest });
    const began = performance.now();
    const result = await request(tool, "tools/call", { name: tool, arguments: args });
    if (!result) return;
    judge({ tool, result, expected, organization, figures, mayFail: mayFail(began) });
  };

  const askStranger = async () => {
    // The service has more organizations than there are sessions.
    const { domain } = describeOrganization(index + 1);
    const params = { name: "get_stats", arguments: { site: domain, days: 7 } };
    const began = performance.now();
    const result = await request("a stranger's site", "tools/call", params);
    const text = JSON.stringify(result);
    const isRefused = result?.isError === true && text.includes(`Your sites are: ${organization.domain}.`);
    if (isRefused) figures.expected("a stranger's site is refused");
    else if (result && !(result.isError && mayFail(began)))
      figures.fault("a stranger's site is answered", text);
  };

  const listTools = async () => {
    const result = await request("tools/list", "tools/list", {});
    const tools = result?.tools;
    if (result && !(Array.isArray(tools) && tools.length === queries.length))
      figures.fault("tools/list: other tools", "");
  };

  const leave = async () => {
    const { tool, args } = choose();
    const params = { name: tool, arguments: args };
    const hangUpAfter = Math.random() * 40;
    const answer = await speaker.send(tokens.access, { id: 1, method: "tools/call", params, hangUpAfter });
    figures.expected(answer ? "the client would have left, the answer was faster" : "the client left");
  };

  /** Clients of 2026-07-28 do it by leaving. */
  const takeBack = async () => {
    if (isCurrent) return leave();
    const { tool, args } = choose();
    const params = { name: tool, arguments: args };
    const answered = speaker.send(tokens.access, { id: 77, method: "tools/call", params });
    await wait(Math.random() * 30);
    await speaker.cancel(tokens.access, 77);
    const answer = await answered;
    if (answer?.status !== 200) figures.fault("taken back: another status", `${answer?.status}`);
    figures.expected("a question was taken back");
  };

  const refresh = async (times: number) => {
    const before = tokens;
    const renewals = Array.from({ length: times }, () =>
      figures.time("refresh", () => oauth.refresh(before)),
    );
    // The access token that is there goes on while it is renewed.
    const [, ...renewed] = await Promise.all([callTool(), ...renewals]);
    if (times > 1) figures.expected("two refreshes at once");
    spent ??= { tokens: before, at: Date.now() };
    const given = renewed.filter((each) => each !== undefined);
    // Whether it was carried out, a failure does not tell: a client that kept the old token would be taken for a thief.
    if (given.length === 0) return signIn();
    tokens = pick(given);
  };

  const revoke = async () => {
    const before = tokens;
    const asking = speaker.send(before.access, { id: 1, method: "tools/list" });
    const isRevoked = await figures.time("revoke", async () => {
      await oauth.revoke(before, pick([before.access, before.refresh]));
      return true;
    });
    const underWay = await asking;
    if (underWay?.status !== 200 && underWay?.status !== 401) {
      figures.fault(`under way at a revocation: ${underWay?.status}`, underWay?.text ?? "");
    }
    if (isRevoked) await expectOver(before, "after a revocation");
    await signIn();
  };

  /** A refresh token that somebody uses long after its owner did. */
  const steal = async () => {
    if (!spent || Date.now() - spent.at < GRACE_MS) return callTool();
    const status = await oauth.refreshInVain(spent.tokens);
    if (status !== 400) figures.fault(`a refresh token used again late: ${status}`, "");
    await expectOver(tokens, "after a refresh token was used again late");
    await signIn();
  };

  /** On any replica, since each request may meet another. */
  const expectOver = async (over: Tokens, when: string) => {
    for (let turn = 0; turn < 2; turn++) {
      const answer = await speaker.send(over.access, { id: 1, method: "tools/list" });
      if (answer?.status === 401) figures.expected(`401 ${when}`);
      else figures.fault(`${answer?.status} ${when}`, answer?.text ?? "");
    }
    const status = await oauth.refreshInVain(over);
    if (status !== 400) figures.fault(`refresh ${when}: ${status}`, "");
  };

  const askAtOnce = async () => void (await Promise.all([callTool(), callTool(), listTools(), callTool()]));
  const reconnect = async () => {
    agent.destroy();
    await greet();
  };

  const actions: [weight: number, act: () => Promise<unknown>][] = [
    ...([
      [76, callTool],
      [5, listTools],
      [4, askAtOnce],
    ] as const),
    ...([
      [2, askStranger],
      [3, leave],
      [2, takeBack],
    ] as const),
    ...([
      [3, () => refresh(1)],
      [1.5, () => refresh(2)],
    ] as const),
    ...([
      [1, revoke],
      [1, steal],
      [1.5, reconnect],
    ] as const),
  ].map(([weight, act]) => [weight, act]);
  const all = actions.reduce((sum, [weight]) => sum + weight, 0);
  const act = () => {
    let left = Math.random() * all;
    for (const [weight, action] of actions) {
      left -= weight;
      if (left < 0) return action();
    }
    return callTool();
  };

  return {
    signIn,
    live: async () => {
      while (!options.isOver()) {
        await wait(Math.random() * 2 * options.pause);
        await act().catch((error: Error) => figures.fault(error.message.slice(0, 80), String(error.stack)));
      }
    },
    close: () => agent.destroy(),
  };
}
