import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { AccessFlags } from "../../src/config/access.ts";
import { findNamedProfile, type GivenKey, readAccess } from "../../src/config/access.ts";
import { describeKey } from "../../src/config/api-key.ts";
import { readGivenKey } from "../../src/config/given-key.ts";
import { findProfileFile } from "../../src/config/profiles.ts";
import { readServiceUrl } from "../../src/config/service-url.ts";
import type { Environment } from "../../src/config/variables.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { createHome } from "../support/profiles.ts";

const home = createHome({
  default: { baseUrl: "https://default.example", apiKey: "saved-default", site: "default.test" },
  acme: { baseUrl: "https://acme.example/api/v1", apiKey: "saved-acme" },
});
const FLAG = { apiKey: "flag-canary", source: "--api-key-file" };
const ENV_KEY = { ANALYTICS_API_KEY: "env-canary" };
const ENV_URL = { ANALYTICS_BASE_URL: "https://env.example" };
const urlFlag = { baseUrl: "https://flag.example" };

function read(flags: AccessFlags, environment: Environment, given?: GivenKey) {
  try {
    return readAccess(flags, { ...home, ...environment }, given);
  } catch (error) {
    if (error instanceof AnalyticsError) return error;
    throw error;
  }
}

describe("a key and its address: command line, then environment, then profile", () => {
  it.each<[string, AccessFlags, Environment, string, string, GivenKey?]>([
    ["the default profile", {}, {}, "saved-default", "default.example"],
    ["a profile of the command line", { profile: "acme" }, {}, "saved-acme", "acme.example"],
    ["a profile of the environment", {}, { ANALYTICS_PROFILE: "acme" }, "saved-acme", "acme.example"],
    [
      "a profile of the command line before that of the environment",
      { profile: "default" },
      { ANALYTICS_PROFILE: "acme" },
      "saved-default",
      "default.example",
    ],
    [
      "a profile of the command line before a key and address of the environment",
      { profile: "acme" },
      { ...ENV_KEY, ...ENV_URL },
      "saved-acme",
      "acme.example",
    ],
    [
      "the environment before its own profile",
      {},
      { ...ENV_KEY, ...ENV_URL, ANALYTICS_PROFILE: "acme" },
      "env-canary",
      "env.example",
    ],
    ["the environment", {}, { ...ENV_KEY, ...ENV_URL }, "env-canary", "env.example"],
    ["a key of the command line", {}, { ...ENV_KEY, ...ENV_URL }, "flag-canary", "env.example", FLAG],
    ["an address of the command line", urlFlag, ENV_KEY, "env-canary", "flag.example"],
    ["both of the command line", urlFlag, { ...ENV_KEY, ...ENV_URL }, "flag-canary", "flag.example", FLAG],
    [
      "an address that is the profile's own",
      { baseUrl: "https://DEFAULT.example/api/v1/" },
      {},
      "saved-default",
      "default.example",
    ],
  ])("%s", (_, flags, environment, apiKey, host, given) => {
    expect(read(flags, environment, given)).toMatchObject({ apiKey, baseUrl: `https://${host}/api/v1` });
  });

  it("says where each was found", () => {
    expect(read(urlFlag, ENV_KEY)).toMatchObject({
      sources: { apiKey: "ANALYTICS_API_KEY", baseUrl: "--base-url" },
    });
    expect(read({ profile: "acme" }, {})).toMatchObject({
      profile: "acme",
      sources: { apiKey: "profile acme", baseUrl: "profile acme" },
    });
  });
});

describe("a saved key is only sent to its saved address, and that address gets no other key", () => {
  it.each<[string, AccessFlags, Environment, string, RegExp, GivenKey?]>([
    ["a variable with another address", {}, ENV_URL, "no_api_key", /ANALYTICS_BASE_URL: the key of/],
    ["an option with another address", urlFlag, {}, "no_api_key", /is only sent to/],
    [
      "both named",
      { ...urlFlag, profile: "acme" },
      {},
      "no_api_key",
      /acme is only sent to https:..acme.example/,
    ],
    [
      "another path of the same host",
      { baseUrl: "https://default.example/other" },
      {},
      "no_api_key",
      /is only sent to/,
    ],
    [
      "the same host over plain http",
      { baseUrl: "http://default.example" },
      { ANALYTICS_ALLOW_HTTP: "default.example" },
      "no_api_key",
      /is only sent to/,
    ],
    ["a variable with a key", {}, ENV_KEY, "no_base_url", /only used with the profile's own key/],
    [
      "a variable with a key, a profile by variable",
      {},
      { ...ENV_KEY, ANALYTICS_PROFILE: "acme" },
      "no_base_url",
      /only used with the profile's own key/,
    ],
    ["a key by option", {}, {}, "no_base_url", /only used with the profile's own key/, FLAG],
    ["a key and a profile by option", { profile: "acme" }, {}, "usage", /not both/, FLAG],
    ["a key left unexpanded", {}, { ANALYTICS_API_KEY: "${KEY}" }, "no_api_key", /unexpanded/],
    ["an address left unexpanded", {}, { ANALYTICS_BASE_URL: "${URL}" }, "no_base_url", /unexpanded/],
    ["a profile left unexpanded", {}, { ANALYTICS_PROFILE: "${P}" }, "no_api_key", /unexpanded/],
    ["an unknown profile", {}, { ANALYTICS_PROFILE: "nope" }, "no_api_key", /There are: acme, default/],
  ])("%s is refused", (_, flags, environment, code, words, given) => {
    const error = read(flags, environment, given) as AnalyticsError;
    expect(error.code).toBe(code);
    expect(`${error.message} ${error.hint}`).toMatch(words);
    expect(`${error.message} ${error.hint}`).not.toMatch(/canary|saved-/);
  });
});

describe("which profile", () => {
  const globex = { baseUrl: "https://globex.example", apiKey: "saved-globex" };

  it("the only one needs no name", () => {
    expect(readAccess({}, createHome({ globex }))).toMatchObject({ profile: "globex" });
  });

  it("one of several without a default must be named", () => {
    const two = createHome({ globex, other: globex });
    expect(() => readAccess({}, two)).toThrow("No profile was chosen. There are: globex, other.");
  });

  it("a file that others can read causes a warning", () => {
    const open = createHome({ globex });
    expect(readAccess({}, open).warnings).toEqual([]);
    chmodSync(findProfileFile(open, "globex"), 0o640);
    expect(readAccess({}, open).warnings).toEqual([
      expect.stringMatching(/can be read by other users.*chmod 600/),
    ]);
  });

  it("the connector uses a profile's address, but never its key", () => {
    expect(readServiceUrl({ profile: "acme" }, { ...home, ...ENV_URL })).toBe("https://acme.example/api/v1");
    expect(readServiceUrl({}, { ...home, ...ENV_URL })).toBe("https://env.example/api/v1");
    expect(readServiceUrl({}, home)).toBe("https://default.example/api/v1");
  });
});

describe("the default site", () => {
  it.each<[AccessFlags, Environment, string | undefined]>([
    [{}, {}, "default.test"],
    [{}, { ANALYTICS_SITE: "env.test", ...ENV_KEY, ...ENV_URL }, "env.test"],
    [{}, { ...ENV_KEY, ...ENV_URL }, undefined],
    [{ profile: "default" }, { ANALYTICS_SITE: "env.test" }, "default.test"],
    [{}, { ANALYTICS_SITE: "env.test" }, "env.test"],
    [{ profile: "acme" }, { ANALYTICS_SITE: "env.test" }, "env.test"],
  ])("%j %j: %s", (flags, environment, site) => {
    expect(read(flags, environment)).toMatchObject({ site });
  });
});

describe("a placeholder", () => {
  const placeholders = [
    ..."YOUR_API_KEY yourkeyhere <API_KEY> [key] {{API_KEY}} my-api-key xxx XXXXXXXX ak_xxx".split(" "),
    ..."sk_live_xxxxxxxx sk-… sk-... ak_**** changeme change_me REPLACE-ME api_key".split(" "),
    ..."ANALYTICS_API_KEY insert_key_here TODO undefined null $ANALYTICS_API_KEY".split(" "),
    ...["%ANALYTICS_API_KEY%", "$(cat key)", "paste your secret", "your key", "<your key>"],
  ];

  it.each(placeholders)("%s is refused before anything is sent", (ANALYTICS_API_KEY) => {
    expect(read({}, { ANALYTICS_API_KEY, ...ENV_URL })).toMatchObject({
      code: "invalid_api_key",
      message: "ANALYTICS_API_KEY contains a placeholder, not a key; nothing was sent.",
      hint: expect.stringContaining("run analytics-mcp login and remove env from the client's entry"),
    });
  });

  it.each([
    "x",
    "demo-key-of-acme",
    "ak_7xxxQ2mZ",
    "sk-live.a.b",
    "mykea8sD0fj",
    "k3y",
    "aaaa-bbbb",
    "1".repeat(300),
  ])("%s is not one", (ANALYTICS_API_KEY) => {
    expect(read({}, { ANALYTICS_API_KEY, ...ENV_URL })).toMatchObject({ apiKey: ANALYTICS_API_KEY });
  });

  it("is found quickly in a long text", () => {
    const start = process.cpuUsage().user;
    read({}, { ANALYTICS_API_KEY: `your${"_a".repeat(50_000)}`, ...ENV_URL });
    read({}, { ANALYTICS_API_KEY: "a_".repeat(50_000), ...ENV_URL });
    expect(process.cpuUsage().user - start).toBeLessThan(500_000);
  });
});

describe("a key from a file or a pipe", () => {
  const write = (text: string, mode = 0o600) => {
    const file = join(createHome().HOME, "key");
    writeFileSync(file, text, { mode });
    return file;
  };
  const pipe = (text: string) => new PassThrough().end(text);

  it("is trimmed", async () => {
    expect(await readGivenKey({ apiKeyFile: write("canary\n") }, pipe(""))).toMatchObject({
      apiKey: "canary",
    });
    expect(await readGivenKey({ apiKeyStdin: true }, pipe(" canary\r\n"))).toMatchObject({
      apiKey: "canary",
    });
    expect(await readGivenKey({}, pipe("canary"))).toBeUndefined();
  });

  it("causes a warning if others can read it", async () => {
    expect(await readGivenKey({ apiKeyFile: write("canary", 0o644) }, pipe(""))).toMatchObject({
      warnings: [expect.stringContaining("can be read by other users")],
    });
  });

  it.each<[string, AccessFlags, string]>([
    [
      "no such file",
      { apiKeyFile: "/nowhere/key" },
      '--api-key-file "/nowhere/key" cannot be read: it does not exist.',
    ],
    ["a folder", { apiKeyFile: "/tmp" }, '--api-key-file "/tmp" cannot be read: it is a folder.'],
    ["an empty file", { apiKeyFile: "/dev/null" }, "--api-key-file contains no API key"],
    ["an empty pipe", { apiKeyStdin: true }, "--api-key-stdin contains no API key"],
    ["more than a key", { apiKeyStdin: true }, "--api-key-stdin gives a text too long for a key"],
    ["both", { apiKeyStdin: true, apiKeyFile: "x" }, "not both"],
  ])("%s is refused", async (_, flags, words) => {
    const text = words.includes("too long") ? "a".repeat(10_001) : "";
    await expect(readGivenKey(flags, pipe(text))).rejects.toThrow(words);
  });

  it("is refused at a terminal, without waiting", async () => {
    const terminal = Object.assign(pipe("canary"), { isTTY: true });
    await expect(readGivenKey({ apiKeyStdin: true }, terminal)).rejects.toThrow("this is a terminal");
  });
});

it("a key is described by its end if enough of it stays hidden", () => {
  expect(describeKey("canary-4f1c9a2e77d04b6f")).toBe("ends in 4b6f");
  expect(describeKey("nineteen-characters")).toBe("too short to show any of it");
});

it.each<[AccessFlags, Record<string, string>, string | undefined]>([
  [{}, {}, undefined],
  [{ profile: "acme" }, {}, "acme"],
  [{}, { ANALYTICS_PROFILE: "acme" }, "acme"],
  [{ profile: "acme" }, { ANALYTICS_PROFILE: "other", ANALYTICS_API_KEY: "x" }, "acme"],
  [{}, { ANALYTICS_PROFILE: "acme", ANALYTICS_API_KEY: "x" }, undefined],
  [{ apiKeyFile: "key" }, { ANALYTICS_PROFILE: "acme" }, undefined],
])("%j with %j names the profile %s", (flags, environment, name) => {
  expect(findNamedProfile(flags, environment)).toBe(name);
});
