import { describe, expect, it } from "vitest";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const { path } = createLogFolder({
  "a.log": joinLines(combined()),
  "b.log": joinLines(combined({ target: "/b" })),
});
const NAMED = ["--logs", `a.example=${path("a.log")}`, "--logs", `b.example=${path("b.log")}`];

/** A shell with a profile that was saved with these words. */
async function logIn(...argv: string[]) {
  const home = { ...createHome(), TZ: "UTC" };
  const shell = (variables: Record<string, string>, ...words: string[]) =>
    runShell(words, { clock: () => LOG_NOW, environment: { ...home, ...variables } });
  return { shell, login: await shell({}, "login", ...argv) };
}

describe("ANALYTICS_SITE with a profile of logs", async () => {
  const { shell } = await logIn(...NAMED, "--site", "a.example");

  it.each<[string, Record<string, string>, string[]]>([
    ["a.example", {}, []],
    ["b.example", { ANALYTICS_SITE: "b.example" }, []],
    ["a.example", { ANALYTICS_SITE: "b.example" }, ["--site", "a.example"]],
    ["a.example", { ANALYTICS_SITE: "b.example" }, ["--profile", "default"]],
  ])("%s answers for %j %j", async (site, variables, argv) => {
    const { stdout } = await shell(variables, "stats", ...argv, "--json");
    expect(JSON.parse(stdout).site.domain).toBe(site);
  });

  it("is refused if the logs do not have the site, as the option is", async () => {
    const { shell: nameless } = await logIn("--logs", path("a.log"), "--site", "shop.example");
    for (const ask of [shell, nameless]) {
      const unknown = { ANALYTICS_SITE: "foo.example" };
      const refused = await ask(unknown, "stats");
      expect(refused).toMatchObject({
        code: 6,
        stdout: "",
        stderr: expect.stringContaining("foo.example"),
      });
      expect(refused).toEqual(await ask({}, "stats", "--site", "foo.example"));
      const { code, stdout } = await ask(unknown, "doctor");
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining("foo.example, set by ANALYTICS_SITE, is not one of these sites."),
      ]);
    }
  });

  it("is what whoami shows, with where it is from", async () => {
    const who = async (variables: Record<string, string>) =>
      JSON.parse((await shell(variables, "whoami", "--json")).stdout);
    expect(await who({})).toMatchObject({ site: "a.example", site_from: "profile default" });
    expect(await who({ ANALYTICS_SITE: "b.example" })).toMatchObject({
      site: "b.example",
      site_from: "ANALYTICS_SITE",
    });
    expect((await shell({}, "whoami", "--all")).stdout).toContain("\tnone needed\ta.example\tyes");
  });
});

it("reference says that a profile chose the logs, and how to serve made-up data", async () => {
  const { shell } = await logIn(...NAMED);
  const { code, stderr } = await shell({}, "reference", "--port", "0");
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(
      /--logs \(from profile default\) needs keys.*\nhint: .*made-up data instead, add --demo\n/,
    ),
  ]);
});

it("a site that the logs do not have is not saved", async () => {
  const { login } = await logIn(...NAMED, "--site", "a.exampel");
  expect(login).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/You have no site "a\.exampel"\.\nhint: Did you mean a\.example\?/),
  });
});
