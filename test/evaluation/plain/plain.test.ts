import { afterAll, describe, expect, it } from "vitest";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { createLocalCall } from "../../../src/sources/local-call.ts";
import { logs } from "../../../src/sources/logs.ts";
import { NOW } from "../../support/api.ts";
import { connectInProcess, type ToolResult, textOf } from "../../support/clients.ts";
import { createLogFolder, LOG_NOW } from "../../support/logs.ts";
import { createTruth, fixtures } from "../truth.ts";
import { LOG } from "./log.ts";
import { type AnsweredCall, plainQuestions } from "./questions.ts";
import { readData, readText } from "./reading.ts";

/*
 * Questions of people to whom a client shows either the text or the structured content: each alone must have the right number,
 * counted by looking at each visit or each line of the log, and what cannot be asked must be refused with the reason.
 */

const count = createTruth(NOW);
const flags = {
  logs: [createLogFolder({ "access.log": LOG }).path("access.log")],
  site: ["blog.example"],
  timezone: "UTC",
};
const clients = {
  demo: await connectInProcess({
    call: createLocalCall(
      () => openDemoSource({ clock: () => NOW, fixtures }),
      () => NOW,
    ),
  }),
  log: await connectInProcess({
    call: createLocalCall(
      () => logs.open({ clock: () => LOG_NOW, environment: {}, flags }),
      () => LOG_NOW,
    ),
  }),
};
afterAll(() => Promise.all(Object.values(clients).map((client) => client.close())));

const named = plainQuestions.map(
  (each) => [`${each.by}, of the ${each.on}: ${each.question}`, each] as const,
);

type Form = "text" | "structured content";

/** A refusal is text in both forms: there is no data. */
function expectRefused(answer: ToolResult, words: readonly string[]): void {
  expect([answer.isError, answer.structuredContent]).toEqual([true, undefined]);
  for (const each of words) expect(textOf(answer)).toContain(each);
}

function expectRight(answer: ToolResult, call: AnsweredCall, form: Form): void {
  const text = textOf(answer);
  expect([answer.isError ?? false, text]).toEqual([false, text]);
  const data = answer.structuredContent as { receipt: { notes: string[] } };
  for (const [right, place] of call.facts(count)) {
    const [at, found] =
      form === "text" ? [place.text, readText(text, place.text)] : [place.data, readData(data, place.data)];
    expect([call.tool, at, found]).toEqual([call.tool, at, right]);
  }
  const notes = form === "text" ? text.split("\n") : data.receipt.notes;
  for (const note of call.said ?? []) expect(notes).toContain(note);
}

describe.each<Form>(["text", "structured content"])("by the %s alone", (form) => {
  it.each(named)("%s", async (_, { on, calls }) => {
    for (const call of calls) {
      const answer = await clients[on].callTool(call.tool, call.args);
      if ("refused" in call) expectRefused(answer, call.refused);
      else expectRight(answer, call, form);
    }
  });
});

describe("the questions", () => {
  it("are at least 40, of each kind and source, a fifth of them untaught", () => {
    expect(plainQuestions.length).toBeGreaterThanOrEqual(40);
    expect(new Set(plainQuestions.map(({ by }) => by)).size).toBe(4);
    const untaught = plainQuestions.filter((each) => each.untaught);
    expect(untaught.length / plainQuestions.length).toBeGreaterThanOrEqual(0.2);
    for (const some of [plainQuestions, untaught])
      expect(new Set(some.map(({ on }) => on))).toEqual(new Set(["demo", "log"]));
  });

  it("find no number where it does not stand", () => {
    const text = "site, yesterday\nvisitors\tpageviews\n5\t9\nAs of now.";
    expect(readText(text, [undefined, "events"])).toBeUndefined();
    expect(readText(text, ["/docs", "visitors"])).toBeUndefined();
    expect(readData({ rows: [{ value: "/", visitors: 5 }] }, ["/docs", "visitors"])).toBeUndefined();
  });
});
