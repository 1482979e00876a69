import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHomeFolder } from "../support/child-process.js";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { IS_LONG, SEED } from "../support/seed.ts";
import { runShell } from "../support/shell.ts";

const PAGES = [
  "",
  "timeseries",
  "when",
  "compare",
  "not-found",
  "crawlers",
  "pages",
  "entry_pages",
  "referrers",
  "countries",
  "browsers",
  "conversions",
];
const PERIODS = [
  "",
  "yesterday",
  "last_7_days",
  "2026-10",
  "last_91_days",
  "2026-11-03/2026-11-12",
  "this_month",
];
const CONDITIONS = [
  "countries=DE",
  "countries!=US",
  "devices=mobile",
  "referrers=",
  "visit:pages=/plans",
  "pages=/docs*",
];
/** Its page and its commands have one history of the logs. */
const environment = { HOME: createHomeFolder() };

/** On these, days alone are asked for. */
const UNFILTERED = ["not-found", "crawlers"];

const state = (sites: readonly string[]) =>
  fc
    .record({
      site: fc.constantFrom(...sites),
      page: fc.constantFrom(...PAGES),
      period: fc.constantFrom(...PERIODS),
      filter: fc.subarray(CONDITIONS, { maxLength: 2 }),
    })
    .map(({ site, page, period, filter }) => {
      const search = new URLSearchParams([
        ...(period === "" ? [] : [["period", period]]),
        ...(page === "conversions" ? [["goal", "pages=/docs*"]] : []),
        ...(UNFILTERED.includes(page) ? [] : filter.map((condition) => ["filter", condition])),
      ]);
      return `${site}${page === "" ? "" : `/${page}`}?${search}`;
    });

/** The pages of `view` as a command line starts it, until `use` is done. */
async function withView(source: string[], use: (get: (address: string) => Promise<string>) => Promise<void>) {
  let end = () => {};
  const stop = new Promise<void>((resolve) => {
    end = resolve;
  });
  let ended: ReturnType<typeof runShell> | undefined;
  const base = await new Promise<string>((resolve) => {
    const argv = ["view", ...source, "--no-open", "--port", "0"];
    // With --site, it opens the page of the site.
    const onStdout = (text: string) => resolve(text.trim().replace(/example\.com$/, ""));
    ended = runShell(argv, { environment, clock: () => LOG_NOW, stop, onStdout });
  });
  try {
    await use(async (address) => (await fetch(`${base}${address}`)).text());
  } finally {
    end();
    expect((await ended)?.code).toBe(0);
  }
}

const readText = (markup: string) =>
  markup.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replaceAll("&amp;", "&");

/** The arguments of the command that a page shows. */
function readCommand(page: string): string[] {
  const [, command = ""] = /<code>(.*?)<\/code>/.exec(page) ?? [];
  const words = readText(command).match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  expect(words[0]).toBe("analytics-mcp");
  return words.slice(1).map((word) => word.replaceAll("'", ""));
}

/** Compares a page with what the command that it shows prints. Returns whether it has an answer. */
async function checkState(address: string, get: (address: string) => Promise<string>): Promise<boolean> {
  const page = await get(address);
  expect(await get(address)).toBe(page);
  // What the source refuses, such as a filter on countries that logs do not have, has its sentence.
  if (page.includes('role="alert"')) return false;
  const argv = readCommand(page);
  const run = async (flag: string) =>
    (await runShell([...argv, flag], { environment, clock: () => LOG_NOW })).stdout;
  const isReport = argv[0] === "overview";
  // Of a page of several lists, the file has more of them than the command.
  if (!isReport) expect(await get(`${address}&format=csv`)).toBe(`${(await run("--csv")).trimEnd()}\n`);
  const answer = JSON.parse(await run("--json"));
  const shown = isReport
    ? [answer.visitors, answer.pageviews]
    : argv[0] === "compare"
      ? [answer.current.visitors, answer.previous.visitors]
      : (answer.rows ?? answer.points ?? []).map(
          (row: Record<string, unknown>) => row.visitors ?? row.requests,
        );
  const text = readText(page.replaceAll(/<[^>]*>/g, " "));
  const isEmpty = /<p class="message"/.test(page);
  for (const number of shown) {
    // Without days before, a comparison is a sentence.
    if (isEmpty) expect([number, answer.previous?.visitors]).toContain(answer.previous ? null : 0);
    else expect([address, text]).toEqual([address, expect.stringContaining(count(number))]);
  }
  return true;
}
const count = (value: number) => new Intl.NumberFormat("en-US").format(value);

describe("a page of view has the numbers of the command that it shows", () => {
  const asked = (sites: readonly string[]) =>
    fc.sample(state(sites), { numRuns: IS_LONG ? 100 : 8, seed: SEED });

  it("of the demo", { timeout: 600_000 }, () =>
    withView(["--demo"], async (get) => {
      for (const address of asked(["example.com", "shop.example.net"]))
        expect([address, await checkState(address, get)]).toEqual([address, true]);
    }),
  );

  it("says that a search was of a part of a list alone", () =>
    withView(["--demo"], async (get) => {
      const searched = "Only the first 2 were searched.";
      expect(await get("example.com/pages?limit=2&search=docs")).toContain(searched);
      expect(await get("example.com/devices?limit=1000&search=a")).not.toContain("were searched");
    }));

  it("of logs", { timeout: 600_000 }, () => {
    const lines = Array.from({ length: 400 }, (_, index) =>
      combined({
        at: LOG_NOW - (400 - index) * 9_000_000,
        address: `192.0.2.${index % 50}`,
        target: ["/", "/docs/a", "/plans", "/docs/b", "/missing"][index % 5] ?? "/",
        status: index % 5 === 4 ? 404 : 200,
        referrer: index % 3 === 0 ? "https://www.google.com/" : "-",
      }),
    );
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const source = ["--logs", path("access.log"), "--site", "example.com", "--timezone", "UTC"];
    return withView(source, async (get) => {
      let answered = 0;
      for (const address of asked(["example.com"])) if (await checkState(address, get)) answered++;
      expect(answered).toBeGreaterThan(5);
    });
  });
});
