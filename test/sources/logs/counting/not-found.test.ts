import { describe, expect, it } from "vitest";
import { addFailed } from "../../../../src/sources/logs/counting/add-failed.ts";
import { countFailed } from "../../../../src/sources/logs/counting/failed-requests.ts";
import { MAX_VALUES } from "../../../../src/sources/logs/counting/limits.ts";
import { openDay } from "../../../../src/sources/logs/counting/open-day.ts";
import { numberSender } from "../../../../src/sources/logs/counting/senders.ts";
import { OTHER } from "../../../../src/sources/measure/definition.ts";
import {
  CHROME,
  combined,
  createLogFolder,
  joinLines,
  LOG_NOW,
  openTestLogs,
  type Request,
} from "../../../support/logs.ts";
import { createLogPlace } from "../log-place.ts";

const DAY = 86_400_000;
const GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const own = (path: string) => `https://www.example.com${path}`;
const gone = (rest: Request): Request => ({ status: 404, ...rest });

/** The dead links in some requests. */
async function find(
  requests: readonly Request[],
  flags = {},
  from = "2026-11-21",
  limit = 1_000,
  status?: "4xx" | "5xx",
) {
  const { path } = createLogFolder({ "access.log": joinLines(...requests.map(combined)) });
  const { source, findSite } = openTestLogs({ logs: [path("access.log")], ...flags });
  const found = await source.notFound?.(
    { site: await findSite(), from, to: "2026-11-21", now: LOG_NOW },
    limit,
    undefined,
    status,
  );
  if (found === undefined) throw new Error("Logs do not know dead links.");
  return found;
}

const page = { target: "/" };

describe("what was not found in a log", () => {
  it("is what people asked for by GET and was answered 404 or 410, page views or not", async () => {
    const { rows, totalRequests, excluded } = await find([
      page,
      gone({ target: "/a" }),
      gone({ target: "/a", status: 410, address: "198.51.100.7" }),
      gone({ target: "/a", agent: CHROME }),
      gone({ target: "/missing.png" }),
      gone({ target: "/a", method: "HEAD" }),
      gone({ target: "/a", method: "POST" }),
      ...[200, 301, 400, 401, 403, 405, 429, 500].map((status) => ({ target: "/a", status })),
      gone({ target: "/a", agent: GPTBOT }),
      gone({ target: "/a", agent: GPTBOT, method: "HEAD" }),
      gone({ target: "/favicon.ico", agent: "-" }),
      gone({ target: "/b", agent: "-" }),
    ]);
    expect(rows.map(({ value, requests, visitors }) => [value, requests, visitors])).toEqual([
      ["/a", 3, 3],
      ["/missing.png", 1, 1],
    ]);
    expect(totalRequests).toBe(4);
    expect(excluded).toEqual({ bots: 2, scanners: 0 });
  });

  it("is not what scanners ask for that view no page, unless an old link can lead there", async () => {
    const google = "https://www.google.com/";
    const targets = ["/.env", "/wp-login.php", "/wp-admin/setup.php", "/old.aspx", "/info.php", "/data.zip"];
    const { rows, excluded } = await find([
      page,
      gone({ target: "/xmlrpc.php" }),
      ...targets.map((target, n) => gone({ target, referrer: google, address: `198.51.100.${n}` })),
    ]);
    expect(rows.map(({ value }) => value)).toEqual(["/data.zip", "/info.php", "/old.aspx", "/xmlrpc.php"]);
    expect(excluded.scanners).toBe(3);
    const served = [
      page,
      { target: "/wp-login.php" },
      gone({ target: "/wp-login.php", address: "198.51.100.1" }),
    ];
    expect((await find(served)).excluded.scanners).toBe(0);
  });

  it("is, with 5xx, what the server failed to answer, whoever asked but bots", async () => {
    const failed = (rest: Request): Request => ({ status: 500, ...rest });
    const scanner = "198.51.100.99";
    const requests = [
      page,
      failed({ target: "/a", referrer: own("/") }),
      failed({ target: "/a", status: 503, address: "198.51.100.7" }),
      failed({ target: "/a", agent: GPTBOT }),
      failed({ target: "/a", method: "POST" }),
      failed({ target: "/favicon.ico" }),
      failed({ target: "/b", address: scanner }),
      gone({ target: "/a" }),
      ...Array.from({ length: 30 }, (_, index) => gone({ target: `/x${index}`, address: scanner })),
    ];
    const { rows, excluded } = await find(requests, {}, "2026-11-21", 1_000, "5xx");
    expect(rows).toEqual([
      {
        value: "/a",
        requests: 2,
        visitors: 2,
        referrers: [{ value: "/", internal: true, requests: 1 }],
      },
      { value: "/b", requests: 1, visitors: 1, referrers: [] },
    ]);
    expect(excluded).toEqual({ bots: 1, scanners: 0 });
    expect((await find(requests)).rows).toMatchObject([{ value: "/a", requests: 1 }]);
  });

  it("is nothing that browsers ask for by themselves", async () => {
    const paths = ["/favicon.ico?v=2", "/apple-touch-icon-120x120.png", "/.well-known/security.txt"];
    const { rows } = await find([
      page,
      ...paths.map((target) => gone({ target })),
      gone({ target: "/favicon.png" }),
    ]);
    expect(rows.map(({ value }) => value)).toEqual(["/favicon.png"]);
  });

  it("names the pages that led there: the site's own by their path, others by their host", async () => {
    const from = (referrer: string, at = 0) => gone({ target: "/dead", referrer, at: LOG_NOW - 60_000 - at });
    const { rows } = await find([
      page,
      from(own("/blog/a?utm_source=x#top")),
      from("https://example.com:443/blog/a"),
      from("http://example.com/caf%C3%A9"),
      from("https://www.google.de/search?q=secret"),
      from("https://www.google.com/"),
      from("https://google.co.uk/"),
      from("https://blog.example.org/x"),
      from("about:blank"),
      from("-"),
    ]);
    expect(rows).toEqual([
      {
        value: "/dead",
        requests: 9,
        visitors: 1,
        referrers: [
          { value: "google.com", internal: false, requests: 3 },
          { value: "/blog/a", internal: true, requests: 2 },
          { value: "/café", internal: true, requests: 1 },
        ],
      },
    ]);
  });

  it.each([
    ["https://example.com", "/"],
    ["https://example.com?x=/y", "/"],
    ["https://user@example.com/a", "/a"],
    [own("/u/01234567-89ab-cdef-0123-456789abcdef"), "/u/:token"],
    [own("//evil.example/a"), "//evil.example/a"],
  ])("reads the page of %s", async (referrer, value) => {
    const { rows } = await find([page, gone({ target: "/dead", referrer })]);
    expect(rows[0]?.referrers).toEqual([{ value, internal: true, requests: 1 }]);
  });

  it("has paths as pages have them, with the parameters that are part of a page", async () => {
    const requests = [page, gone({ target: "/s%C3%BC%C3%9F?q=a&token=b", referrer: own("/find?q=c&d=e") })];
    expect((await find(requests)).rows[0]).toMatchObject({ value: "/süß", referrers: [{ value: "/find" }] });
    expect((await find(requests, { keepQuery: ["q"] })).rows[0]).toMatchObject({
      value: "/süß?q=a",
      referrers: [{ value: "/find?q=c" }],
    });
  });

  it.each([
    ["/a%09b%0Ac", "/a%09b%0Ac"],
    ["/a%e2%80%8bb", "/a%E2%80%8Bb"],
    ["/%D9%85%DB%8C%E2%80%8C%D8%AE%D9%88%D8%A7%D9%87%D9%85", "/می\u200cخواهم"],
  ])("keeps what nobody would see in a path encoded: %s", async (target, value) => {
    expect((await find([page, gone({ target })])).rows).toMatchObject([{ value }]);
  });

  it("leaves out scanners, who are known when the day is counted", async () => {
    const scan = Array.from({ length: 25 }, (_, index) =>
      gone({ target: `/guess/${index}`, address: "203.0.113.66" }),
    );
    const { rows, excluded } = await find([page, ...scan, gone({ target: "/guess/1" })]);
    expect(rows.map(({ value, requests }) => [value, requests])).toEqual([["/guess/1", 1]]);
    expect(excluded).toEqual({ bots: 0, scanners: 25 });
  });

  it("leaves out what the options leave out", async () => {
    const requests = [page, gone({ target: "/admin/x" }), gone({ target: "/y", address: "198.51.100.9" })];
    const { rows } = await find(requests, { excludePath: ["/admin/**"], excludeAddress: ["198.51.100.9"] });
    expect(rows).toEqual([]);
  });

  it("adds up over days, with all referrers of each day", async () => {
    const at = (days: number) => LOG_NOW - 60_000 - days * DAY;
    // Each day has three hosts that are more frequent than the one that is on every day.
    const requests = [0, 1, 2].flatMap((days) => [
      { at: at(days) },
      ...["a", "b", "c"].flatMap((name) =>
        [1, 2].map(() => gone({ at: at(days), target: "/x", referrer: `https://${name}${days}.example/` })),
      ),
      gone({ at: at(days), target: "/x", referrer: "https://every.example/" }),
    ]);
    const { rows } = await find(requests, {}, "2026-11-19");
    expect(rows[0]).toMatchObject({ requests: 21, visitors: 3 });
    expect(rows[0]?.referrers[0]).toEqual({ value: "every.example", internal: false, requests: 3 });
  });

  it("ranks by requests, then by value", async () => {
    const { rows, totalRows } = await find(
      [page, ...["/b", "/c", "/a", "/c"].map((target) => gone({ target }))],
      {},
      "2026-11-21",
      2,
    );
    expect([rows.map(({ value }) => value), totalRows]).toEqual([["/c", "/a"], 3]);
  });
});

describe("what the history keeps of it", () => {
  const makeLines = (at: number, count: number) =>
    Array.from({ length: count }, (_, index) =>
      combined({
        at: at + index * 1_000,
        address: `198.51.100.${index % 7}`,
        status: index % 3 === 0 ? 200 : 404,
        target: `/p${index % 5}`,
        referrer: index % 2 === 0 ? own(`/from${index % 4}`) : "-",
      }),
    );

  it("is the same however often the program starts, and when the log is gone", async () => {
    const place = createLogPlace();
    place.clock.now = LOG_NOW;
    const lines = makeLines(LOG_NOW - 2 * 3_600_000, 60);
    const ask = async (withHistory = true) => {
      const source = await place.open({}, withHistory);
      const [site] = await source.sites();
      if (site === undefined) throw new Error("There is no site.");
      return source.notFound?.({ site, from: "2026-11-20", to: "2026-11-21", now: place.clock.now }, 100);
    };
    for (const cut of [20, 21, 60]) {
      place.write("access.log", lines.slice(0, cut));
      expect(await ask()).toEqual(await ask(false));
    }
    const expected = await ask(false);
    expect(expected).toMatchObject({ totalRows: 5, totalRequests: 40 });
    place.clock.now = LOG_NOW + 3 * DAY;
    expect(await ask()).toEqual(expected);
    place.write("access.log", []);
    expect(await ask()).toEqual(expected);
    place.remove();
  });
});

describe("a flood", () => {
  it("by one sender folds the paths beyond a fifth of their share", async () => {
    const flood = Array.from({ length: 2_500 }, (_, index) => gone({ target: `/${index}` }));
    // Without enough page views, the sender would be a scanner.
    const views = Array.from({ length: 700 }, () => page);
    const { rows, totalRequests, folded } = await find(
      [...views, ...flood],
      { acceptProxyAddresses: true },
      "2026-11-21",
      5_000,
    );
    expect(totalRequests).toBe(2_500);
    expect(folded).toBe(true);
    const others = rows.filter(({ other }) => other);
    expect(others).toEqual([
      { value: null, other: true, requests: 2_500 - (rows.length - 1), visitors: 1, referrers: [] },
    ]);
    expect(rows.length).toBeGreaterThan(850);
    expect(rows.length).toBeLessThan(900);
  });

  it("by many senders keeps no more links than the bytes of a day allow, and counts what it folds", () => {
    const day = openDay("2026-11-21", 0, 86_400);
    const context = { domain: "example.com", rawHost: undefined, keepQuery: [] };
    const line = combinedFields();
    const ask = (sender: number, path: string, referrer: string) => {
      const group = `sender-${sender}`;
      const number = numberSender(day, { group, agent: 1 }, () => 0);
      addFailed(day, "notFound", number, { ...line, referrer }, { path, query: "" }, context);
    };
    for (let index = 0; index < MAX_VALUES + 5_000; index++) {
      ask(Math.floor(index / 1_000), "/dead", `https://h${index}.example/`);
    }
    ask(999, "/dead", "https://new.example/");
    ask(999, "/other", "https://new.example/");
    expect(day.notFound.links.size).toBeLessThan(MAX_VALUES / 2);
    const counts = countFailed(day.notFound, new Set());
    expect(counts.paths).toEqual(["/dead", OTHER]);
    const [kept = 0, folded = 0] = counts.requests;
    expect([kept > 20_000, kept + folded]).toEqual([true, MAX_VALUES + 5_002]);
    expect(counts.referrers.values).not.toContain("new.example");
  });
});

function combinedFields() {
  return {
    time: 60,
    address: "192.0.2.1",
    method: "GET",
    target: "/",
    status: 404,
    referrer: undefined as string | undefined,
    agent: CHROME,
  };
}
