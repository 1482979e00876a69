import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { writeProfile } from "../../src/config/profiles.ts";
import { sites } from "../../src/operations/index.ts";
import { localKinds, optionsOf } from "../../src/sources/local-kinds.ts";
import { resolveKeyedSource } from "../../src/sources/resolve-keyed-source.ts";
import { resolveSource } from "../../src/sources/resolve-source.ts";
import type { SourceFlags } from "../../src/sources/source-types.ts";
import { DEMO_KEY, NOW } from "../support/api.ts";
import { createHome } from "../support/profiles.ts";

const context = {
  environment: { ANALYTICS_API_KEY: "a-key", ANALYTICS_BASE_URL: "https://stats.example.test" },
  clock: () => NOW,
  stdin: new PassThrough(),
  warn: () => {},
};

describe("the source", () => {
  it("is the one that the command line chooses, whatever the environment says", async () => {
    const source = resolveSource({ demo: true }, context);
    expect(source).toMatchObject({ kind: "local", options: ["--demo"], about: { label: "made-up data" } });
    expect((await source.call(sites, {})).sites).toHaveLength(5);
  });

  it("is otherwise the service from flags, environment and profiles", async () => {
    const source = resolveSource({}, context);
    expect(source).toMatchObject({ kind: "service", options: [] });
    if (source.kind === "service") {
      expect(await source.readAccess()).toMatchObject({
        apiKey: "a-key",
        baseUrl: expect.stringMatching(/v1$/),
      });
    }
    const environment = { ANALYTICS_PROFILE: "work" };
    expect(resolveSource({}, { ...context, environment }).options).toEqual(["--profile", "work"]);
  });

  it.each([
    ["--base-url", { baseUrl: "https://stats.example.test" }],
    ["--service", { service: "matomo" }],
    ["--mapping", { mapping: "mapping.json" }],
  ])("is a service with %s, also where the profile is of logs", async (option, given) => {
    const environment = createHome();
    writeProfile(environment, "default", { options: { logs: ["access.log"] } });
    for (const flags of [given, { ...given, profile: "default" }]) {
      const source = resolveSource(flags, { ...context, environment });
      await expect(source.kind === "service" && source.readAccess()).rejects.toMatchObject({
        code: "no_api_key",
        message: "The profile default has no key: it is for data on this machine.",
        hint: expect.stringMatching(
          `leave out .*${option}.* ANALYTICS_API_KEY, or give --api-key-file, .* login`,
        ),
      });
    }
  });

  it.each([
    [{ service: "piwik", baseUrl: "https://x.invalid" }, '--service "piwik" is not a service'],
    [{ baseUrl: "localhost:21310" }, "must start with https:// or http://"],
    [{ baseUrl: "http://stats.example.test" }, "over plain http"],
  ])("whose name and address are read before a key is missed: %j", async (given, message) => {
    const environment = createHome();
    const ask = (flags: SourceFlags) => {
      const source = resolveSource(flags, { ...context, environment });
      return source.kind === "service" && source.readAccess();
    };
    await expect(ask(given)).rejects.toThrow(message);
    writeProfile(environment, "default", { options: { logs: ["access.log"] } });
    for (const flags of [given, { ...given, profile: "default" }])
      await expect(ask(flags)).rejects.toThrow(message);
  });

  it("is only one: two are an error that names both", () => {
    expect(() => resolveSource({ demo: true, apiKeyFile: "x" }, context)).toThrow(
      "Use --demo or --api-key-file, not both.",
    );
  });
});

describe("an option of another source", () => {
  const takers = localKinds.flatMap((kind) =>
    optionsOf(kind).some(({ flag }) => flag === "--timezone") ? [kind.option.flag] : [],
  );

  it.each([
    [
      { demo: true, timezone: "UTC" },
      `--timezone is for ${takers.join(" and ")}.`,
      /made-up data \(--demo\)/,
    ],
    [{ logs: ["x"], table: "hits" }, "--table is for --clickhouse.", /access logs \(--logs\)/],
    [
      { timezone: "UTC" },
      `--timezone is for ${takers.join(" and ")}.`,
      new RegExp(`Add ${takers.join(" or ")}`),
    ],
  ])("is refused, since it would have no effect: %j", (flags, message, hint) => {
    const refused = { code: "usage", message, hint: expect.stringMatching(hint) };
    expect(() => resolveSource(flags, context)).toThrow(expect.objectContaining(refused));
  });

  it("is taken by each source that has it", () => {
    expect(takers.length).toBeGreaterThan(1);
    for (const flag of takers) {
      const { options } = resolveSource({ [flag.slice(2)]: "x", timezone: "UTC" }, context);
      expect(options).toEqual([flag, expect.any(String), "--timezone", "UTC"]);
    }
  });
});

describe("the source of a server with many users", () => {
  it("gives each key its own organization's data", async () => {
    const source = await resolveKeyedSource({ demo: true }, context);
    const list = async (key: string) => (await source.open(key)(sites, {})).sites.map(({ domain }) => domain);
    expect(source).toMatchObject({ name: "made-up data", publicKey: DEMO_KEY });
    expect(await list(DEMO_KEY)).toContain("example.com");
    expect(await list("demo-key-of-globex")).toEqual(["globex.example"]);
    await expect(list("nobody's")).rejects.toMatchObject({ code: "invalid_api_key", status: 401 });
  });

  it("is otherwise the service, which has no public key", async () => {
    const source = await resolveKeyedSource({}, context);
    expect(source).toMatchObject({ name: "https://stats.example.test" });
    expect(source.publicKey).toBeUndefined();
  });
});
