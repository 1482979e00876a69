import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { combinedLine } from "../sources/logs/log-place.ts";
import { spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";
import { buildMmdb } from "../support/mmdb.ts";
import { countryDatabase, newerNode } from "../support/tools.ts";

const PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countries-"));
  // As npx installs packages: side by side.
  cpSync(
    join(installed.folder, "node_modules", "analytics-mcp"),
    join(folder, "npx", "node_modules", "analytics-mcp"),
    {
      recursive: true,
    },
  );
  const at = Date.parse("2026-11-20T12:00:00Z");
  const lines = ["130.149.4.20", "133.11.0.1"].map((address) => `${combinedLine({ at, address })}\n`);
  writeFileSync(join(folder, "access.log"), lines.join(""));
  mkdirSync(join(folder, "work"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Installs a package of countries with one network, in a folder below. */
function install(place: string, country: string) {
  const home = join(folder, place, "node_modules", PACKAGE);
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: PACKAGE, version: "1.0.0" }));
  writeFileSync(
    join(home, "geo-whois-asn-country.mmdb"),
    buildMmdb({ "130.149.0.0/16": { country_code: country } }),
  );
}

/** Runs the program. @param node Whose global packages it can find. */
function run(node: string, ...words: string[]) {
  return runWith({}, node, ...words);
}

function runWith(environment: Record<string, string>, node: string, ...words: string[]) {
  const program = join(folder, "npx", "node_modules", "analytics-mcp", "bin", "analytics-mcp.js");
  return spawnSync(node, [program, ...words], {
    cwd: join(folder, "work"),
    encoding: "utf8" as const,
    env: { XDG_STATE_HOME: join(folder, "state"), ...environment },
  });
}

const NODE = newerNode ?? process.execPath;

function askCountries(...words: string[]) {
  const asked = ["breakdown", "--dimension", "countries", "--period", "2026-11-20/2026-11-20", "--csv"];
  const logs = ["--logs", join(folder, "access.log"), "--site", "example.com", "--timezone", "UTC"];
  const { status, stdout, stderr } = run(NODE, ...asked, ...logs, ...words);
  const [, ...rows] = stdout.trim().split(/\r?\n/);
  return { status, stderr, countries: rows.map((row) => row.split(",")[0]) };
}

describe("the optional package of countries", () => {
  it("is not needed, and without it there are no countries", () => {
    expect(askCountries()).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`To add them: npm install -g ${PACKAGE} && analytics-mcp logs --set`),
    });
  });

  it.each([
    ["beside the program, as npx -p does it", "npx"],
    ["in the folder where the program is started", "work"],
    ["above that folder", "."],
  ])("is found %s", (_, place) => {
    install(place, "DE");
    expect(askCountries().countries).toEqual(["DE", ""]);
  });

  it("is added to logs that were counted without it, from among the packages of this Node", () => {
    expect(askCountries().status).toBe(2);
    // A Node of its own has global packages of its own.
    const node = join(folder, "bin", "node");
    mkdirSync(dirname(node));
    cpSync(realpathSync(NODE), node);
    const set = ["logs", "--set", "--geoip", "countries", join(folder, "access.log")];
    expect(run(node, ...set).stderr).toContain("the database of countries is not installed");
    install(join("prefix", "lib"), "DE");
    expect(runWith({ NPM_CONFIG_PREFIX: join(folder, "prefix") }, node, ...set)).toMatchObject({ status: 0 });
    install("lib", "DE");
    expect(run(node, ...set)).toMatchObject({ status: 0 });
    expect(askCountries().countries).toEqual(["DE", ""]);
  });

  it("is found beside the program first, and --geoip comes before it", () => {
    install("npx", "DE");
    install("work", "FR");
    expect(askCountries().countries).toContain("DE");
    const named = join(folder, "work", "node_modules", PACKAGE, "geo-whois-asn-country.mmdb");
    // A history keeps the database that it began with.
    rmSync(join(folder, "state"), { recursive: true });
    expect(askCountries("--geoip", named).countries).toContain("FR");
  });

  it("has the same index wherever npx puts it", () => {
    install("npx", "DE");
    askCountries();
    rmSync(join(folder, "npx", "node_modules", "@ip-location-db"), { recursive: true });
    install("work", "DE");
    askCountries();
    const indexes = join(folder, "state", "analytics-mcp", "logs");
    if (newerNode) expect(readdirSync(indexes)).toHaveLength(1);
  });

  it("is named if it is damaged", () => {
    install("npx", "DE");
    writeFileSync(join(folder, "npx", "node_modules", PACKAGE, "geo-whois-asn-country.mmdb"), "");
    expect(askCountries()).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/geo-whois-asn-country\.mmdb" cannot be used: it is incomplete/),
    });
  });

  it.skipIf(countryDatabase === undefined)("answers with the real database", () => {
    const home = join(folder, "npx", "node_modules", "@ip-location-db");
    mkdirSync(home);
    symlinkSync(dirname(countryDatabase ?? ""), join(folder, "npx", "node_modules", PACKAGE));
    expect(askCountries().countries.sort()).toEqual(["DE", "JP"]);
  });
});
