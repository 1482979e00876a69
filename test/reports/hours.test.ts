import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApi, NOW } from "../support/api.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { runShell } from "../support/shell.ts";

type Client = Awaited<ReturnType<typeof connectInProcess>>;

const SITE = { site: "example.com" };
const { api } = createTestApi();
/** The requests to a service, without the address. */
let asked: string[] = [];

/** The reference API, with some parameters missing from its OpenAPI document, and changes to what it understands. */
const openService = (hidden: readonly string[], understand: (url: URL) => void = () => {}) =>
  connectInProcess({
    fetch: async (address, init) => {
      const url = new URL(address);
      asked.push(`${url.pathname.replace("/api/v1", "")}${url.search}`);
      understand(url);
      const response = await api(new Request(url, init));
      return url.pathname.endsWith("/openapi.json") ? hideParameters(response, hidden) : response;
    },
  });

async function hideParameters(response: Response, hidden: readonly string[]) {
  const document = (await response.json()) as Description;
  for (const { get } of Object.values(document.paths))
    get.parameters = get.parameters.filter(({ name }) => !hidden.includes(name));
  return Response.json(document, response);
}

interface Description {
  paths: Record<string, { get: { parameters: { name: string }[] } }>;
}

const shell = (line: string) =>
  runShell(`timeseries example.com --demo ${line}`.split(" "), {
    environment: { NO_COLOR: "1", TZ: "UTC" },
    clock: () => NOW,
  });

describe("timeseries --by hour", () => {
  it.each([
    ["--by hour --period yesterday", { interval: "hour", period: "yesterday" }, 24],
    ["--by hour", { interval: "hour" }, 30],
    ["--by hour --days 1 --filter country=DE", { interval: "hour", days: 1, filter: ["country=DE"] }, 6],
    ["--by hour --from 2026-10-25 --to 2026-10-25", { interval: "hour", period: "2026-10-25" }, 25],
    ["--by week --days 14", { interval: "week", days: 14 }, 3],
    ["--by month --period 2026-Q3", { interval: "month", period: "2026-Q3" }, 3],
    ["--by day --days 3", { interval: "day", days: 3 }, 3],
  ])("%s prints what the tool answers, and the tool says how to print it", async (line, args, count) => {
    const client = await connectInProcess({ demo: true });
    const { structuredContent = {}, isError } = await client.callTool("get_timeseries", { ...SITE, ...args });
    await client.close();
    expect(isError).not.toBe(true);
    const { receipt, ...answer } = structuredContent as { receipt: { command: string }; points: object[] };
    const printed = JSON.parse((await shell(`${line} --json`)).stdout);
    expect(printed.points).toHaveLength(count);
    expect({ ...printed, points: printed.points.map(omitVisits) }).toEqual(answer);
    const [, ...words] = receipt.command.replaceAll("'", "").split(" ");
    expect(words).toContain("--by");
    const again = await runShell([...words, "--json"], { environment: { TZ: "UTC" }, clock: () => NOW });
    expect(JSON.parse(again.stdout)).toEqual(printed);
  });

  it("shows the hours of the clocks, and offsets where these change", async () => {
    const [first, second] = await Promise.all([
      shell("--by hour --period yesterday --output table"),
      shell("--by hour --period 2026-10-25 --output table"),
    ]);
    expect(first.stdout).toMatch(/^2026-11-20 23:00 /m);
    expect(second.stdout).toMatch(/^2026-10-25T02:00:00\+02:00 .*\n2026-10-25T02:00:00\+01:00 /m);
    expect(first.stderr).toContain("the visitors of hours do not add up");
  });

  it("has whole timestamps in data", async () => {
    const [header, row] = (await shell("--by hour --days 1 --csv")).stdout.split("\n");
    expect(header).toBe("time,visitors,pageviews,partial");
    expect(row).toMatch(/^2026-11-21T00:00:00\+01:00,\d+,\d+,$/);
  });

  it.each([
    ["--by hour --days 101", "--days must be from 1 to 100 by hour"],
    ["--by hour --period this_year", "--period covers 325 days, and hours are for at most 100."],
    ["--by hour --from 2026-08-01", "--from 2026-08-01 covers 113 days, and hours are for at most 100."],
  ])("%s is refused, and what can be asked is said", async (line, message) => {
    const { code, stdout, stderr } = await shell(line);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr).toContain("at most 100 days, such as yesterday or last_28_days");
  });
});

const omitVisits = ({ visits, bounces, visit_seconds, ...point }: Record<string, unknown>) => point;

it("a week of hours is cut to what a model can take, and both forms say so", async () => {
  const client = await connectInProcess({ demo: true });
  const result = await client.callTool("get_timeseries", {
    ...SITE,
    interval: "hour",
    period: "last_7_days",
  });
  await client.close();
  const { points } = result.structuredContent as { points: { time: string }[] };
  expect(points.length).toBeGreaterThan(120);
  expect(points.at(-1)?.time).toBe("2026-11-20T23:00:00+01:00");
  const until = points[0]?.time.slice(0, 10);
  expect(textOf(result)).toContain(
    `Only the last ${points.length} of 168 points are shown, to keep the answer short; those before them: period=2026-11-14/${until}.`,
  );
  expect(result.structuredContent).toMatchObject({ truncated: true });
});

describe("a service", () => {
  const ask = async (client: Client, args: object) => {
    asked = [];
    const result = await client.callTool("get_timeseries", { ...SITE, interval: "hour", ...args });
    return {
      isError: result.isError === true,
      text: textOf(result),
      points: result.structuredContent?.points,
    };
  };
  let whole: Client;
  beforeAll(async () => {
    whole = await openService([]);
  });
  afterAll(() => whole.close());

  it("without interval is never asked for hours, and days are answered", async () => {
    const client = await openService(["interval"]);
    for (const args of [{ days: 1 }, { period: "yesterday" }, {}]) {
      const { isError, text } = await ask(client, args);
      expect([isError, text]).toEqual([true, expect.stringContaining("this service only has days")]);
      expect(asked.filter((each) => each.includes("interval"))).toEqual([]);
    }
    expect((await ask(client, { interval: "day", days: 2 })).isError).toBe(false);
    expect((await ask(client, { interval: "week", days: 20 })).isError).toBe(false);
    await client.close();
  });

  it.each(["yesterday", "2026-11-16/2026-11-18", "2026-11-15"])(
    "without from and to answers for %s as one with them",
    async (period) => {
      const client = await openService(["from", "to"]);
      const { isError, points } = await ask(client, { period });
      await client.close();
      expect(asked.filter((each) => each.includes("from="))).toEqual([]);
      expect([isError, points]).toEqual([false, (await ask(whole, { period })).points]);
    },
  );

  it("without from and to has no hours of earlier days", async () => {
    const client = await openService(["from", "to"]);
    const { isError, text } = await ask(client, { period: "2026-08-01/2026-08-03" });
    await client.close();
    expect([isError, text]).toEqual([true, expect.stringContaining("must not begin before 2026-08-14")]);
  });

  it.each<[string, (url: URL) => void, RegExp]>([
    ["ignores the interval", (url) => url.searchParams.delete("interval"), /lacks "points\[0\]\.time"/],
    [
      "answers for other days",
      (url) => {
        if (url.searchParams.has("interval")) url.searchParams.set("days", "3");
      },
      /covers 3 days, not 2|begins on/,
    ],
    [
      "ignores the filter",
      (url) => {
        if (url.searchParams.has("interval")) url.searchParams.delete("filter");
      },
      /does not say that it is filtered/,
    ],
  ])("that %s is refused", async (_, understand, reason) => {
    const client = await openService([], understand);
    const { isError, text } = await ask(client, { days: 2, filter: ["country=DE"] });
    await client.close();
    expect([isError, text]).toEqual([true, expect.stringMatching(reason)]);
  });
});
