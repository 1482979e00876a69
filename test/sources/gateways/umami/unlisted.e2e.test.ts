import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selectSites } from "../../../../src/config/site-patterns.ts";
import { sites } from "../../../../src/operations/index.ts";
import { hideFaults } from "../../../../src/sources/hidden-faults.ts";
import { createCall } from "../../../../src/sources/local-call.ts";
import { shareService } from "../../../../src/sources/shared-service.ts";
import { send } from "../../../support/faulty-server.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { createHome } from "../../../support/profiles.ts";
import { runShell } from "../../../support/shell.ts";
import { nameEmpty, RECORDED, readRecordings, startReplay } from "../../../support/umami-replay.ts";

const REASON = "Umami does not say in which timezone the days of docs.example.com begin.";
const OPTION = "--site-timezones docs.example.com=Europe/Berlin";

describe("a website of which nobody gave the timezone", () => {
  let umami: Awaited<ReturnType<typeof startReplay>>;
  let environment: Record<string, string>;
  beforeAll(async () => {
    // Days without visits.
    umami = await startReplay(readRecordings(), (response, name) => {
      const empty = nameEmpty(name);
      if (empty !== undefined)
        send(response, 200, { "content-type": "application/json" }, JSON.stringify(empty));
      return empty !== undefined;
    });
    environment = {
      ...createHome(),
      ANALYTICS_SERVICE: "umami",
      ANALYTICS_BASE_URL: umami.url,
      ANALYTICS_API_KEY: RECORDED.reader,
      ANALYTICS_SITE_TIMEZONES: "example.com=Europe/Berlin",
    };
  });
  afterAll(() => umami.close());

  const shell = async (argv: string, more: Record<string, string> = {}) => {
    const options = { environment: { ...environment, ...more }, clock: () => LOG_NOW };
    const { code, stdout, stderr } = await runShell(argv.split(" "), options);
    return { code, stdout, stderr: stderr.replaceAll(/\s+/g, " ") };
  };

  it("is named beside the list of the others, with the option", async () => {
    const { code, stdout, stderr } = await shell("sites");
    expect([code, stdout.split("\n").map((line) => line.split("\t")[0])]).toEqual([
      0,
      ["domain", "example.com", ""],
    ]);
    expect(stderr).toContain(`docs.example.com is not listed: ${REASON}`);
    expect(stderr).toContain(OPTION);
    expect(JSON.parse((await shell("sites --json")).stdout)).toMatchObject({
      sites: [{ domain: "example.com" }],
      warnings: [{ code: "not_listed", values: { site: "docs.example.com" } }],
    });
    expect((await shell("sites --period 2026-11-02")).stderr).toContain(REASON);
  });

  it("keeps nobody from asking about the others", async () => {
    expect((await shell("stats --days 1 --site example.com")).code).toBe(0);
    const { code, stderr } = await shell("stats --days 1 --site docs.example.com");
    expect([code, stderr]).toEqual([2, expect.stringContaining(REASON)]);
    expect(stderr).toContain(OPTION);
  });

  it("is a warning of the doctor", async () => {
    const { checks } = JSON.parse((await shell("doctor --json")).stdout);
    expect(checks.find(({ check }: { check: string }) => check === "sites")).toMatchObject({
      status: "warning",
      detail: "example.com",
      fix: expect.stringContaining(OPTION),
    });
  });

  it("cannot become the default site", async () => {
    const { code, stderr } = await runShell(
      [
        "login",
        "--base-url",
        umami.url,
        "--service",
        "umami",
        "--api-key-stdin",
        "--site",
        "docs.example.com",
      ],
      { environment, stdin: RECORDED.reader },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining("docs.example.com is not listed:")]);
  });

  it("is the error if there is no other", async () => {
    const { code, stderr } = await shell("sites", { ANALYTICS_SITE_TIMEZONES: "shop.example=UTC" });
    expect([code, stderr]).toEqual([2, expect.stringContaining("Umami does not say in which timezone")]);
  });

  it("is named only to those who may see it, and what to do only to the operator", async () => {
    const kind = shareService("umami", process.stdin);
    const open = await kind.openViews?.({ flags: {}, environment, clock: () => LOG_NOW, warn: () => {} });
    const reports: string[] = [];
    const list = async (...patterns: string[]) => {
      const source = open?.(selectSites(patterns));
      if (source === undefined) throw new Error("It cannot be shared.");
      const hidden = hideFaults(source, (text) => reports.push(text));
      return createCall(
        () => hidden,
        () => LOG_NOW,
      )(sites, {});
    };
    expect(await list("example.com")).not.toHaveProperty("warnings");
    expect((await list("*")).warnings).toEqual([
      {
        code: "not_listed",
        detail: expect.stringMatching(
          /^docs\.example\.com is not listed: The service cannot read its data\./,
        ),
        values: { site: "docs.example.com" },
      },
    ]);
    expect(reports).toEqual([expect.stringContaining(OPTION)]);
    await expect(list("docs.example.com")).rejects.toMatchObject({ code: "internal_error" });
  });
});
