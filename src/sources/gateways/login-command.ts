import type { Target } from "../../client/http-client.ts";
import { DEFAULT_PROFILE } from "../../config/profiles.ts";
import { findHostedAddress, serviceNames } from "../../config/services.ts";
import { quoteForShell } from "../../operations/shell-command.ts";

/**
 * The command that logs in to the same service, with its address, profile and key file: without them, the key would go to the
 * address that the service's makers host.
 *
 * @param title Of the service.
 */
export function formatLogin(
  title: string,
  { baseUrl, keySource = "", loginOptions }: Target,
  ...more: readonly string[]
): string {
  const service = serviceNames.find((name) => name === title.toLowerCase());
  const [, profile = DEFAULT_PROFILE] = /^profile (\S+)$/.exec(keySource) ?? [];
  const options = [
    ...(baseUrl === findHostedAddress(service) ? [] : ["--base-url", baseUrl]),
    ...(loginOptions ?? (profile === DEFAULT_PROFILE ? [] : ["--profile", profile])),
    ...more,
  ];
  const file = keySource === "--api-key-file" ? ["--api-key-file <file>"] : [];
  return [`analytics-mcp login --service ${service}`, ...options.map(quoteForShell), ...file].join(" ");
}
