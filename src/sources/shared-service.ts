import type { Target } from "../client/http-client.ts";
import { type Access, readAccess } from "../config/access.ts";
import { readGivenKey } from "../config/given-key.ts";
import { type ServiceName, serviceNames } from "../config/services.ts";
import type { SiteSelection } from "../config/site-patterns.ts";
import { AnalyticsError } from "../errors.ts";
import type { PartialSource } from "./data-source.ts";
import { findGateway } from "./gateways/gateway-kinds.ts";
import { createContractCall, describeService, openTarget } from "./service-source.ts";
import type { LocalContext, LocalKind, SourceContext } from "./source-types.ts";

/**
 * A service that is asked with the operator's own key, for those to whom the operator gives keys of this program: the
 * reference API in front of it.
 *
 * @param flag The option that chose it.
 */
export function shareService(
  service: ServiceName | undefined,
  stdin: SourceContext["stdin"],
  flag: LocalKind["option"]["flag"] = "--service",
): LocalKind {
  const open: LocalKind["open"] = async ({ flags, environment, clock }) => {
    const access = readAccess(flags, environment, await readGivenKey(flags, stdin));
    const target = await openTarget(environment, access);
    if (service === undefined) return openDescribed({ environment, clock }, access, target);
    const { siteTimezones } = access;
    return findGateway(service).open({ target, siteTimezones, clock, environment, limits: undefined });
  };
  return {
    option: { flag, value: "<name>", description: "" },
    about: describeService(service),
    open,
    openViews: async (context) => {
      const source = await open(context);
      return (selection) => selectView(source, selection);
    },
  };
}

/** A service that keeps the specification in words of its own. Throws AnalyticsError for one of the contract. */
async function openDescribed(
  { environment, clock }: Pick<LocalContext, "environment" | "clock">,
  { mapping }: Access,
  target: Target,
): Promise<PartialSource> {
  const call = createContractCall({
    environment,
    clock,
    readTarget: async () => target,
    readMapping: () => mapping,
  });
  const described = await call.readDescribed({});
  if (described === undefined) {
    throw new AnalyticsError("usage", "This service has the API that reference serves.", {
      hint: `Ask it directly. For services with another API, add --service: ${serviceNames.join(", ")}.`,
    });
  }
  const { createDescribedSource } = await import("./described/described-source.ts");
  return createDescribedSource(described, clock);
}

/** The source as if it had no other sites: what is asked about others has no site to ask about. */
function selectView(source: PartialSource, { includes }: SiteSelection): PartialSource {
  const { site, unlisted } = source;
  return {
    ...source,
    sites: async (...asked) => (await source.sites(...asked)).filter(({ domain }) => includes(domain)),
    ...(unlisted && {
      unlisted: async (signal?: AbortSignal) =>
        (await unlisted(signal)).filter(({ domain }) => includes(domain)),
    }),
    ...(site && {
      site: async (name: string, signal?: AbortSignal) => {
        const found = await site(name, signal);
        return found !== undefined && includes(found.domain) ? found : undefined;
      },
    }),
  };
}
