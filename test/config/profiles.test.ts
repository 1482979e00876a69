import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  findProfileFile,
  findProfileFolder,
  listProfiles,
  readProfile,
  removeProfile,
  writeProfile,
} from "../../src/config/profiles.ts";
import { createHome } from "../support/profiles.ts";

const acme = { baseUrl: "https://acme.example/api/v1", apiKey: "canary-4f1c9a2e77d04b6f", site: "a.example" };

describe("profiles are stored", () => {
  it.each([
    [{ XDG_CONFIG_HOME: "/xdg", HOME: "/home/me" }, "/xdg/analytics-mcp/profiles"],
    [{ HOME: "/home/me" }, "/home/me/.config/analytics-mcp/profiles"],
    [{ XDG_CONFIG_HOME: "relative", HOME: "/home/me" }, "/home/me/.config/analytics-mcp/profiles"],
    [{ XDG_CONFIG_HOME: "", HOME: "/home/me" }, "/home/me/.config/analytics-mcp/profiles"],
    [{ APPDATA: "/Roaming", USERPROFILE: "/Users/me" }, "/Roaming/analytics-mcp/profiles"],
    [{}, undefined],
    [{ HOME: "here" }, undefined],
    [{ HOME: "." }, undefined],
    [{ APPDATA: "here", HOME: "/home/me" }, "/home/me/.config/analytics-mcp/profiles"],
  ])("%j: in %s", (environment, folder) => {
    expect(findProfileFolder(environment)).toBe(folder);
  });

  it("readable only by their owner, each in a separate file", () => {
    const home = createHome();
    const file = writeProfile(home, "acme", acme);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const folder of [dirname(file), dirname(dirname(file))]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(readdirSync(dirname(file))).toEqual(["acme.json"]);
    expect(readProfile(home, "acme")).toEqual(acme);
  });

  it("in a folder that is closed to others, even if it was open before", () => {
    const home = createHome();
    const folder = findProfileFolder(home) ?? "";
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    const file = writeProfile(home, "acme", acme);
    writeFileSync(file, readFileSync(file), { mode: 0o644 });
    writeProfile(home, "acme", { ...acme, apiKey: "another" });
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    expect(readProfile(home, "acme").apiKey).toBe("another");
  });

  it("until they are removed", () => {
    const home = createHome({ acme, globex: acme });
    expect(listProfiles(home)).toEqual(["acme", "globex"]);
    removeProfile(home, "acme");
    expect(listProfiles(home)).toEqual(["globex"]);
    expect(() => removeProfile(home, "acme")).toThrow("There is no profile acme. There are: globex.");
  });
});

it.each(["", ".", "../x", "a/b", "A", "ä", "-x", ".hidden", "x".repeat(51)])(
  "%j is not a valid profile name",
  (name) => {
    expect(() => findProfileFile({ HOME: "/home/me" }, name)).toThrow("is not a valid profile name");
  },
);

it.each(["", "{", '{"apiKey":"canary-4f1c9a2e77d04b6f"}', '{"apiKey":"canary-4f1c9a2e77d04b6f"', "[]"])(
  "a damaged file (%j) is reported, without its content",
  (text) => {
    const home = createHome({ acme });
    writeFileSync(findProfileFile(home, "acme"), text);
    expect(() => readProfile(home, "acme")).toThrow(
      /^The profile acme cannot be used: its file is damaged\.$/,
    );
  },
);

it("a folder that cannot be written is reported", () => {
  const home = createHome();
  writeFileSync(join(home.HOME, "file"), "");
  const environment = { XDG_CONFIG_HOME: join(home.HOME, "file") };
  expect(() => writeProfile(environment, "acme", acme)).toThrow(
    /cannot be saved in .*: a part of its path is a file/,
  );
});

it("without a home there are no profiles, and none can be saved", () => {
  expect(listProfiles({})).toEqual([]);
  expect(() => writeProfile({}, "acme", acme)).toThrow("There is no folder for profiles");
});
