import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readProfile, writeProfile } from "../../src/config/profiles.ts";
import { type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import { combined, createLogFolder, joinLines } from "../support/logs.ts";
import { findPort } from "../support/processes.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";
import { PLAUSIBLE_KEY, startSmallPlausible } from "../support/small-plausible.ts";

describe("a service with an API of its own", () => {
  let server: FaultyServer;
  beforeAll(async () => {
    server = await startSmallPlausible();
  });
  afterAll(() => server.close());

  const login = (environment: Record<string, string>, argv: string[]) =>
    runShell(["login", "--api-key-stdin", "--base-url", server.origin, ...argv], {
      environment,
      stdin: PLAUSIBLE_KEY,
    });
  const TIMEZONES = ["--site-timezones", "example.com=Europe/Berlin,shop.example=Europe/Berlin"];

  it("is saved with what it does not tell, and answers every command then", async () => {
    const environment = createHome();
    const { code, stdout, stderr } = await login(environment, ["--service", "plausible", ...TIMEZONES]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("shop.example\t")]);
    expect(stderr).toContain(`Saved as profile default for Plausible at ${server.origin}:`);
    expect(readProfile(environment, "default")).toEqual({
      baseUrl: server.origin,
      apiKey: PLAUSIBLE_KEY,
      site: undefined,
      service: "plausible",
      siteTimezones: { "example.com": "Europe/Berlin", "shop.example": "Europe/Berlin" },
    });
    const shell = (...argv: string[]) => runShell(argv, { environment });
    const asked = await shell("stats", "--site", "shop.example", "--days", "7", "--json");
    expect(JSON.parse(asked.stdout)).toMatchObject({ visitors: 1, pageviews: 2, events: 1 });
    const who = JSON.parse((await shell("whoami", "--json")).stdout);
    expect(who).toMatchObject({ source: "Plausible", service: "plausible", base_url: server.origin });
    const doctor = JSON.parse((await shell("doctor", "--json")).stdout);
    const statuses = doctor.checks.map(({ check, status }: Record<string, string>) => [check, status]);
    expect(Object.fromEntries(statuses)).toMatchObject({ answer: "ok", contract: "skipped", sites: "ok" });
    expect(JSON.stringify([asked, who, doctor])).not.toContain(PLAUSIBLE_KEY);
  });

  it("is recognized by its answers if it was not named", async () => {
    const environment = createHome();
    const { code, stderr } = await login(environment, TIMEZONES);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("This is Plausible, which has an API of its own."),
    ]);
    expect(readProfile(environment, "default")).toMatchObject({
      baseUrl: server.origin,
      service: "plausible",
    });
    const bare = await login(createHome(), []);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("no site was named")]);
    // Nobody but the address that was given gets the key, and what finds out the service needs none.
    const probes = server.requests.filter(({ url }) => url === "/api/v1/stats/realtime/visitors");
    expect(probes.map(({ headers }) => headers.authorization ?? "")).not.toContain(`Bearer ${PLAUSIBLE_KEY}`);
  });

  it("says at a terminal what it replaces, and keeps the saved key of the address, unseen, for Enter", async () => {
    const environment = createHome();
    await login(environment, ["--service", "plausible", ...TIMEZONES]);
    const again = (address: string, ...answers: [string, string][]) =>
      runShell(["login"], {
        environment,
        columns: 200,
        isTTY: true,
        answers: [[`(Enter for ${server.origin})`, `${address}\r`], ...answers],
      });
    const { code, stdout, stderr } = await again(
      server.origin,
      ["(not shown as you type; Enter keeps the saved one): ", "\r"],
      ["Sites in Plausible", "example.com,shop.example=Europe/Berlin\r"],
      ["Timezone of example.com", "Europe/Berlin\r"],
      ["Site to use when none is named", "shop.example\r"],
    );
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `The profile default is for Plausible at ${server.origin} so far. What you save now replaces it.\n`,
      ),
    ]);
    expect(stderr).toContain("\nAssistants that are running use it once they are restarted.\n");
    expect(stdout + stderr).not.toContain(PLAUSIBLE_KEY);
    expect(readProfile(environment, "default")).toMatchObject({
      apiKey: PLAUSIBLE_KEY,
      site: "shop.example",
    });
    const elsewhere = await startSmallPlausible();
    const other = await again(elsewhere.origin, ["(not shown as you type): ", "\x04"]);
    elsewhere.close();
    expect(other.code).toBe(130);
    const { path } = createLogFolder({ "access.log": joinLines(combined()) });
    const logs = ["--logs", path("access.log"), "--site", "example.com"];
    const replaced = await runShell(["login", ...logs], { environment });
    expect(replaced.stderr).toContain(
      `It replaces Plausible at ${server.origin}. Assistants that are running use it once they are restarted.`,
    );
    const same = await runShell(["login", ...logs], { environment });
    expect(same.stderr).not.toMatch(/replaces|restarted/);
  });

  it("says that running assistants go on with what they use, where it is used from now on", async () => {
    const { path } = createLogFolder({ "access.log": joinLines(combined()) });
    const login = (environment: Record<string, string>, ...words: string[]) =>
      runShell(["login", "--logs", path("access.log"), "--site", "example.com", ...words], { environment });
    const environment = createHome();
    expect((await login(environment, "--profile", "acme")).stderr).not.toContain("restarted");
    expect((await login(environment, "--profile", "globex")).stderr).not.toContain("restarted");
    const { stderr } = await login(environment);
    expect(stderr).toContain("\nAssistants that are running use it once they are restarted.\n");
  });

  it("is looked for before its key is asked for, at one address after the other", async () => {
    const known = server.requests.length;
    const port = await findPort();
    const { code, stderr } = await runShell(["login", "--service", "matomo"], {
      environment: createHome(),
      columns: 200,
      answers: [
        ["Address of Matomo, as you open it in a browser: ", `${server.origin}\r`],
        [`At ${server.origin} is Plausible, not Matomo.`, `127.0.0.1:${port}\r`],
        ["nothing is listening there", "\x04"],
      ],
    });
    expect([code, stderr]).toEqual([130, expect.not.stringMatching(/token/i)]);
    expect(server.requests.length).toBeGreaterThan(known);
    const named = await runShell(["login", "--service", "matomo", "--base-url", server.origin], {
      environment: createHome(),
      answers: [],
    });
    expect(named.stderr).toContain("is Plausible, not Matomo.");
    // Nobody types a key, sites and timezones for what is elsewhere.
    const other = await startServer((_, response) => send(response, 404, {}, "<h1>Not found</h1>"));
    const wrong = await runShell(["login", "--service", "plausible", "--base-url", other.origin], {
      environment: createHome(),
      answers: [],
    });
    other.close();
    expect(wrong.stderr).toContain(`${other.origin} does not look like Plausible.`);
    expect(wrong.stderr).not.toMatch(/key|timezone/i);
  });

  it.each([
    ["no timezones", [], "cannot list your sites or their timezones, and no site was named"],
    ["another timezone", ["--site-timezones", "example.com=America/New_York"], "in another timezone than"],
    [
      "no timezone of that name",
      ["--site-timezones", "example.com=Europe/Berln"],
      "Did you mean Europe/Berlin?",
    ],
    ["no pairs", ["--site-timezones", "example.com"], 'has "example.com", which is not a timezone'],
  ])("is not saved with %s", async (_, argv, message) => {
    const environment = createHome();
    const { code, stderr } = await login(environment, ["--service", "plausible", ...argv]);
    expect([code, stderr.replaceAll(/\s+/g, " ")]).toEqual([2, expect.stringContaining(message)]);
    expect(() => readProfile(environment, "default")).toThrow("There is no profile default");
  });

  it.each(["matomo", "umami", "plausible"])(
    "is not taken for %s if it answers nothing of it",
    async (name) => {
      const other = await startServer((_, response) => send(response, 404, {}, "<h1>Not found</h1>"));
      const argv = ["login", "--service", name, "--api-key-stdin", "--base-url", other.origin, ...TIMEZONES];
      const words = name === "matomo" ? argv.slice(0, -2) : argv;
      const { code, stderr } = await runShell(words, { environment: createHome(), stdin: PLAUSIBLE_KEY });
      other.close();
      expect([code, stderr.toLowerCase()]).toEqual([
        expect.any(Number),
        expect.stringContaining(`${other.origin} does not look like ${name}.`),
      ]);
      expect(code).not.toBe(0);
    },
  );

  it("is not taken for Matomo if it knows no POST", async () => {
    const other = await startServer((_, response) => send(response, 501, {}, "Unsupported method"));
    const argv = ["login", "--service", "matomo", "--api-key-stdin", "--base-url", other.origin];
    const { stderr } = await runShell(argv, { environment: createHome(), stdin: PLAUSIBLE_KEY });
    other.close();
    expect(stderr).toContain(`${other.origin} does not look like Matomo.`);
  });

  it("is quoted where it is another service than was named", async () => {
    const other = await startServer((_, response) =>
      send(response, 404, { "content-type": "application/json" }, '{"error":"unknown site None"}'),
    );
    const argv = ["login", "--service", "matomo", "--api-key-stdin", "--base-url", other.origin];
    const { stderr } = await runShell(argv, { environment: createHome(), stdin: PLAUSIBLE_KEY });
    other.close();
    expect(stderr).toContain(
      `${other.origin} does not look like Matomo. The service says: "unknown site None".`,
    );
  });

  it("is asked for again with the sites, where a key or a site may be wrong", async () => {
    const environment = createHome();
    const { code, stderr } = await runShell(
      ["login", "--service", "plausible", "--base-url", server.origin],
      {
        environment,
        columns: 200,
        isTTY: true,
        answers: [
          ["Stats API key", `${PLAUSIBLE_KEY}\r`],
          ["Sites in Plausible", "my shop\r"],
          ['What you typed has "my shop", which is not a domain.', "exmple.com=Europe/Berlin\r"],
          ["or the key may not see a site that you named", "\r"],
          ["Sites in Plausible, such as example.com,shop.example (Enter for exmple.com", "example.com\r"],
          ["Timezone of example.com", "Europe/Berlin\r"],
        ],
      },
    );
    expect([code, stderr]).toEqual([0, expect.stringContaining("Enter keeps this one")]);
    expect(readProfile(environment, "default").apiKey).toBe(PLAUSIBLE_KEY);
  });

  it.each([
    ["no timezones", "key-of-acme-0123", [], "--site-timezones"],
    ["a refused key", "other-key-of-acme-0123", ["--site-timezones", "example.com=UTC"], "key file"],
  ])("keeps address, profile and key file in what it proposes after %s", async (_, key, given, proposed) => {
    const json = { "content-type": "application/json" };
    const site = { id: "b5f4b4a2-6f4f-4a5e-9a51-1f2f3f4f5f6f", name: "Example", domain: "example.com" };
    const umami = await startServer(({ url = "", headers }, response) => {
      const isKnown = headers.authorization === "Bearer key-of-acme-0123";
      const data = url.includes("/websites") ? [{ ...site, createdAt: "2025-01-01T00:00:00Z" }] : [];
      send(response, isKnown ? 200 : 401, json, JSON.stringify({ data, count: data.length }));
    });
    const { path } = createLogFolder({ "key file": key });
    const options = ["--base-url", umami.origin, "--profile", "two", "--api-key-file", path("key file")];
    const environment = createHome();
    const argv = ["login", "--service", "umami", ...options, ...given];
    const { code, stderr } = await runShell(argv, { environment });
    const quoted = [...options.slice(0, -1), `'${path("key file")}'`].join(" ");
    expect([code, stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining(`analytics-mcp login --service umami ${quoted}`),
    ]);
    expect(stderr).toContain(proposed);
    expect(stderr).not.toContain(key);
    umami.close();
  });

  it("is named with its address and profile where its saved key is refused later", async () => {
    const environment = createHome();
    await login(environment, ["--service", "plausible", ...TIMEZONES, "--profile", "two"]);
    const { apiKey, ...profile } = readProfile(environment, "two");
    writeProfile(environment, "two", { ...profile, apiKey: `${apiKey}-old` });
    const { stderr } = await runShell(["stats", "example.com"], { environment });
    const command = `analytics-mcp login --service plausible --base-url ${server.origin} --profile two`;
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(command);
  });

  it("says of a user's wrong password nothing about keys", async () => {
    const umami = await startServer(({ url = "" }, response) =>
      url === "/api/config"
        ? send(response, 200, { "content-type": "application/json" }, '{"cloudMode":false}')
        : send(response, 401, {}, "no"),
    );
    const { stderr } = await runShell(["login", "--service", "umami", "--base-url", umami.origin], {
      environment: createHome(),
      columns: 300,
      answers: [
        ["User name in Umami", "somebody\r"],
        ["Password, or API key", "secret-0123\r"],
        ["Use those with which you log in to Umami in a browser. Ctrl-C cancels.", "\x04"],
      ],
    });
    umami.close();
    expect(stderr).toContain("does not accept this user name and password.");
    expect(stderr).not.toContain("Copy it again");
  });

  it("says which timezones are of no site", async () => {
    const umami = await startServer(({ url = "" }, response) => {
      const site = { id: "b5f4b4a2-6f4f-4a5e-9a51-1f2f3f4f5f6f", name: "Example", domain: "example.com" };
      const data = url.includes("/websites") ? [{ ...site, createdAt: "2025-01-01T00:00:00Z" }] : [];
      const range = { startDate: "2025-01-01T00:00:00Z", endDate: "2025-01-02T00:00:00Z" };
      const body = url.includes("/daterange") ? range : { data, count: data.length };
      send(response, 200, { "content-type": "application/json" }, JSON.stringify(body));
    });
    const argv = ["--service", "umami", "--base-url", umami.origin, "--api-key-stdin"];
    const { code, stderr } = await runShell(
      ["login", ...argv, "--site-timezones", "exmple.com=UTC,example.com=UTC"],
      { environment: createHome(), stdin: "key-of-acme-0123" },
    );
    umami.close();
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "There is no site exmple.com, whose timezone was given. Did you mean example.com?",
      ),
    ]);
  });

  it("says that it knows no visits, where they are asked for", async () => {
    const environment = createHome();
    await login(environment, ["--service", "plausible", ...TIMEZONES, "--site", "example.com"]);
    const ask = async (...argv: string[]) => (await runShell(argv, { environment })).stderr;
    expect(await ask("timeseries", "--with", "visits", "-q")).toContain("This source does not know visits.");
    expect(await ask("timeseries", "-q")).not.toContain("visits");
  });

  it("may be below a path, and have no website for its user", async () => {
    const answers: Record<string, unknown> = {
      "/stats/api/config": { cloudMode: false },
      "/stats/api/websites": { data: [], count: 0 },
      "/stats/api/me/teams": { data: [], count: 0 },
    };
    const umami = await startServer(({ url = "" }, response) => {
      const body = answers[url.split("?")[0] ?? ""];
      send(response, body ? 200 : 404, { "content-type": "application/json" }, JSON.stringify(body ?? {}));
    });
    const environment = createHome();
    const argv = ["login", "--api-key-stdin", "--base-url", `${umami.origin}/stats`];
    const { code, stderr } = await runShell(argv, { environment, stdin: "umami_0123456789" });
    umami.close();
    expect([code, readProfile(environment, "default").baseUrl]).toEqual([0, `${umami.origin}/stats`]);
    expect(stderr).toContain(`Saved as profile default for Umami at ${umami.origin}/stats:`);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("Umami has no website that this user may see");
  });

  it("must be one that the program knows", async () => {
    const { code, stderr } = await login(createHome(), ["--service", "countly"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("It knows matomo, umami, plausible.")]);
  });

  it("is not the one that a profile was saved for", async () => {
    const environment = createHome();
    await login(environment, ["--service", "plausible", ...TIMEZONES]);
    const argv = ["stats", "--profile", "default", "--service", "matomo"];
    const { code, stderr } = await runShell(argv, { environment });
    expect([code, stderr]).toEqual([2, expect.stringContaining("is for plausible, not for matomo")]);
  });

  it("is named in an assistant's configuration, without the key", async () => {
    const environment = {
      ...createHome(),
      ANALYTICS_SERVICE: "plausible",
      ANALYTICS_API_KEY: PLAUSIBLE_KEY,
      ANALYTICS_SITE_TIMEZONES: "example.com=Europe/Berlin",
    };
    const { stdout } = await runShell(["config", "cursor"], { environment });
    expect(stdout).toContain('"ANALYTICS_SERVICE": "plausible"');
    expect(stdout).toContain('"ANALYTICS_SITE_TIMEZONES": "example.com=Europe/Berlin"');
    expect(stdout).toContain('"ANALYTICS_BASE_URL": "https://plausible.io"');
    expect(stdout).not.toContain(PLAUSIBLE_KEY);
  });
});
