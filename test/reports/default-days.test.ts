import { describe, expect, it } from "vitest";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { overview } from "../../src/reports/overview.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createTestApi, NOW } from "../support/api.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const DAY = 86_400_000;
const clock = () => LOG_NOW;
const codesOf = (warnings: { code: string }[]) => warnings.map(({ code }) => code);
const spaced = (text: string) => text.replaceAll(/\s+/g, " ");

/** A log with a visitor a day, since so many days ago. */
function writeLog(since: number): string {
  const days = Array.from({ length: since + 1 }, (_, index) => LOG_NOW - index * DAY - 3_600_000).reverse();
  const lines = days.map((at, index) => combined({ at, address: `192.0.2.${index + 1}` }));
  return createLogFolder({ "access.log": joinLines(...lines) }).path("access.log");
}

async function ask(since: number, argv: readonly string[], options = {}) {
  const { code, stdout, stderr } = await runShell(
    [...argv, "--logs", writeLog(since), "--site", "example.com", "--timezone", "UTC"],
    { clock, ...options },
  );
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  return { stdout, stderr };
}

async function askJson(since: number, argv: readonly string[]) {
  return JSON.parse((await ask(since, [...argv, "--json"])).stdout);
}

const QUERIES = [["stats"], ["timeseries"], ["breakdown", "--dimension", "pages"], ["crawlers"]];

describe("where the data begins within the default 28 days", () => {
  it.each(QUERIES)("%s answers from there, and says so", async (...argv) => {
    const { period, points, warnings } = await askJson(7, argv);
    expect(period).toMatchObject({ from: "2026-11-14", to: "2026-11-21", days: 8 });
    expect(points?.length ?? 8).toBe(8);
    expect(warnings).toContainEqual({
      code: "shortened",
      detail: "The data begins on 2026-11-14, so this covers 8 days, not 28.",
      values: { data_since: "2026-11-14", days: 8, default_days: 28 },
    });
    expect(codesOf(warnings)).not.toContain("before_data_since");
  });

  it("shows both at a terminal", async () => {
    const { stdout, stderr } = await ask(7, ["stats"], { isTTY: true, columns: 200 });
    expect(spaced(stdout)).toContain("example.com, 2026-11-14 to 2026-11-21 (8 days, today included, UTC)");
    expect(spaced(stderr)).toContain("The data begins on 2026-11-14, so this covers 8 days, not 28.");
  });

  it("averages by hour of the week are of the complete days from there", async () => {
    const { stdout, stderr } = await ask(7, ["timeseries", "--by", "week_hour", "--output", "table"]);
    expect(spaced(stdout)).toMatch(/2026-11-14 to 2026-11-20 \(\d complete days, UTC\)/);
    expect(spaced(stderr)).toContain("so this covers 7 days, not 28.");
    expect(spaced(stderr)).toMatch(/Fewest: Monday 00:00 and 1\d\d more \(0\)\./);
    expect(stderr).not.toContain("Today");
  });

  it("overview has the complete days from there, and compares them with nothing", async () => {
    const { period, comparison, trend, visitors, today, warnings } = await askJson(7, ["overview"]);
    expect(period).toMatchObject({ from: "2026-11-14", to: "2026-11-20", days: 7 });
    expect([comparison, visitors, today.visitors, trend.visitors]).toEqual([null, 7, 1, Array(7).fill(1)]);
    expect(codesOf(warnings)).toContain("shortened");
    const { stdout, stderr } = await ask(7, ["overview", "--explain"], { isTTY: true, columns: 200 });
    expect(spaced(stderr)).toMatch(/There are no days before to compare with\.(?! To compare)/);
    // Columns of dashes are left out for people alone.
    expect(stdout).not.toMatch(/previous|percent/);
    expect((await ask(7, ["overview"])).stdout).toContain("\tcurrent\tprevious\tchange\tpercent");
    expect(spaced(stdout)).toContain("example.com, 2026-11-14 to 2026-11-20 (7 days, UTC)");
    expect(stdout).not.toMatch(/so far$|compared with/m);
  });

  it("overview says first what can be compared, where more than a week has data", async () => {
    const { stderr } = await ask(20, ["overview"], { isTTY: true, columns: 200 });
    expect(spaced(stderr)).toContain("There are no days before to compare with.");
    expect(spaced(stderr)).toMatch(
      /To compare the last 7 days with the 7 before: analytics-mcp compare --site example\.com --days 7 --logs \S/,
    );
    const views = overview.views(await askJson(20, ["overview"]));
    // A page has a link.
    expect(formatNotes(listNotes(views), "people").join(" ")).not.toContain(
      "the last 7 days with the 7 before",
    );
    const { comparable, current } = await askJson(20, ["compare", "--days", "7"]);
    expect([comparable, current.visitors]).toEqual([true, 7]);
  });

  it("overview has today so far if the data begins today", async () => {
    const { period, comparison, visitors } = await askJson(0, ["overview"]);
    expect(period).toMatchObject({ from: "2026-11-21", to: "2026-11-21", days: 1, partial: true });
    expect([comparison, visitors]).toEqual([null, 1]);
  });

  it.each([
    [["stats", "--days", "30"], 30],
    [["timeseries", "--days", "12"], 12],
    [["stats", "--period", "last-20-days"], 20],
    [["stats", "--from", "2026-11-01"], 21],
    [["overview", "--days", "30"], 30],
    [["overview", "--period", "last-30-days"], 30],
  ])("%s has the days that it names", async (argv, days) => {
    const { period, warnings } = await askJson(7, argv);
    expect(period.days).toBe(days);
    expect(codesOf(warnings)).toContain("before_data_since");
    expect(codesOf(warnings)).not.toContain("shortened");
  });
});

it.each([27, 40])("data of %s more days leaves the default days as they are", async (since) => {
  const { period, warnings } = await askJson(since, ["stats"]);
  expect(period.days).toBe(28);
  expect(codesOf(warnings)).not.toContain("shortened");
});

describe("an assistant", () => {
  // A site with data for eleven days, and one without any.
  const young = { site: "news.example.org" };
  const call = createLocalCall(
    () => demo.open({ clock: () => NOW, environment: {}, flags: {} }),
    () => NOW,
  );

  it.each([
    ["get_stats", { from: "2026-11-11", to: "2026-11-21", days: 11 }],
    ["get_overview", { from: "2026-11-11", to: "2026-11-20", days: 10 }],
  ])("gets the days that have data from %s, and why", async (tool, period) => {
    const client = await connectInProcess({ call });
    const answer = await client.callTool(tool, young);
    expect(answer.structuredContent).toMatchObject({ period });
    expect(textOf(answer)).toContain(
      `The data begins on 2026-11-11, so this covers ${period.days} days, not 28.`,
    );
    const named = await client.callTool(tool, { ...young, days: 30 });
    expect(named.structuredContent).toMatchObject({ period: { days: 30 } });
    await client.close();
  });

  it("gets them from the resource of the overview", async () => {
    const client = await connectInProcess({ call });
    const { contents } = await client.readResource("analytics://sites/news.example.org/overview");
    expect(JSON.parse(contents[0]?.text ?? "")).toMatchObject({ period: { days: 10 }, comparison: null });
    await client.close();
  });

  it("gets the default days of a site without data", async () => {
    const client = await connectInProcess({ call });
    expect((await client.callTool("get_stats", { site: "parked.example" })).structuredContent).toMatchObject({
      period: { days: 28 },
    });
    await client.close();
  });

  it.each([
    ["get_stats", {}],
    ["get_timeseries", {}],
    ["get_breakdown", { dimension: "pages" }],
    ["get_overview", {}],
    ["get_overview", { site: "parked.example" }],
  ])("gets the same days from a service: %s %j", async (tool, params) => {
    const [local, remote] = await Promise.all([connectInProcess({ call }), connectInProcess()]);
    const read = async ({ callTool }: typeof local) => {
      const { structuredContent } = await callTool(tool, { ...young, ...params });
      const { period, warnings } = structuredContent as Record<string, unknown>;
      return { period, warnings };
    };
    expect(await read(remote)).toEqual(await read(local));
    await Promise.all([local.close(), remote.close()]);
  });

  it("a page whose address has the default period is fitted as if it had none", async () => {
    const asked = { site: young.site, period: "last_28_days" };
    for (const name of ["stats", "overview"]) {
      const days = async (usesDefaultDays: boolean) => {
        const { result } = await findQuery(name).ask(call, asked, { usesDefaultDays });
        return (result.period as { days: number }).days;
      };
      expect([await days(true), await days(false)]).toEqual([10, 28]);
    }
  });
});

it("the REST API has the contract's 30 days", async () => {
  const { body } = await createTestApi().ask("/api/v1/stats?site=news.example.org");
  expect(body).toMatchObject({
    period: { days: 30 },
    warnings: [{ code: "before_data_since", values: { data_since: "2026-11-11" } }],
  });
});

it("nobody is counted now by a log that has ended, and that is said", async () => {
  const line = combined({ at: LOG_NOW - 2 * DAY });
  const log = createLogFolder({ "access.log": joinLines(line) }).path("access.log");
  const argv = ["realtime", "example.com", "--logs", log, "--timezone", "UTC"];
  const { stdout, stderr } = await runShell([...argv, "--json"], { clock });
  const { visitors, warnings } = JSON.parse(stdout);
  expect([visitors, codesOf(warnings)]).toEqual([0, ["stale"]]);
  expect((await runShell(argv, { clock })).stderr).toContain("The log ends on 2026-11-19");
  expect(stderr).toBe("");
  expect(
    JSON.parse((await runShell([...argv, "--json"], { clock: () => LOG_NOW - 2 * DAY })).stdout),
  ).not.toHaveProperty("warnings");
});

describe("days before the data that were asked for", () => {
  it("are rows for programs, and none for people, who are told how many", async () => {
    const asked = ["timeseries", "--days", "20"];
    for (const output of ["table", "markdown"]) {
      const { stdout } = await ask(7, [...asked, "--output", output]);
      expect(stdout.match(/\b2026-11-\d\d (?=[A-Z])/g)).toEqual(
        Array.from({ length: 8 }, (_, index) => `2026-11-${14 + index} `),
      );
      expect(spaced(stdout)).toContain("Not shown: the 12 days before the data.");
    }
    const { stdout, stderr } = await ask(7, [...asked, "--csv"]);
    expect(stdout.match(/^2026-/gm)).toHaveLength(20);
    expect(stderr).not.toContain("Not shown");
  });

  it("are no incomplete weeks", async () => {
    const { stdout, stderr } = await ask(7, [
      "timeseries",
      "--days",
      "60",
      "--by",
      "week",
      "--output",
      "table",
    ]);
    expect(spaced(stdout)).toMatch(/visitors page views 2026-11-09 /);
    expect(spaced(stdout)).toContain("Not shown: the 7 weeks before the data.");
    expect(stderr).not.toContain("(0 of 7 days)");
  });
});
