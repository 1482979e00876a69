import { describe, expect, it } from "vitest";
import { rules } from "../../src/conform/rules/sections.ts";
import { answerBreaches } from "./breaches/answers.ts";
import { crawlerBreaches } from "./breaches/crawlers.ts";
import { dateBreaches } from "./breaches/dates.ts";
import { faults } from "./breaches/faults.ts";
import { numberBreaches } from "./breaches/numbers.ts";
import { requestBreaches } from "./breaches/requests.ts";
import { siteBreaches } from "./breaches/sites.ts";
import { check, createService } from "./service.ts";

const breaches = Object.entries({
  ...requestBreaches,
  ...siteBreaches,
  ...numberBreaches,
  ...answerBreaches,
  ...dateBreaches,
  ...crawlerBreaches,
});

describe("each rule, and no other, finds its breach", () => {
  it("every rule has a breach", () => {
    expect(breaches.map(([id]) => id).sort()).toEqual(rules.map(({ id }) => id).sort());
  });

  it("without a breach every rule is kept", async () => {
    const { failed, skipped } = await check(createService());
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  });

  it.each(Object.entries(faults))("%s", async (_, { breach, rules: named, options }) => {
    const { failed } = await check(breach(createService(options?.start)), options);
    expect(failed.sort()).toEqual([...named].sort());
  });

  it.each(breaches)("%s", async (id, each) => {
    const { breach, also } = typeof each === "function" ? { breach: each, also: [] } : each;
    const { report, failed } = await check(breach(createService()));
    expect(failed.sort()).toEqual([id, ...also].sort());
    const rule = report.rules.find((one) => one.id === id);
    expect(rule).toMatchObject({ expected: expect.any(String), seen: expect.any(String) });
    expect(rule?.expected).not.toBe(rule?.seen);
    expect(rule?.request).toMatch(/^curl -sg .* '?https:\/\/stats\.example\.test\/api\/v1\//);
  });
});
