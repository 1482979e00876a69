import { readAccess } from "../config/access.ts";
import { listProfiles } from "../config/profiles.ts";
import { readServiceUrl } from "../config/service-url.ts";
import type { Environment } from "../config/variables.ts";
import { sites } from "../operations/index.ts";
import { once } from "../operations/schemas.ts";
import { findDefaultSite } from "../sources/local-choice.ts";
import type { LocalSource } from "../sources/source-types.ts";
import { findClientChecks } from "./client-checks.ts";
import { connectionChecks } from "./connection-checks.ts";
import {
  type Check,
  type Diagnosis,
  type DoctorContext,
  type Facts,
  isAboutAddress,
  ok,
  runChecks,
  warn,
} from "./doctor-check.ts";
import { accessChecks, findHistoriesCheck, machineChecks, nothingSetUp } from "./machine-checks.ts";
import { assertListed, judgeSites, serviceChecks } from "./service-checks.ts";
import { runTrial } from "./service-trial.ts";

/** Checks everything between this machine and an answer, starting with what the rest depends on. */
export function diagnose(context: DoctorContext): Promise<Diagnosis> {
  const { local, environment } = context;
  const service = isSetUp(context)
    ? [...accessChecks, ...connectionChecks, ...serviceChecks]
    : [nothingSetUp];
  const checks: Check[] = [
    ...machineChecks,
    ...(local ? createLocalChecks(local, environment) : service),
    ...findHistoriesCheck(environment),
    ...findClientChecks(environment),
  ];
  return runChecks(checks, createFacts(context));
}

/** Whether anything was chosen that could answer: a key, an address or a profile. */
function isSetUp({ flags, environment }: DoctorContext): boolean {
  const { baseUrl, service, profile, apiKeyFile, apiKeyStdin } = flags;
  const names = ["ANALYTICS_API_KEY", "ANALYTICS_BASE_URL", "ANALYTICS_SERVICE", "ANALYTICS_PROFILE"];
  return (
    [baseUrl, service, profile, apiKeyFile, apiKeyStdin].some((given) => given !== undefined) ||
    names.some((name) => environment[name]?.trim()) ||
    listProfiles(environment).length > 0
  );
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
      const { service, mapping } = found;
      return runTrial(await openTarget(found), { clock, environment, service, readMapping: () => mapping });
    }),
  };
}

/** The checks of a source in this process, which has no key. */
function createLocalChecks(
  { about, call, local }: Pick<LocalSource, "about" | "call" | "local">,
  environment: Environment,
) {
  const { kind, flags } = local;
  const own = (kind.checks ?? []).map(
    ({ name, run }, index, all): Check => ({
      name,
      needs: all.slice(0, index).map((earlier) => earlier.name),
      run: async ({ environment, clock }) => {
        const found = await run({ flags, environment, clock });
        return typeof found === "string" ? ok(found) : warn(found.warning, found.fix);
      },
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
        const found = await call(sites, {});
        if (found.sites.length === 0)
          return warn("the source has no sites", "Check the data that the source reads.");
        assertListed(findDefaultSite(local, environment), found.sites, "these sites");
        return judgeSites(found);
      },
    },
  ];
}
