import type { HttpClientOptions, Target } from "../../client/http-client.ts";
import type { ServiceName, SiteTimezones } from "../../config/services.ts";
import type { Environment } from "../../config/variables.ts";
import type { PartialSource } from "../data-source.ts";
import type { About } from "../source-types.ts";

/*
 * Services with an API of their own as sources, one folder each. They import the contract, `client/`, `config/`, `render/`, what
 * all sources share, and nothing of each other or of another source.
 */

/** The tools that no service has, which count people by scripts in pages. */
export const LOG_TOOLS = ["get_crawlers", "get_not_found"] as const;

/** What opening a gateway needs. Nothing is sent before the first question. */
export interface GatewayContext extends Pick<HttpClientOptions, "clock"> {
  limits: HttpClientOptions["limits"] | undefined;
  /** Where the service is, without a slash at the end, and the key for it. */
  target: Target;
  /** The timezones of sites that the service does not tell. */
  siteTimezones: SiteTimezones | undefined;
  environment: Environment;
}

/**
 * A service that has an API of its own, as a source of the port. Every start loads it, so it must be small: `open` imports
 * the code that maps.
 */
export interface GatewayKind {
  name: ServiceName;
  /** For people: `Matomo`. */
  title: string;
  about: About;
  /** What a person has to give because the service does not tell it: its sites with their timezones, or only these. */
  asksFor?: "sites" | "timezones";
  /** What the service calls its key, and where people find it. */
  key: { label: string; where: string };
  open(context: GatewayContext): Promise<PartialSource>;
  /** The key for a user's name and password, which are not kept. */
  signIn?(context: GatewayContext, user: string, password: string): Promise<string>;
  /** A path that anybody may ask, and whether its answer is this service's. */
  recognize: { path: string; matches(status: number, body: unknown): boolean };
}
