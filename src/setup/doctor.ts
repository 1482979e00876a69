import { readAccess } from "../config/access.ts";
import { readServiceUrl } from "../config/service-url.ts";
import type { Check, Facts, Finding, Surroundings } from "./check.ts";
import { isAboutAddress } from "./check.ts";
import { findClientChecks } from "./client-checks.ts";
import { connectionChecks } from "./connection-checks.ts";
import { createLocalChecks } from "./local-checks.ts";
import { accessChecks, machineChecks } from "./machine-checks.ts";
import { readProbe } from "./probe.ts";
import { serviceChecks } from "./service-checks.ts";

export type Report = (Finding & { name: string })[];

/** Looks at everything between this machine and an answer, in the order in which it matters. */
export async function examine(surroundings: Surroundings): Promise<Report> {
  const facts = createFacts(surroundings);
  const report: Report = [];
  const blocked = new Set<string>();
  const { local } = surroundings;
  const service = [...accessChecks, ...connectionChecks, ...serviceChecks];
  const checks: Check[] = [...machineChecks, ...(local ? createLocalChecks(local) : service)];
  for (const { name, needs = [], run } of [...checks, ...findClientChecks(surroundings.environment)]) {
    const missing = needs.find((each) => blocked.has(each));
    const finding: Finding =
      missing === undefined ? await run(facts) : { status: "skipped", detail: `needs: ${missing}` };
    if (missing !== undefined || finding.status === "failed") blocked.add(name);
    report.push({ name, ...finding });
  }
  return report;
}

function createFacts(surroundings: Surroundings): Facts {
  const { flags, environment, clock, readGivenKey, openTarget } = surroundings;
  const once = <T>(read: () => Promise<T>) => {
    let value: Promise<T> | undefined;
    return () => {
      value ??= read();
      return value;
    };
  };
  const access = once(async () => readAccess(flags, environment, await readGivenKey()));
  return {
    ...surroundings,
    readAccess: access,
    readBaseUrl: () =>
      access().then(
        ({ baseUrl }) => baseUrl,
        (error: unknown) => {
          // Without a key there may be an address to look at all the same.
          if (isAboutAddress(error)) throw error;
          return readServiceUrl(flags, environment);
        },
      ),
    readProbe: once(async () => readProbe(await openTarget(await access()), clock)),
  };
}
