import { describe, expect, it } from "vitest";
import { dryRun } from "../../../../src/sources/logs/command/dry-run.ts";
import { readLogSettings } from "../../../../src/sources/logs/open.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../../support/logs.ts";

const NAMED = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const requests = [
  { agent: NAMED, target: "/a" },
  { agent: "python-requests/2.32.3", target: "/a" },
  { agent: "python-requests/2.32.3", target: "/a", status: 404 },
  { agent: "curl/8.5.0", target: "/b" },
  { agent: "-", target: "/c", at: LOG_NOW - 30_000 },
  { agent: "SomeUnknownBot/1.0", target: "/a", at: LOG_NOW - 86_400_000 },
  {},
];

describe("bots without a known name", () => {
  const { path } = createLogFolder({ "access.log": joinLines(...requests.map((each) => combined(each))) });
  const flags = { logs: [path("access.log")], site: ["example.com"] };

  it("are a row without a value, and in the total", async () => {
    const { source, findSite } = openTestLogs(flags);
    const span = { site: await findSite(), from: "2026-11-20", to: "2026-11-21", now: LOG_NOW };
    const found = await source.crawlers?.(span, 10);
    expect(found).toMatchObject({ totalRows: 2, totalRequests: 6 });
    expect(found?.rows).toEqual([
      {
        value: null,
        label: "(scripts, tools and other bots)",
        operator: null,
        purpose: "other",
        requests: 5,
        // /a, /b and /c on one day, /a on the other.
        pages: 4,
        errors: 1,
        lastSeen: LOG_NOW - 30_000 - (LOG_NOW % 1000),
      },
      expect.objectContaining({ value: "GPTBot", requests: 1, pages: 1 }),
    ]);
  });

  it("add up to the lines of bots", async () => {
    const { source, findSite } = openTestLogs(flags);
    const span = { site: await findSite(), from: "2026-11-20", to: "2026-11-21", now: LOG_NOW };
    const { outcomes } = await dryRun(readLogSettings(flags), () => LOG_NOW);
    const bots = outcomes.find(({ outcome }) => outcome === "bot")?.lines;
    expect((await source.crawlers?.(span, 1))?.totalRequests).toBe(bots);
  });
});
