import { expect, it } from "vitest";
import { openUmami } from "../../../../src/sources/gateways/umami/umami-source.ts";
import { conformSource, readExceptions } from "../../../support/conform-source.ts";
import { send } from "../../../support/faulty-server.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import {
  CONFORM_RECORDINGS,
  createUmamiContext,
  nameEmpty,
  readRecordings,
  startReplay,
} from "../../../support/umami-replay.ts";

/** What asks for more than was recorded, and gets answers about days without visits. */
const NOT_RECORDED = ["filters.alternatives", "filters.wildcard", "hours.longest"];

it("keeps the contract but for the rules that the docs list", async () => {
  const answers = [...readRecordings(), ...readRecordings(CONFORM_RECORDINGS)];
  const recorded = new Set(answers.map(({ request }) => request));
  // Most of what conform asks is about days without visits.
  const replay = await startReplay(answers, (response, name) => {
    const empty = recorded.has(name) ? undefined : nameEmpty(name);
    if (empty === undefined) return false;
    send(response, 200, { "content-type": "application/json" }, JSON.stringify(empty));
    return true;
  });
  try {
    const clock = { now: LOG_NOW };
    const source = openUmami({ ...createUmamiContext(replay.url), clock: () => clock.now });
    const { rules } = await conformSource(source, clock);
    const failed = rules.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
    expect(failed.sort()).toEqual([...readExceptions("Umami"), ...NOT_RECORDED].sort());
    expect(rules.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(180);
  } finally {
    replay.close();
  }
});
