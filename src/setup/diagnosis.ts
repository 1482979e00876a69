import { readAccess } from "../config/access.ts";
import { readServiceUrl } from "../config/service-url.ts";
import { AnalyticsError } from "../errors.ts";
import { findClientChecks } from "./client-checks.ts";
import { connectionChecks } from "./connection-checks.ts";
import type { Check, DoctorContext, Facts, Finding } from "./doctor-check.ts";
import { fail, isAboutAddress, skip } from "./doctor-check.ts";
import { createLocalChecks } from "./local-checks.ts";
import { accessChecks, machineChecks } from "./machine-checks.ts";
import { serviceChecks } from "./service-checks.ts";
import { runTrial } from "./service-trial.ts";

export type Diagnosis = (Finding & { name: string })[];

/** Checks everything between this machine and an answer, starting with what the rest depends on. */
export async function diagnose(context: DoctorContext): Promise<Diagnosis> {
  const facts = createFacts(context);
  const report: Diagnosis = [];
  const blocked = new Set<string>();
  const { local } = context;
  const service = [...accessChecks, ...connectionChecks, ...serviceChecks];
  const checks: Check[] = [...machineChecks, ...(local ? createLocalChecks(local) : service)];
  for (const check of [...checks, ...findClientChecks(context.environment)]) {
    const { name, needs = [] } = check;
    const missing = needs.find((each) => blocked.has(each));
    const finding = missing === undefined ? await run(check, facts) : skip(`needs: ${missing}`);
    if (missing !== undefined || finding.status === "failed") blocked.add(name);
    report.push({ name, ...finding });
  }
  return report;
}

async function run(check: Check, facts: Facts): Promise<Finding> {
  try {
    return await check.run(facts);
  } catch (error) {
    if (error instanceof AnalyticsError) return fail(error);
    throw error;
  }
}

function createFacts(context: DoctorContext): Facts {
  const { flags, environment, clock, readGivenKey, openTarget } = context;
  const once = <T>(read: () => Promise<T>) => {
    let value: Promise<T> | undefined;
    return () => {
      value ??= read();
      return value;
    };
  };
  const access = once(async () => readAccess(flags, environment, await readGivenKey()));
  return {
    ...context,
    readAccess: access,
    readBaseUrl: () =>
      access().then(
        ({ baseUrl }) => baseUrl,
        (error: unknown) => {
          // A missing key does not prevent checking the address.
          if (isAboutAddress(error)) throw error;
          return readServiceUrl(flags, environment);
        },
      ),
    readTrial: once(async () => runTrial(await openTarget(await access()), clock)),
  };
}
