import type { ServiceName } from "../../config/services.ts";
import type { GatewayKind } from "./gateway.ts";
import { matomo } from "./matomo.ts";
import { plausible } from "./plausible.ts";
import { umami } from "./umami.ts";

/** All services with an API of their own. To add one, write its module and list it here. */
const gateways: Record<ServiceName, GatewayKind> = { matomo, umami, plausible };

export const gatewayKinds: readonly GatewayKind[] = Object.values(gateways);

/** The gateway to a service. */
export const findGateway = (name: ServiceName): GatewayKind => gateways[name];
