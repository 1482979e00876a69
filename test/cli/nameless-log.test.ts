import { describe, expect, it } from "vitest";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { logs } from "../../src/sources/logs.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../support/logs.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const log = createLogFolder({ "access.log": joinLines(combined()) }).path("access.log");
const run = (argv: readonly string[]) =>
  runShell([...argv, "--logs", log], { clock: () => LOG_NOW, environment: { TZ: "UTC" } });

describe("a log that names no site", () => {
  it.each([["overview"], ["sites"], ["whoami"], ["doctor"], ["report", "-o", "-"]])(
    "is refused by %s with an option that the command takes",
    async (...argv) => {
      const refused = await run(argv);
      const said = `${refused.stdout}${refused.stderr}`.replaceAll(/\s+/g, " ");
      expect(refused.code).not.toBe(0);
      expect(said).toContain("Name it: --site example.com.");
      const { code, stdout } = await run([...argv, "--site", "example.com"]);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/example\.com|visitors/)]);
    },
  );

  it("is refused in a pipe without the advice on files", async () => {
    const stdin = joinLines(combined());
    const { stderr } = await runShell(["stats", "--logs", "-"], { clock: () => LOG_NOW, stdin });
    expect(stderr).toContain("hint: Name it: --site example.com\n");
  });

  it("is refused by a server before it starts, until its site is known", async () => {
    const environment = { ...createHome(), TZ: "UTC" };
    const open = (flags: object) =>
      logs.openViews?.({ flags: { logs: [log], ...flags }, environment, clock: () => LOG_NOW });
    await expect(open({})).rejects.toMatchObject({
      code: "usage",
      message: "The logs do not say which site they are about.",
    });
    await expect(open({ site: ["example.com"] })).resolves.toBeTypeOf("function");
    await runShell(["sites", "--logs", log, "--site", "example.com"], { clock: () => LOG_NOW, environment });
    await expect(open({})).resolves.toBeTypeOf("function");
  });

  it.each(["", "*"])("is refused with the site that the name of its file has%s", async (end) => {
    const { path } = createLogFolder({ "www.shop.example.access.log": joinLines(combined()) });
    const { stderr } = await runShell(["overview", "--logs", path(`www.shop.example.access.log${end}`)], {
      clock: () => LOG_NOW,
      environment: { TZ: "UTC" },
    });
    expect(stderr).toContain("Name it, as the file's name does: --site shop.example.\n");
  });

  it.each([
    ["stats", "example.com"],
    ["report", "example.com", "-o", "-"],
  ])("takes the site that %s asks about", async (...argv) => {
    expect(await run(argv)).toMatchObject({ code: 0 });
  });

  it("is not taken for another site than the profile or the variable names", async () => {
    const profile = createHome();
    const clock = () => LOG_NOW;
    await runShell(["login", "--logs", log, "--site", "example.com"], { clock, environment: profile });
    const variables = { ...createHome(), ANALYTICS_LOGS: log, ANALYTICS_SITE: "example.com" };
    for (const environment of [profile, variables]) {
      const ask = (...argv: string[]) => runShell(argv, { clock, environment });
      expect((await ask("stats", "example.com")).code).toBe(0);
      const word = await ask("stats", "yesterday");
      expect([word.code, word.stderr]).toEqual([
        6,
        expect.stringContaining("Did you mean --period yesterday?"),
      ]);
      const typo = await ask("stats", "exmaple.com");
      expect([typo.code, typo.stderr]).toEqual([6, expect.stringContaining('no site "exmaple.com"')]);
      expect((await ask("check", "yesterday", "--above", "0")).code).toBe(6);
    }
    const other = await runShell(["stats", "--site", "other.example"], { clock, environment: profile });
    expect([other.code, other.stdout]).toEqual([6, ""]);
  });

  it.each([
    ["yesterday", "Did you mean --period yesterday?"],
    ["foo", "Name it: --site"],
  ])("is not taken for the site %j, which can mean something else", async (word, hint) => {
    const { code, stderr } = await run(["stats", word]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });

  it("is counted once for a word that is then named with --site, as the hint says", async () => {
    const environment = { ...createHome(), TZ: "UTC" };
    const ask = (...argv: string[]) =>
      runShell([...argv, "--logs", log, "--json"], { clock: () => LOG_NOW, environment });
    expect((await ask("stats", "shop")).stderr).toContain("Name it: --site");
    const answers = [await ask("stats", "--site", "shop"), await ask("stats", "--site", "shop")];
    for (const { code, stdout } of answers) {
      expect(code).toBe(0);
      const codes = JSON.parse(stdout).warnings?.map((warning: { code: string }) => warning.code);
      expect(codes).toEqual(["shortened", "partial_first_day", "only_events"]);
    }
  });

  it("can have several sites in a client's settings", async () => {
    const { stdout } = await run([
      "config",
      "cursor",
      "--site",
      "a.example",
      "--site",
      "b.example",
      "--json",
    ]);
    const { args } = JSON.parse(JSON.parse(stdout).content).mcpServers.analytics;
    expect(args.slice(-4)).toEqual(["--site", "a.example", "--site", "b.example"]);
  });
});

it("a log that names an address in place of a host is refused with what --site cannot do", async () => {
  const { path } = createLogFolder({ "access.log": joinLines(combined({ host: "192.0.2.9" })) });
  const { code, stderr } = await runShell(["stats", "--logs", path("access.log"), "--site", "example.com"], {
    clock: () => LOG_NOW,
    environment: { TZ: "UTC" },
  });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(
      `error: The logs have no request to example.com.\nhint: To see which hosts they have: analytics-mcp logs ${path("access.log")}. If all of a file is about example.com, name both: --logs example.com=${path("access.log")}\n`,
    ),
  ]);
});

it.each([
  ["/feed.xml", "feeds are not counted as pages"],
  ["/feed.xml|/style.css", "feeds are not counted as pages, and styles, scripts"],
  ["/paper.pdf", "downloads are counted as the event File Download, not as pages"],
])("a filter, a goal and a step on %s, which is no page, are refused with the reason", async (page, why) => {
  const condition = `page=${page}`;
  for (const [argv, parameter] of [
    [["stats", "--filter", condition], "filter"],
    [["breakdown", "--dimension", "countries", "--filter", `entry_${condition}`], "filter"],
    [["conversions", "--goal", condition], "goal"],
    [["conversions", "--step", "page=/", "--step", condition], "step"],
  ] as const) {
    const { code, stderr } = await run([...argv, "--site", "example.com"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`${parameter}.*pages=/`))]);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(why);
  }
  for (const filter of ["page!=/feed.xml", "page=/feed.xml|/", "page=/feed.xml*", "page=/feeds"]) {
    const { code } = await run(["stats", "--site", "example.com", "--filter", filter]);
    expect([filter, code]).toEqual([filter, 0]);
  }
});

it("logs of two sites are refused with a command line that names one of them", async () => {
  const hosts = ["a.example", "b.example"].map((host) => combined({ host }));
  const { path } = createLogFolder({ "access.log": joinLines(...hosts) });
  const options = { clock: () => LOG_NOW, environment: { TZ: "UTC" } };
  const { stderr } = await runShell(["stats", "--logs", path("access.log")], options);
  const [, ...words] = /Name one: (.*)/.exec(stderr)?.[1]?.split(" ") ?? [];
  expect(await runShell(words, options)).toMatchObject({ code: 0 });
});

it.each([true, false])(
  "models get the command that adds countries, on stdio (%s) alone",
  async (hasShell) => {
    const { source } = openTestLogs({ logs: [log], site: ["example.com"], timezone: "UTC" });
    const call = createLocalCall(
      async () => source,
      () => LOG_NOW,
    );
    const client = await connectInProcess({ call, hasShell });
    for (const [tool, args] of [
      ["get_breakdown", { dimension: "countries" }],
      ["get_stats", { filter: ["country=US"] }],
    ] as const) {
      const said = textOf(await client.callTool(tool, { site: "example.com", ...args }));
      expect(said).toContain("does not record without --geoip");
      expect(said.includes("To add them: npm install -g")).toBe(hasShell);
    }
    const overview = textOf(await client.callTool("get_overview", { site: "example.com" }));
    const [, advised] = overview.split("Not shown: countries");
    expect(advised).toMatch(
      hasShell ? /^\. To add them: npm install -g/ : /^ \(this source has no country database\)\./,
    );
    await client.close();
  },
);

it.each([
  ["countries", "The logs have no countries yet: addresses have no place without --geoip."],
  ["hostnames", 'hostnames": this source does not record it.'],
])("%s, which this log does not record, is refused with the reason", async (dimension, reason) => {
  const { code, stderr } = await run(["breakdown", "example.com", "--dimension", dimension]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});

it.each([["overview"], []])(
  "an overview of young logs at a terminal says how to add countries (%s)",
  async (...argv) => {
    const options = {
      clock: () => LOG_NOW,
      environment: createHome(),
      isTTY: true,
      isTyped: true,
      columns: 110,
    };
    const { stderr } = await runShell([...argv, "--site", "example.com", "--logs", log], options);
    expect(stderr).toContain("Not shown: countries. To add them: npm install -g");
  },
);

it("a report says it in the words of who reads it", async () => {
  const { stdout } = await run(["report", "example.com", "-o", "-"]);
  expect(stdout).toContain("Not shown: countries (this source has no country database).");
  expect(stdout).not.toContain("--geoip");
});

it("a hint at countries ends in a command that runs, also where a profile has the logs", async () => {
  const clock = () => LOG_NOW;
  const environment = createHome();
  const shell = (...argv: string[]) => runShell(argv, { clock, environment });
  await shell("login", "--logs", log, "--site", "example.com", "--profile", "web");
  const { stderr } = await shell("breakdown", "example.com", "--dimension", "countries", "--profile", "web");
  const [, ...words] = /&& (analytics-mcp logs --set .*)\n/.exec(stderr)?.[1]?.split(" ") ?? [];
  expect(words.join(" ")).toBe("logs --set --geoip countries --profile web");
  expect(await shell(...words.with(3, "none"))).toMatchObject({ code: 0 });
});

it("logs --set changes what the profiles of these logs say of the option, and of no other", async () => {
  const clock = () => LOG_NOW;
  const environment = createHome();
  const shell = (...argv: string[]) => runShell(argv, { clock, environment });
  const { path } = createLogFolder({ "a.log": joinLines(combined()), "b.log": joinLines(combined()) });
  const options = ["--site", "example.com", "--timezone", "UTC"];
  for (const name of ["a", "b"])
    await shell("login", "--logs", path(`${name}.log`), ...options, "--profile", name);
  const { code, stderr } = await shell("logs", "--set", "--timezone", "Europe/Berlin", path("a.log"));
  expect([code, stderr]).toEqual([0, expect.stringContaining("Changed in your profiles, too: a.\n")]);
  expect(stderr).not.toContain("warning:");
  for (const [name, timezone] of [
    ["a", "Europe/Berlin"],
    ["b", "UTC"],
  ] as const) {
    const answered = await shell("stats", "--json", "--profile", name);
    expect(JSON.parse(answered.stdout)).toMatchObject({ period: { timezone } });
  }
});
