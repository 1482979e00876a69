import type { ServiceName } from "../../config/services.ts";
import type { GatewayKind } from "./gateway.ts";
import { matomo } from "./matomo.ts";
import { plausible } from "./plausible.ts";

/** All services with an API of their own. To add one, write its module and list it here. */
export const gatewayKinds: readonly GatewayKind[] = [matomo, plausible];

/** The gateway to a service. */
export function findGateway(name: ServiceName): GatewayKind {
  const kind = gatewayKinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`There is no gateway to ${name}.`);
  return kind;
}
