import { describe, expect, it } from "vitest";
import { NOW } from "../../support/api.ts";
import { SEED } from "../../support/seed.ts";
import { judge, type Verdict } from "./judge.ts";
import { plainWords } from "./plain-words.ts";
import { createService } from "./service.ts";
import type { Settings } from "./shape.ts";
import { isFault, type Judged, rate, summarize } from "./summary.ts";
import { readTruth } from "./truth.ts";

/** `SERVICES=10000` prints how much of each shape is read. */
const { SERVICES } = process.env;
const COUNT = Number(SERVICES ?? 60);
/** After this time no further service is begun, unless their number was asked for. */
const MAX_MS = SERVICES === undefined ? 8_000 : Number.POSITIVE_INFINITY;
const TIMEOUT_MS = 10_000 + COUNT * 500;
const AT_LEAST = 0.95;

/** A Saturday morning, on whose date all clocks but American ones agree, and a Wednesday afternoon. */
const MOMENTS = [NOW, Date.parse("2026-11-18T14:30:20Z")];

async function judgeServices(count: number, settings: Settings = {}): Promise<Judged[]> {
  const judged: Judged[] = [];
  const began = performance.now();
  for (let index = 0; index < count; index++) {
    if (index > 0 && performance.now() - began > MAX_MS) break;
    const truth = readTruth(MOMENTS[index % MOMENTS.length] ?? NOW);
    const { shape, ...service } = await createService(truth, `${SEED}-${index}`, settings);
    judged.push({ shape, verdicts: await judge({ ...service, shape }) });
  }
  return judged;
}

/** What is told of a verdict, with the seed that draws the service again. */
const describeAll = (judged: readonly Judged[], is: (verdict: Verdict) => boolean) =>
  judged.flatMap(({ shape, verdicts }) =>
    verdicts
      .filter(is)
      .map(
        ({ question, field, outcome, detail }) =>
          `${shape.seed} ${question}: ${field} ${outcome}: ${detail ?? ""}`,
      ),
  );

describe("services that keep the specification in words of their own", () => {
  it("are never read wrongly, and nearly always read", { timeout: TIMEOUT_MS }, async () => {
    const judged = await judgeServices(COUNT);
    if (SERVICES !== undefined) process.stdout.write(`${summarize(judged)}\n`);
    expect(describeAll(judged, isFault)).toEqual([]);
    const { right, answerable } = rate(judged);
    expect(right / answerable).toBeGreaterThanOrEqual(AT_LEAST);
  });

  it("are all read in the specification's own words and one envelope", { timeout: TIMEOUT_MS }, async () => {
    const judged = await judgeServices(Math.min(COUNT, 12), plainWords);
    expect(describeAll(judged, ({ outcome, isAnswerable }) => isAnswerable && outcome !== "right")).toEqual(
      [],
    );
    expect(describeAll(judged, isFault)).toEqual([]);
  });
});
