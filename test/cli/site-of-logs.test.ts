import { readdirSync, rmSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readProfileOptions } from "../../src/config/profiles.ts";
import { logs } from "../../src/sources/logs.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const page = (at: string, more: object = {}) => [
  combined({ at, ...more }),
  ...Array.from({ length: 5 }, () =>
    combined({ at, target: "/style.css", referrer: "https://www.shop.example/" }),
  ),
];

/** Logs of three days whose lines name no host, and whose pages call the site shop.example. */
const createPlace = (more: object = {}) =>
  createPlaceOf({
    "access.log": joinLines(...page("2026-11-21T04:00:00Z", more)),
    "access.log.1": joinLines(...page("2026-11-20T12:00:00Z"), combined({ at: "2026-11-20T12:01:00Z" })),
    "access.log.2": joinLines(...page("2026-11-19T12:00:00Z")),
  });

function createPlaceOf(files: Record<string, string>) {
  const { path } = createLogFolder(files);
  const environment = createHome();
  const log = path("access.log*");
  const run = (...argv: string[]) =>
    runShell([...argv, "--logs", log], { environment, columns: 400, clock: () => LOG_NOW });
  const count = async (site?: string) => {
    const { code, stdout, stderr } = await run("stats", "--json", ...(site ? ["--site", site] : []));
    return code === 0 ? [JSON.parse(stdout).site.domain, JSON.parse(stdout).pageviews] : stderr;
  };
  const logInAtTerminal = (answers: [prompt: string, answer: string][]) =>
    runShell(["login", "--logs", log], {
      environment,
      columns: 200,
      isTTY: true,
      clock: () => LOG_NOW,
      answers: [...answers, ["Timezone for its days", "\r"]],
    });
  return { path, environment, log, run, count, logInAtTerminal };
}

describe("the site of logs that name none", () => {
  it("is what their pages call it, if nobody names another, and says so once", async () => {
    const { run, count, environment, log } = createPlace();
    const { stderr } = await run("stats");
    expect(stderr).toContain(
      "warning: The lines of these logs name no site, so they count as shop.example, the name that their pages use.\n",
    );
    expect((await run("stats")).stderr).not.toContain("as their pages");
    expect(await count("shop.example")).toEqual(["shop.example", 4]);
    const flags = { logs: [log] };
    const given = { flags, environment: createHome(), clock: () => LOG_NOW };
    await expect(logs.openViews?.(given)).resolves.toBeTypeOf("function");
    for (const home of [environment, createHome()])
      expect((await runShell(["logs", log], { environment: home })).stdout).not.toContain("(unnamed)");
  });

  it("is found in standard input, too, and a name that its pages do not use is", async () => {
    // More than can be read a second time.
    const more = joinLines(...Array(1_000).fill(combined()));
    const run = async (...argv: string[]) => {
      const parts = [joinLines(...page("2026-11-21T04:00:00Z")), ...Array(60).fill(more)];
      const stdin = Readable.from(parts).pipe(new PassThrough());
      const options = { environment: createHome(), stdin, columns: 400, clock: () => LOG_NOW };
      return (await runShell(argv, options)).stderr;
    };
    expect(await run("stats", "--logs", "-")).toContain("so they count as shop.example, the name that");
    expect(await run("stats", "--logs", "-", "--site", "shop.exmaple")).toContain(
      "warning: The pages in these logs call their site shop.example, not shop.exmaple.",
    );
    expect(await run("logs", "-")).toContain("It counts as shop.example.");
  });

  it("has the days of its history in what is shown of the logs, unless other ones are asked for", async () => {
    const { run, environment, log } = createPlace();
    await run("stats", "--timezone", "Asia/Tokyo");
    const show = async (...argv: string[]) =>
      JSON.parse((await runShell(["logs", log, "--json", ...argv], { environment })).stdout).timezone;
    expect([await show(), await show("--timezone", "UTC")]).toEqual(["Asia/Tokyo", "UTC"]);
  });

  it("is told at a login of a part of its logs, with what is not kept and not read", async () => {
    const { run, environment, path, log } = createPlace();
    await run("stats");
    const argv = ["login", "--logs", path("access.log")];
    const { stderr } = await runShell(argv, { environment, columns: 400, clock: () => LOG_NOW });
    expect(stderr).toContain("warning: Beside access.log, 2 older files of the same log are not read.");
    expect(stderr).toContain(`so nothing is kept of these alone. To go on with it: --logs '${log}'\n`);
    const set = ["logs", "--set", "--keep", "100", path("access.log")];
    expect((await runShell(set, { environment })).stderr).not.toContain("warning:");
  });

  it("is counted again by the name that the pages use, after any other one", async () => {
    const { run, count, environment } = createPlace();
    expect(await count("example.com")).toEqual(["example.com", 4]);
    const { code, stderr } = await run("stats", "--site", "https://www.Shop.example/");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "These logs were counted as example.com; they are counted again as shop.example",
      ),
    ]);
    expect((await run("stats", "--site", "shop.example")).stderr).not.toContain("counted again");
    expect(await count()).toEqual(["shop.example", 4]);
    const [history = ""] = readdirSync(`${environment.HOME}/.local/state/analytics-mcp/logs`);
    const kept = readdirSync(`${environment.HOME}/.local/state/analytics-mcp/logs/${history}`);
    expect(kept.join(" ")).not.toContain("example.com");
    expect(await count("example.com")).toContain(
      "Their pages call it shop.example: ask with --site shop.example.",
    );
  });

  it("keeps its name where days would be lost, and the refusal says which", async () => {
    const { count, path, log } = createPlace();
    await count("example.com");
    rmSync(path("access.log.2"));
    expect(await count("shop.example")).toContain(
      `Ask with --site example.com. To count them again as shop.example, first remove what was counted, which loses 2026-11-19 for good, since log files of these days are gone: analytics-mcp logs --forget '${log}'`,
    );
    expect(await count("example.com")).toEqual(["example.com", 4]);
  });

  it("is not changed by a slip, nor by what cannot be a name", async () => {
    const { count, run } = createPlace();
    await count("shop.example");
    for (const site of ["shop.exmaple", "othersite.com"]) {
      const said = await count(site);
      expect(said).toContain(`These logs are of shop.example, not of ${site}.`);
      expect(said).toMatch(/--site shop\.example/);
      expect(said).not.toContain("--forget");
    }
    const { stderr } = await run("stats", "--site", "shop.exmaple", "--period", "lastweak");
    expect(stderr).toContain('--period cannot be "lastweak"');
    expect(await count("shop example")).toContain("is not the name of a site.");
    expect(await count()).toEqual(["shop.example", 4]);
  });

  it.each(["example.com", "shop.example"])(
    "is proposed at a login, whatever a history says (%s)",
    async (site) => {
      const { count, environment, logInAtTerminal } = createPlace();
      await count(site);
      const { code, stderr } = await logInAtTerminal([
        ["(Enter for shop.example)", "shop.exmaple\r"],
        [
          "Their pages call the site shop.example, not shop.exmaple. If shop.exmaple is right, type it again.",
          "\r",
        ],
      ]);
      expect([code, readProfileOptions(environment, "default")?.site]).toEqual([0, ["shop.example"]]);
      expect(stderr.includes("counted again as shop.example")).toBe(site === "example.com");
    },
  );

  it("is proposed where links between pages name it, and never taken for it unasked", async () => {
    const visit = (target: string, referrer: string) =>
      combined({ at: "2026-11-21T04:00:00Z", target, referrer });
    const lines = [
      ...Array.from({ length: 5 }, () => visit("/about", "https://shop.example/blog")),
      ...Array.from({ length: 9 }, () => visit("/blog", "https://www.google.com/")),
      ...Array.from({ length: 9 }, () => visit("/blog", "https://news.example/item?id=1")),
    ];
    const { run, count, environment, log, logInAtTerminal } = createPlaceOf({
      "access.log": joinLines(...lines),
    });
    const proposal =
      "Links between their pages are of shop.example: if that is right, add --site shop.example";
    expect(await count()).toContain(proposal);
    const server = logs.openViews?.({ flags: { logs: [log] }, environment, clock: () => LOG_NOW });
    await expect(server).rejects.toMatchObject({ hint: expect.stringContaining(proposal) });
    expect((await runShell(["logs", log], { environment })).stderr).toContain("add --site shop.example\n");
    expect((await run("stats", "--site", "shop")).stderr).toContain(
      "call their site shop.example, not shop.",
    );
    const { code } = await logInAtTerminal([
      ["(Enter for shop.example)", "shop\r"],
      ["Their pages call the site shop.example, not shop. If shop is right, type it again.", "\r"],
    ]);
    expect([code, readProfileOptions(environment, "default")?.site]).toEqual([0, ["shop.example"]]);
    const few = createPlaceOf({ "access.log": joinLines(...lines.slice(1)) });
    expect(await few.count()).toContain("Name it: --site example.com.");
  });

  it("is that of the history of more files", async () => {
    const visit = (at: string) => joinLines(combined({ at }));
    const { count, environment, path } = createPlaceOf({
      "access.log": visit("2026-11-21T04:00:00Z"),
      "access.log.1": visit("2026-11-20T12:00:00Z"),
    });
    await count("example.com");
    const part = path("access.log");
    const whole = path("*");
    const ask = (...argv: string[]) => runShell(argv, { environment, columns: 400, clock: () => LOG_NOW });
    expect((await ask("sites", "--logs", whole, "--json")).stdout).toContain('"domain": "example.com"');
    const { stdout } = await ask("stats", "--logs", part, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ site: { domain: "example.com" }, pageviews: 1 });
    expect(stdout).toContain('the history of \\"access.log*\\", so');
    const given = { flags: { logs: [part] }, environment, clock: () => LOG_NOW };
    await expect(logs.openViews?.(given)).resolves.toBeTypeOf("function");
  });

  it("is what a login says, once it is typed again, and the days are counted by it", async () => {
    const { count, environment, log, logInAtTerminal } = createPlace();
    await count("shop.example");
    expect(await count("myshop.example")).toContain(
      `If myshop.example is right, log in with it: analytics-mcp login --logs '${log}' --site myshop.example`,
    );
    const { code, stderr } = await logInAtTerminal([
      ["(Enter for shop.example)", "myshop.example\r"],
      ["If myshop.example is right, type it again.", "myshop.example\r"],
    ]);
    expect([code, readProfileOptions(environment, "default")?.site]).toEqual([0, ["myshop.example"]]);
    expect(stderr).toContain("counted as shop.example; they are counted again as myshop.example.");
    expect(await count()).toEqual(["myshop.example", 4]);
  });

  it("is not changed by a login where days would be lost, nor for a file alone, and the refusal says how", async () => {
    const { count, environment, log, path } = createPlace();
    const logIn = async (...argv: string[]) =>
      (await runShell(["login", ...argv], { environment, columns: 400, clock: () => LOG_NOW })).stderr;
    await count("shop.example");
    const forget = `analytics-mcp logs --forget '${log}'\n`;
    const named = await logIn("--logs", `myshop.example=${log}`);
    expect(named).toContain("To count them again as myshop.example, first remove what was counted");
    expect(named).toContain(forget);
    rmSync(path("access.log.2"));
    const lost = await logIn("--logs", log, "--site", "myshop.example");
    expect(lost).toContain("which loses 2026-11-19 for good");
    expect(lost).toContain(forget);
    expect(await count()).toEqual(["shop.example", 4]);
  });
});
