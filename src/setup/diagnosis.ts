import { readAccess } from "../config/access.ts";
import { readServiceUrl } from "../config/service-url.ts";
import { sites } from "../operations/index.ts";
import type { LocalSource } from "../sources/source-types.ts";
import { findClientChecks } from "./client-checks.ts";
import { connectionChecks } from "./connection-checks.ts";
import { type Check, type DoctorContext, type Facts, isAboutAddress, ok, warn } from "./doctor-check.ts";
import { accessChecks, machineChecks } from "./machine-checks.ts";
import { type Diagnosis, once, runChecks } from "./run-checks.ts";
import { listSome, serviceChecks } from "./service-checks.ts";
import { runTrial } from "./service-trial.ts";

/** Checks everything between this machine and an answer, starting with what the rest depends on. */
export function diagnose(context: DoctorContext): Promise<Diagnosis> {
  const { local, environment } = context;
  const service = [...accessChecks, ...connectionChecks, ...serviceChecks];
  const checks: Check[] = [
    ...machineChecks,
    ...(local ? createLocalChecks(local) : service),
    ...findClientChecks(environment),
  ];
  return runChecks(checks, createFacts(context));
}

function createFacts(context: DoctorContext): Facts {
  const { flags, environment, clock, readGivenKey, openTarget } = context;
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
    readTrial: once(async () => {
      const found = await access();
      return runTrial(await openTarget(found), { clock, environment, service: found.service });
    }),
  };
}

/** The checks of a source in this process, which has no key. */
function createLocalChecks({
  about,
  call,
  local,
}: Pick<LocalSource, "about" | "call" | "local">): readonly Check[] {
  const { kind, flags } = local;
  const own = (kind.checks ?? []).map(
    ({ name, run }, index, all): Check => ({
      name,
      needs: all.slice(0, index).map((earlier) => earlier.name),
      run: async ({ environment, clock }) => ok(await run({ flags, environment, clock })),
    }),
  );
  return [
    {
      name: "source",
      run: () =>
        ok(kind.secret ? `${about.label}: needs no key` : `${about.label}: needs no key and sends nothing`),
    },
    ...own,
    {
      name: "sites",
      needs: own.map(({ name }) => name),
      run: async () => {
        const { sites: found } = await call(sites, {});
        if (found.length === 0)
          return warn("the source has no sites", "Check the data that the source reads.");
        return ok(listSome(found.map(({ domain }) => domain)));
      },
    },
  ];
}
