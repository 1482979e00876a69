import { AnalyticsError } from "../errors.ts";
import { type Check, type Finding, fail, skip } from "./doctor-check.ts";

export type Diagnosis = (Finding & { name: string })[];

/** Runs checks in order. One that needs what failed is skipped. */
export async function runChecks<Facts>(checks: readonly Check<Facts>[], facts: Facts): Promise<Diagnosis> {
  const report: Diagnosis = [];
  const blocked = new Set<string>();
  for (const check of checks) {
    const { name, needs = [] } = check;
    const missing = needs.find((need) => blocked.has(need));
    const finding = missing === undefined ? await run(check, facts) : skip(`needs: ${missing}`);
    if (missing !== undefined || finding.status === "failed") blocked.add(name);
    report.push({ name, ...finding });
  }
  return report;
}

async function run<Facts>(check: Check<Facts>, facts: Facts): Promise<Finding> {
  try {
    return await check.run(facts);
  } catch (error) {
    if (error instanceof AnalyticsError) return fail(error);
    throw error;
  }
}

/** Reads a fact that several checks need, once. */
export function once<T>(read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return () => {
    value ??= read();
    return value;
  };
}
