import { describe, expect, it } from "vitest";
import { readServeSettings, type ServeFlags, serveVariables } from "../../src/config/serve-settings.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const HOME = { HOME: "/home/someone" };

function read(flags: ServeFlags, environment: Record<string, string> = HOME, demo = false) {
  try {
    return readServeSettings(flags, environment, demo);
  } catch (error) {
    if (error instanceof AnalyticsError) return error;
    throw error;
  }
}

it("serve names a public address for others as missing, also where a local one was given", async () => {
  const args = ["serve", "--demo", "--port", "0", "--store", "memory"];
  const given = [...args, "--public-url", "https://localhost:21443"];
  for (const [argv, origin] of [
    [args, "http://localhost:"],
    [given, "https://localhost:21443"],
  ] as const) {
    const { stderr } = await runShell([...argv], { environment: createHome() });
    expect(stderr).toContain(`The connector is at ${origin}`);
    expect(stderr).toContain("they need a public address, such as that of a tunnel, in --public-url.");
  }
});

describe("settings of serve", () => {
  it("by default are for this machine only", () => {
    expect(read({})).toEqual({
      host: "127.0.0.1",
      port: 8788,
      publicUrl: undefined,
      dashboardUrl: undefined,
      store: "/home/someone/.local/state/analytics-mcp/connector.db",
      secretFile: "/home/someone/.local/state/analytics-mcp/secret",
      trustProxy: false,
      allowedOrigins: [],
      registration: true,
      clientDocuments: true,
      adminListen: undefined,
      drainDelay: 0,
      logLevel: "info",
    });
  });

  it("store state in the platform's folder, and a demonstration's sign-ins only in memory", () => {
    expect(read({}, { ...HOME, XDG_STATE_HOME: "/state" })).toMatchObject({
      store: "/state/analytics-mcp/connector.db",
      secretFile: "/state/analytics-mcp/secret",
    });
    expect(read({}, HOME, true)).toMatchObject({ store: "memory", secretFile: undefined });
    expect(read({ store: "memory" })).toMatchObject({ secretFile: undefined });
    expect(read({ store: "memory", secretFile: "s" })).toMatchObject({ secretFile: "s" });
    expect(read({ store: "kept.db" }, HOME, true)).toMatchObject({
      store: "kept.db",
      secretFile: "/home/someone/.local/state/analytics-mcp/secret",
    });
  });

  it.each([
    ["a relative XDG_STATE_HOME", { XDG_STATE_HOME: "state", HOME: "/home/someone" }],
    ["an empty one", { XDG_STATE_HOME: "", HOME: "/home/someone" }],
  ])("ignore %s", (_, environment) => {
    expect(read({}, environment)).toMatchObject({
      store: "/home/someone/.local/state/analytics-mcp/connector.db",
    });
  });

  it("keep no secret in the folder that happens to be the current one", () => {
    const refusal = { code: "usage", message: expect.stringContaining("There is no folder for sign-ins") };
    expect(read({}, {})).toMatchObject(refusal);
    expect(read({ store: "redis://localhost" }, { HOME: "home" })).toMatchObject(refusal);
    expect(read({ store: "kept.db", secretFile: "secret" }, {})).toMatchObject({ store: "kept.db" });
    expect(read({ store: "memory" }, {})).toMatchObject({ store: "memory" });
  });

  it("fetch no documents for a demonstration on this machine, which may have no way out", () => {
    expect(read({}, HOME, true)).toMatchObject({ clientDocuments: false });
    expect(read({ clientDocuments: "on" }, HOME, true)).toMatchObject({ clientDocuments: true });
    expect(read({ registration: "off" }, HOME, true)).toMatchObject({ clientDocuments: true });
    const isPublic = { publicUrl: "https://mcp.example.com" };
    expect(read(isPublic, HOME, true)).toMatchObject({ clientDocuments: true });
  });

  it("leave applications at least one way to be known", () => {
    const error = read({ registration: "off", clientDocuments: "off" });
    expect(error).toMatchObject({
      code: "usage",
      message: expect.stringContaining("no application could sign in"),
    });
  });

  it.each<[keyof ServeFlags, string, object]>([
    ["host", "::1", { host: "::1" }],
    ["host", "localhost", { host: "localhost" }],
    ["port", "0", { port: 0 }],
    ["port", "65535", { port: 65_535 }],
    ["publicUrl", "https://MCP.example.com/", { publicUrl: "https://mcp.example.com" }],
    ["publicUrl", " https://mcp.example.com:8443 ", { publicUrl: "https://mcp.example.com:8443" }],
    ["publicUrl", "http://localhost:8788", { publicUrl: "http://localhost:8788" }],
    [
      "dashboardUrl",
      "https://stats.example.com/keys?x=1",
      { dashboardUrl: "https://stats.example.com/keys?x=1" },
    ],
    ["dashboardUrl", "http://localhost:3000", { dashboardUrl: "http://localhost:3000/" }],
    ["store", "redis://redis.example:6379/1", { store: "redis://redis.example:6379/1" }],
    ["secretFile", "/run/secret", { secretFile: "/run/secret" }],
    ["trustProxy", "on", { trustProxy: true }],
    ["trustProxy", "off", { trustProxy: false }],
    [
      "allowedOrigins",
      "https://app.example:8443, other.example,",
      { allowedOrigins: ["app.example", "other.example"] },
    ],
    ["registration", "off", { registration: false }],
    ["clientDocuments", "off", { clientDocuments: false }],
    ["adminListen", "127.0.0.1:9090", { adminListen: { host: "127.0.0.1", port: 9090 } }],
    ["adminListen", "[::1]:9090", { adminListen: { host: "::1", port: 9090 } }],
    ["drainDelay", "15", { drainDelay: 15_000 }],
    ["logLevel", "debug", { logLevel: "debug" }],
  ])("take %s of %j, by option and by variable", (name, text, expected) => {
    expect(read({}, { ...HOME, [serveVariables[name]]: text })).toMatchObject(expected);
    if (name !== "trustProxy") expect(read({ [name]: text })).toMatchObject(expected);
  });

  it("of the command line take precedence, and an empty one counts as absent", () => {
    const environment = { ...HOME, [serveVariables.port]: "1", [serveVariables.publicUrl]: " " };
    expect(read({ port: "2" }, environment)).toMatchObject({ port: 2, publicUrl: undefined });
    expect(read({ trustProxy: true }, { ...HOME, [serveVariables.trustProxy]: "off" })).toMatchObject({
      trustProxy: true,
    });
  });

  it.each<[keyof ServeFlags, string, string]>([
    ["host", "0.0.0.0", "needs --public-url"],
    ["host", "::", "needs --public-url"],
    ["host", "192.168.1.5", "needs --public-url"],
    ["port", "65536", "whole number from 0 to 65535"],
    ["port", "-1", "whole number from 0 to 65535"],
    ["port", "80a", "whole number from 0 to 65535"],
    ["publicUrl", "mcp.example.com", "must be a URL"],
    ["publicUrl", "http://mcp.example.com", "must start with https://"],
    ["publicUrl", "http://127.0.0.1.evil.example", "must start with https://"],
    ["publicUrl", "ftp://mcp.example.com", "must start with https://"],
    ["publicUrl", "https://mcp.example.com/mcp", "must be an origin"],
    ["publicUrl", "https://mcp.example.com/?x=1", "must be an origin"],
    ["publicUrl", "https://mcp.example.com/#x", "must be an origin"],
    ["publicUrl", "https://me:hunter2@mcp.example.com", "must be an origin"],
    ["dashboardUrl", "stats.example.com", "must be an address that starts with https://"],
    ["dashboardUrl", "javascript:alert(1)", "must be an address that starts with https://"],
    ["dashboardUrl", "http://stats.example.com", "must be an address that starts with https://"],
    ["dashboardUrl", "https://me:hunter2@stats.example.com", "no user name or password"],
    ["trustProxy", "yes", "must be on or off"],
    ["registration", "true", "must be on or off"],
    ["adminListen", "9090", "must look like 127.0.0.1:9090"],
    ["adminListen", "127.0.0.1:99999", "whole number from 0 to 65535"],
    ["drainDelay", "1.5", "whole number of seconds"],
    ["drainDelay", "301", "at most 300"],
    ["logLevel", "verbose", "must be one of debug, info, warn, error"],
  ])("refuse %s of %j with a sentence that names the option", (name, text, sentence) => {
    const error = read({}, { ...HOME, [serveVariables[name]]: text });
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(sentence) });
    expect(String(error)).not.toContain("hunter2");
    const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    expect(String(error)).toMatch(new RegExp(`--${option}|${serveVariables[name]}`));
  });
});
