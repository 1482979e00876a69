import { readAccess } from "../../config/access.ts";
import { readGivenKey } from "../../config/given-key.ts";
import type { ServiceName } from "../../config/services.ts";
import type { SiteSelection } from "../../config/site-patterns.ts";
import type { DataSource } from "../data-source.ts";
import { openTarget } from "../service-source.ts";
import type { LocalKind, SourceContext } from "../source-types.ts";
import { findGateway } from "./gateway-kinds.ts";

/**
 * A service that is asked with the operator's own key, for those to whom the operator gives keys of this program: the
 * reference API in front of it.
 */
export function shareGateway(service: ServiceName, stdin: SourceContext["stdin"]): LocalKind {
  const kind = findGateway(service);
  const open: LocalKind["open"] = async ({ flags, environment, clock }) => {
    const access = readAccess(flags, environment, await readGivenKey(flags, stdin));
    const target = await openTarget(environment, access);
    const { siteTimezones } = access;
    return kind.open({ target, siteTimezones, clock, environment, limits: undefined });
  };
  return {
    option: { flag: "--service", value: "<name>", description: "" },
    about: kind.about,
    open,
    openViews: async (context) => {
      const source = await open(context);
      return (selection) => selectView(source, selection);
    },
  };
}

/** The source as if it had no other sites: what is asked about others has no site to ask about. */
function selectView(source: DataSource, { includes }: SiteSelection): DataSource {
  const { site, unlisted } = source;
  return {
    ...source,
    sites: async (signal) => (await source.sites(signal)).filter(({ domain }) => includes(domain)),
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
