import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { COUNTRY_PACKAGE, formatCountrySetup } from "../../../src/sources/country-package.ts";
import { completeOptions } from "../../../src/sources/logs/saved-options.ts";

it.each(["~/.npm-global", "HOME/packages"])("finds countries at npm's prefix %s", (prefix) => {
  const home = mkdtempSync(join(tmpdir(), "npm-"));
  const folder = join(prefix.replace(/~|HOME/, home), "lib/node_modules", COUNTRY_PACKAGE);
  const path = join(folder, "geo-whois-asn-country.mmdb");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, "");
  writeFileSync(join(home, ".npmrc"), `fund=false\nprefix = ${prefix.replace("HOME", home)}\n`);
  const { HOME } = process.env;
  try {
    process.env.HOME = home;
    expect(completeOptions({}).geoip).toEqual({ name: COUNTRY_PACKAGE, path });
    const use = "analytics-mcp logs --set --geoip countries access.log";
    expect(formatCountrySetup(["--logs", "access.log"])).toBe(use);
    rmSync(path);
    expect(formatCountrySetup(["--logs", "access.log"])).toBe(`npm install -g ${COUNTRY_PACKAGE} && ${use}`);
  } finally {
    process.env.HOME = HOME;
    rmSync(home, { recursive: true });
  }
});
