import { describe, expect, it } from "vitest";
import { rules, sections } from "../../src/conform/rules/sections.ts";
import { pick } from "../support/seed.ts";
import { answerBreaches } from "./breaches/answers.ts";
import { crawlerBreaches } from "./breaches/crawlers.ts";
import { dateBreaches } from "./breaches/dates.ts";
import { faults } from "./breaches/faults.ts";
import { filterBreaches } from "./breaches/filters.ts";
import { hourBreaches } from "./breaches/hours.ts";
import { mistakes } from "./breaches/mistakes.ts";
import { mistakesHeldOut, variationsHeldOut } from "./breaches/mistakes-held-out.ts";
import { notFoundBreaches } from "./breaches/not-found.ts";
import { numberBreaches } from "./breaches/numbers.ts";
import { requestBreaches } from "./breaches/requests.ts";
import { siteBreaches } from "./breaches/sites.ts";
import { variations } from "./breaches/variations.ts";
import { check, createService as createFullService, limitVisitors } from "./service.ts";

/** Enough that no rule lacks any; making all of the demo's up takes most of the time. */
const fixtures = limitVisitors(290, 30);
const createService = (start?: number) => createFullService(start, fixtures);

const breaches = Object.entries({
  ...requestBreaches,
  ...siteBreaches,
  ...numberBreaches,
  ...answerBreaches,
  ...dateBreaches,
  ...crawlerBreaches,
  ...notFoundBreaches,
  ...filterBreaches,
  ...hourBreaches,
});

const ids = [...breaches.map(([id]) => id), ...Object.keys(faults)];
/**
 * On some breaches a run checks all rules, on others the sections of the rules that find them, and on the rest these rules alone.
 * LONG=1 checks all rules on each.
 */
const checkedByAll = pick(ids, 2);
const checkedBySection = pick(ids, 8);

function chooseRules(breach: string, named: readonly string[]): string[] | undefined {
  if (checkedByAll.includes(breach)) return undefined;
  // The service refuses a request after enough others.
  if (named.includes("rate-limit.refusal")) return ["auth", "params", "rate-limit"];
  if (!checkedBySection.includes(breach)) return [...named];
  const own = sections.filter((section) => section.rules.some(({ id }) => named.includes(id)));
  return own.map(({ name }) => name);
}

describe("each rule, and no other, finds its breach", () => {
  it("every rule has a breach", () => {
    expect(breaches.map(([id]) => id).sort()).toEqual(rules.map(({ id }) => id).sort());
  });

  it("without a breach every rule is kept", async () => {
    const { failed, skipped } = await check(createService());
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  });

  it.each(Object.entries(faults))("%s", async (name, { breach, rules: named, options }) => {
    const { failed } = await check(breach(createService(options?.start)), {
      only: chooseRules(name, named),
      ...options,
    });
    expect(failed.sort()).toEqual([...named].sort());
  });

  it.each(breaches)("%s", async (id, listed) => {
    const { breach, also } = typeof listed === "function" ? { breach: listed, also: [] } : listed;
    const { report, failed } = await check(breach(createService()), {
      only: chooseRules(id, [id, ...also]),
    });
    expect(failed.sort()).toEqual([id, ...also].sort());
    const rule = report.rules.find((one) => one.id === id);
    expect(rule).toMatchObject({ expected: expect.any(String), seen: expect.any(String) });
    expect(rule?.expected).not.toBe(rule?.seen);
    expect(rule?.request).toMatch(/^curl -sg .* '?https:\/\/stats\.example\.test\/api\/v1\//);
  });
});

describe("rules that were written for none of it", () => {
  it.each(pick(Object.entries({ ...mistakes, ...mistakesHeldOut }), 2))(
    "see the mistake: %s",
    async (_, mistake) => {
      const { failed } = await check(mistake(createService()));
      expect(failed).not.toEqual([]);
    },
  );

  it.each(pick(Object.entries({ ...variations, ...variationsHeldOut }), 1))(
    "accept that a service has: %s",
    async (_, vary) => {
      const { failed, report } = await check(vary(createService()));
      expect({ failed, incomplete: report.summary.incomplete }).toEqual({ failed: [], incomplete: null });
    },
  );
});
