import { describe, expect, it } from "vitest";
import type { SourceFlags } from "../../../../src/sources/source-types.ts";
import {
  CHROME,
  combined,
  createLogFolder,
  FIREFOX,
  joinLines,
  LOG_NOW,
  openTestLogs,
  type Request,
} from "../../../support/logs.ts";

/** Opens a log of these requests. */
function openRequests(requests: readonly Request[], flags: SourceFlags = {}) {
  const { path } = createLogFolder({ "access.log": joinLines(...requests.map(combined)) });
  return openTestLogs({ logs: [path("access.log")], ...flags });
}

/** What became of each of these targets, requested by one visitor with a page view. */
async function judge(targets: readonly Request[], flags: SourceFlags = {}) {
  const logs = openRequests(targets, flags);
  await logs.source.sites().catch(() => {});
  return logs.outcomes();
}

describe("what a request counts as", () => {
  it.each<[Request, string]>([
    [{ target: "/" }, "page_view"],
    [{ target: "/about" }, "page_view"],
    [{ target: "/blog/post.html?utm_source=x" }, "page_view"],
    [{ target: "/index.php?id=7" }, "page_view"],
    [{ target: "/v1.2/notes" }, "page_view"],
    [{ target: "/caf%C3%A9" }, "page_view"],
    [{ target: "/", status: 304 }, "page_view"],
    [{ target: "/app.css?v=3" }, "static"],
    [{ target: "/LOGO.PNG" }, "static"],
    [{ target: "/robots.txt" }, "static"],
    [{ target: "/fonts/a.woff2" }, "static"],
    [{ target: "/feed" }, "feed"],
    [{ target: "/blog/feed/" }, "feed"],
    [{ target: "/atom.xml" }, "feed"],
    [{ target: "/news.rss" }, "feed"],
    [{ target: "/feedback" }, "page_view"],
    [{ target: "/?feed=rss2" }, "feed"],
    [{ target: "/blog/tags/x?a=1&flav=atom" }, "feed"],
    [{ target: "/?type=rsstuff" }, "page_view"],
    [{ target: "/report.pdf" }, "download"],
    [{ target: "/report.pdf?v=1" }, "download"],
    [{ target: "/report.pdf", status: 206 }, "redirect"],
    [{ target: "/dist/app-1.2.tar.gz" }, "download"],
    [{ target: "/_next/data/x/about.json" }, "static"],
    [{ target: "/_next/data/x/about" }, "data"],
    [{ target: "/about?_rsc=1a2b" }, "data"],
    [{ target: "/blog/__data.json" }, "static"],
    [{ target: "/.well-known/change-password" }, "data"],
    [{ target: "/cdn-cgi/trace" }, "data"],
    [{ target: "/old", status: 301 }, "redirect"],
    [{ target: "/", status: 204 }, "redirect"],
    [{ target: "/gone", status: 404 }, "not_found"],
    [{ target: "/style.css", status: 404 }, "not_found"],
    [{ target: "/private", status: 401 }, "not_found"],
    [{ target: "/", status: 502 }, "server_error"],
    [{ target: "/", method: "HEAD" }, "method"],
    [{ target: "/form", method: "POST" }, "method"],
    [{ target: "/", agent: "Googlebot/2.1 (+http://www.google.com/bot.html)" }, "bot"],
    [{ target: "/", agent: "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)" }, "bot"],
    [{ target: "/", agent: "curl/8.5.0" }, "bot"],
    [{ target: "/", agent: "-" }, "bot"],
    [{ target: "/", agent: "" }, "bot"],
    [{ target: "https://example.com/a" }, "page_view"],
    [{ target: "https://example.com/a" }, "page_view"],
    [{ target: "http://www.example.com:80/a" }, "page_view"],
    [{ target: "https://elsewhere.example/a" }, "other_host"],
    [{ target: "/film.MKV" }, "static"],
    [{ target: "/game.swf" }, "static"],
    [{ target: "/clip.flv?x=1" }, "static"],
    [{ target: "/photo.heic" }, "static"],
    [{ target: "/logo.psd" }, "static"],
    [{ target: "/film.en.srt" }, "static"],
    [{ target: "/tools/character.ai" }, "page_view"],
  ])("%j: %s", async (request, outcome) => {
    expect(await judge([request])).toEqual({ [outcome]: 1 });
  });

  it("counts pages by decoded paths without queries and secrets", async () => {
    const targets = [
      "/caf%C3%A9?a=1",
      "/caf%C3%A9?b=2",
      "/%E4",
      "/reset/4f9c1a7be02d4c51a7be02d4c51aff00",
      "/invite/7f3b9c1e-2d4a-4f6b-8c0d-1e2f3a4b5c6d",
      "/t/eyJhbGciOiJIUzI1NiJ9eyJzdWIiOiIxMjM0NTY3ODkwIn0",
      "/why-we-moved-from-one-database-to-another-in-2026",
      "/a/VeryLongWordsInCamelCaseWithoutDigits",
      "/one%2Ftwo",
    ];
    const logs = openRequests(targets.map((target) => ({ target })));
    expect((await logs.rows("pages")).map(([value, , hits]) => [value, hits])).toEqual([
      ["/café", 2],
      ["/%E4", 1],
      ["/a/VeryLongWordsInCamelCaseWithoutDigits", 1],
      ["/invite/:token", 1],
      ["/one%2Ftwo", 1],
      ["/reset/:token", 1],
      ["/t/:token", 1],
      ["/why-we-moved-from-one-database-to-another-in-2026", 1],
    ]);
  });

  it("leaves out what the options name", async () => {
    const requests: Request[] = [
      { target: "/" },
      { target: "/admin" },
      { target: "/admin/users" },
      { target: "/gr%C3%B6%C3%9Fe/x" },
      { target: "/", address: "203.0.113.7" },
      { target: "/", address: "10.1.2.3" },
      { target: "/", address: "2001:db8:1::5" },
    ];
    const options = {
      excludePath: ["/admin", "/admin/**", "/größe/*"],
      excludeAddress: ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32"],
    };
    const logs = openRequests(requests, options);
    expect(await logs.rows("pages")).toEqual([["/", 1, 1]]);
    expect(await logs.count()).toMatchObject({ visitors: 1, pageviews: 1 });
    // Paths are left out when days are asked about.
    expect(await judge(requests, options)).toEqual({ page_view: 4, excluded: 3 });
  });

  it("keeps the parameters that --keep-query names, in its order", async () => {
    const logs = openRequests(
      [{ target: "/search?q=a&page=2&x=1" }, { target: "/search?page=2&q=a" }, { target: "/search" }],
      { keepQuery: ["q", "page"] },
    );
    expect(await logs.rows("pages")).toEqual([
      ["/search?q=a&page=2", 1, 2],
      ["/search", 1, 1],
    ]);
  });
});

describe("who is a visitor", () => {
  it("is one for each address and user agent on a day, with IPv6 by /64", async () => {
    const logs = openRequests([
      {},
      { target: "/b" },
      { agent: CHROME },
      { address: "192.0.2.2" },
      { address: "2001:db8:1:2::1" },
      { address: "2001:0db8:0001:0002:ffff::9" },
      { address: "2001:db8:1:3::1" },
      { address: "::ffff:192.0.2.2" },
      { address: "::ffff:c000:202" },
      { address: "::ffff:c000:203" },
      { at: "2026-11-20T10:00:00Z" },
    ]);
    expect(await logs.count()).toEqual({ visitors: 6, pageviews: 10, events: 0 });
    expect(await logs.count("2026-11-20", "2026-11-21")).toMatchObject({ visitors: 7 });
  });

  it("needs a page view: downloads alone are no visitor, and no event", async () => {
    const logs = openRequests([
      { target: "/a.pdf" },
      { target: "/a.pdf", address: "192.0.2.2" },
      { address: "192.0.2.2" },
    ]);
    expect(await logs.count()).toEqual({ visitors: 1, pageviews: 1, events: 1 });
    expect(await logs.rows("events")).toEqual([["File Download", 1, 1]]);
  });

  it("is active with a page view or, who viewed one today, a download in the last five minutes", async () => {
    const logs = openRequests([
      { at: LOG_NOW - 3_600_000, address: "192.0.2.6" },
      { at: LOG_NOW - 300_000 },
      { at: LOG_NOW - 299_000, address: "192.0.2.2" },
      { at: LOG_NOW, address: "192.0.2.3" },
      { at: LOG_NOW, address: "192.0.2.4", target: "/a.pdf" },
      { at: LOG_NOW, address: "192.0.2.6", target: "/a.pdf" },
      { at: LOG_NOW + 1000, address: "192.0.2.5" },
      { at: LOG_NOW + 1000, address: "192.0.2.4" },
    ]);
    expect(await logs.active()).toBe(3);
  });

  it("is not active if a scanner, by the whole day so far, unless the address is a proxy", async () => {
    const early = LOG_NOW - 7_200_000;
    const scan = (address: string) =>
      ["/.env", "/.git/config", "/wp-login.php"].map((target) => ({
        at: early,
        address,
        target,
        status: 404,
      }));
    const logs = openRequests([
      ...scan("192.0.2.8"),
      ...scan("192.0.2.9"),
      ...[FIREFOX, CHROME].map((agent) => ({ at: early, address: "192.0.2.9", agent })),
      { at: LOG_NOW - 60_000 },
      { at: LOG_NOW - 60_000, address: "192.0.2.8" },
      { at: LOG_NOW - 60_000, address: "192.0.2.9" },
    ]);
    expect(await logs.active()).toBe(2);
    expect(await logs.count()).toMatchObject({ visitors: 3 });
  });

  it.each([
    ["no trust", undefined, "10.0.0.9", 1],
    ["the address that one proxy added", "1", "203.0.113.1, 198.51.100.2", 2],
    ["the one before it", "2", "203.0.113.1, 198.51.100.2", 2],
  ])("with X-Forwarded-For: %s", async (_, hops, first, visitors) => {
    const line = (forwarded: string) => `${combined({ address: "10.0.0.9" })} "${forwarded}"`;
    const { path } = createLogFolder({
      "access.log": joinLines(
        line(first),
        line("203.0.113.2, 198.51.100.3"),
        line("203.0.113.2, 198.51.100.3"),
      ),
    });
    const logs = openTestLogs({ logs: [path("access.log")], ...(hops && { trustForwarded: hops }) });
    expect(await logs.count()).toMatchObject({ visitors, pageviews: 3 });
  });

  it("says that --trust-forwarded has no effect on a log without X-Forwarded-For", async () => {
    const warnOf = async (line: string) => {
      const { path } = createLogFolder({ "access.log": joinLines(line) });
      return openTestLogs({ logs: [path("access.log")], trustForwarded: "1" }).warnings();
    };
    expect(await warnOf(combined())).toContain("no_forwarded");
    expect(await warnOf(`${combined()} "203.0.113.1"`)).not.toContain("no_forwarded");
  });

  it.each([
    ["1", "spoofed, 198.51.100.2", "198.51.100.2"],
    ["1", "203.0.113.1, 198.51.100.2:443", "198.51.100.2"],
    ["1", "203.0.113.1, [2001:db8::5]:443", "2001:db8::5"],
    ["2", "198.51.100.2", "198.51.100.2"],
    ["1", "unknown", "10.0.0.9"],
  ])("%s hops of %s: %s", async (hops, forwarded, address) => {
    const { path } = createLogFolder({
      "access.log": joinLines(`${combined({ address: "10.0.0.9" })} "${forwarded}"`),
    });
    const count = async (excludeAddress: string) => {
      const logs = openTestLogs({
        logs: [path("access.log")],
        trustForwarded: hops,
        excludeAddress: [excludeAddress],
      });
      return logs.count();
    };
    expect(await count(address)).toMatchObject({ pageviews: 0 });
    expect(await count("192.0.2.99")).toMatchObject({ pageviews: 1 });
  });
});

const probes = ["/.env", "/wp-login.php", "/.git/config"];
const times = <T>(count: number, create: (index: number) => T) =>
  Array.from({ length: count }, (_, n) => create(n));

describe("scanners", () => {
  it.each([
    ["two probes are not enough", probes.slice(0, 2), 404, 1],
    ["three probes", probes, 404, 0],
    ["three probes that are there", probes, 200, 4],
    ["one probe three times", ["/.env", "/.env", "/.env"], 403, 0],
    ["16 of 20 requests answered 4xx", times(16, (n) => `/x${n}`), 404, 0],
    ["15 of 20 requests answered 4xx", times(15, (n) => `/x${n}`), 404, 5],
  ])("%s", async (_, paths, status, pageviews) => {
    const asked = paths.map((target) => ({ target, status }));
    const views = paths.length < 10 ? [{}] : times(20 - paths.length, () => ({}));
    const logs = openRequests([...views, ...asked]);
    expect(await logs.count()).toMatchObject({ pageviews });
  });

  it("are told by address and user agent: a neighbour with another browser counts", async () => {
    const others = times(39, (n) => ({ address: `198.51.100.${n}`, agent: CHROME }));
    const scan = probes.map((target) => ({ target, status: 404 }));
    const logs = openRequests([{}, { agent: CHROME }, ...scan, ...others]);
    expect(await logs.rows("browsers")).toEqual([["Chrome", 40, 40]]);
  });

  it("are none behind an address with more than 5% of the visitors", async () => {
    const others = (count: number) => times(count, (n) => ({ address: `198.51.100.${n}` }));
    const scan = probes.map((target) => ({ target, status: 404 }));
    // Two of 41, then two of 39.
    const few = openRequests([{}, { agent: CHROME }, ...scan, ...others(39)]);
    expect(await few.count()).toMatchObject({ visitors: 40 });
    const many = openRequests([{}, { agent: CHROME }, ...scan, ...others(37)]);
    expect(await many.count()).toMatchObject({ visitors: 39 });
  });

  it("stop counting when the probes come after the answer about their page view", async () => {
    const { path, write } = createLogFolder({ "access.log": joinLines(combined()) });
    const logs = openTestLogs({ logs: [path("access.log")] });
    expect(await logs.count()).toMatchObject({ visitors: 1 });
    write("access.log", joinLines(combined(), ...probes.map((target) => combined({ target, status: 404 }))));
    expect(await logs.count()).toMatchObject({ visitors: 0 });
  });
});

describe("a proxy in front of the server", () => {
  const views = (addresses: readonly string[], count: number) =>
    times(count, (n) => ({ address: addresses[n % addresses.length] ?? "", target: `/${n}` }));
  const spread = (count: number, prefix: string) => times(count, (n) => `${prefix}${n + 1}`);

  it.each([
    ["999 page views of three addresses", views(spread(3, "192.0.2."), 999), "refused"],
    ["200 page views of three addresses", views(spread(3, "192.0.2."), 200), "refused"],
    ["199 page views of three addresses", views(spread(3, "192.0.2."), 199), "warned"],
    ["50 page views of three addresses", views(spread(3, "192.0.2."), 50), "warned"],
    ["49 page views of three addresses", views(spread(3, "192.0.2."), 49), "counted"],
    ["1000 page views of four addresses", views(spread(4, "192.0.2."), 1000), "counted"],
    ["50 page views of a private address", views(["10.1.2.3"], 50), "refused"],
    ["50 page views of this machine", views(["127.0.0.1", "::1"], 50), "refused"],
    ["49 page views of a private address", views(["fd12:3456::7"], 49), "warned"],
    ["9 page views of a private address", views(["192.168.1.1"], 9), "counted"],
    ["200 page views of an intranet", views(spread(10, "10.0.0."), 200), "counted"],
    ["50 page views of a network that passes them on", views(spread(25, "172.68.10."), 50), "refused"],
    [
      "the same in IPv6",
      views(
        spread(9, "2606:4700:10::").map((each) => `${each}`),
        50,
      ),
      "refused",
    ],
    [
      "page views of a private address, and a quarter of others",
      [...views(["10.0.0.1"], 60), ...views(spread(20, "192.0.2."), 20)],
      "counted",
    ],
    [
      "mostly one private address",
      [...views(["10.0.0.1"], 60), ...views(spread(15, "192.0.2."), 15)],
      "refused",
    ],
  ])("%s", async (_, requests, expected) => {
    const logs = openRequests(requests);
    if (expected === "refused") {
      await expect(logs.count()).rejects.toThrow("Visitors cannot be counted on 2026-11-21");
      return;
    }
    expect((await logs.count()).pageviews).toBe(requests.length);
    expect((await logs.warnings()).includes("maybe_proxied")).toBe(expected === "warned");
  });

  it("is not suspected if somebody accepts it", async () => {
    const logs = openRequests(views(["192.0.2.1"], 199), { acceptProxyAddresses: true });
    expect(await logs.warnings()).not.toContain("maybe_proxied");
  });

  it("is accepted if somebody says so", async () => {
    const logs = openRequests(views(spread(3, "10.0.0."), 1000), { acceptProxyAddresses: true });
    expect(await logs.count()).toMatchObject({ visitors: 3, pageviews: 1000 });
  });
});

describe("where visits come from", () => {
  it.each<[target: string, referrer: string, channel: string, value: string | null]>([
    ["/", "-", "Direct", null],
    ["/", "https://www.example.com/a", "Direct", null],
    ["/", "https://www.google.de/", "Organic Search", "google.com"],
    ["/", "android-app://com.google.android.gm/", "Email", "mail.google.com"],
    ["/", "https://m.facebook.com/x", "Organic Social", "facebook.com"],
    ["/", "https://www.youtube.com/watch?v=1", "Organic Video", "youtube.com"],
    ["/", "https://www.amazon.co.uk/", "Organic Shopping", "amazon.com"],
    ["/", "https://chatgpt.com/", "AI assistants", "chatgpt.com"],
    ["/", "https://partner.example/x", "Referral", "partner.example"],
    ["/?utm_source=chatgpt.com", "-", "AI assistants", null],
    ["/?utm_source=newsletter&utm_medium=email", "-", "Email", null],
    ["/?utm_source=google&utm_medium=cpc", "https://google.com/", "Paid Search", "google.com"],
    ["/?gclid=x", "https://google.com/", "Paid Search", "google.com"],
    ["/?utm_medium=affiliate&utm_source=p", "https://p.example/", "Affiliates", "p.example"],
    ["/?utm_medium=banner&utm_source=p", "-", "Display", null],
    ["/?utm_campaign=x", "-", "Unassigned", null],
    ["/", "javascript:alert(1)", "Direct", null],
  ])("%s from %s: %s", async (target, referrer, channel, value) => {
    const logs = openRequests([{ target, referrer }]);
    expect(await logs.rows("channels")).toEqual([[channel, 1, 1]]);
    expect(await logs.rows("referrers")).toEqual([[value, 1, 1]]);
  });

  it("the first page view of a visit decides, and 30 minutes end it", async () => {
    const at = (minute: number) => LOG_NOW - 7_200_000 + minute * 60_000;
    const logs = openRequests([
      { at: at(0), target: "/a?utm_source=one", referrer: "https://google.com/" },
      { at: at(30), target: "/b", referrer: "https://example.com/a" },
      { at: at(61), target: "/c", referrer: "https://bing.com/" },
    ]);
    expect(await logs.rows("referrers")).toEqual([
      ["google.com", 1, 2],
      ["bing.com", 1, 1],
    ]);
    expect(await logs.rows("utm_sources")).toEqual([
      ["one", 1, 2],
      [null, 1, 1],
    ]);
    expect(await logs.rows("entry_pages")).toEqual([
      ["/a", 1, 2],
      ["/c", 1, 1],
    ]);
    expect(await logs.rows("exit_pages")).toEqual([
      ["/b", 1, 2],
      ["/c", 1, 1],
    ]);
  });

  it("lines out of order count as in order", async () => {
    const at = (minute: number) => LOG_NOW - 7_200_000 + minute * 60_000;
    const logs = openRequests([
      { at: at(20), target: "/b" },
      { at: at(0), target: "/a", referrer: "https://google.com/" },
      { at: at(40), target: "/c" },
    ]);
    expect(await logs.rows("entry_pages")).toEqual([["/a", 1, 3]]);
    expect(await logs.rows("exit_pages")).toEqual([["/c", 1, 3]]);
    expect(await logs.rows("referrers")).toEqual([["google.com", 1, 3]]);
  });

  it("lines out of order stay their visitor's, also those before the first page view of the log", async () => {
    const at = (minute: number) => LOG_NOW - 7_200_000 + minute * 60_000;
    const [first, second] = ["192.0.2.1", "192.0.2.2"];
    const logs = openRequests([
      { at: at(0), address: first, target: "/missing", status: 404 },
      { at: at(2), address: second, target: "/b" },
      { at: at(1), address: second, target: "/a" },
      { at: at(3), address: first, target: "/c" },
    ]);
    expect(await logs.count()).toMatchObject({ visitors: 2, pageviews: 3 });
    expect(await logs.rows("pages")).toEqual([
      ["/a", 1, 1],
      ["/b", 1, 1],
      ["/c", 1, 1],
    ]);
  });
});

describe("hosts", () => {
  const list = async (requests: readonly Request[], flags: SourceFlags = {}) => {
    const logs = openRequests(requests, { site: undefined, ...flags });
    return (await logs.source.sites()).map(({ domain }) => domain);
  };
  const onHost = (host: string, count: number) => times(count, () => ({ host }));

  it("with at least 1% of the page views are sites, with www. merged and ports dropped", async () => {
    const requests = [
      ...onHost("example.com", 50),
      ...onHost("www.example.com:443", 48),
      ...onHost("Docs.Example.com.", 1),
      ...onHost("docs.example.com", 1),
    ];
    expect(await list(requests)).toEqual(["docs.example.com", "example.com"]);
    expect(await list([...requests, ...onHost("rare.example", 1)])).not.toContain("rare.example");
    expect(await list([...requests, ...onHost("rare.example", 1)], { site: ["rare.example"] })).toEqual([
      "rare.example",
    ]);
  });

  it.each([
    "203.0.113.7",
    "[2001:db8::1]",
    "a b",
    "<script>",
    "exa mple.com",
    "..",
    `${"a".repeat(64)}.example`,
  ])("%j is made up by a stranger, and left out", async (host) => {
    const { path } = createLogFolder({
      "access.log": joinLines(
        combined({ host: "example.com" }),
        combined({ host: host.replaceAll(" ", "+") }),
      ),
    });
    const logs = openTestLogs({ logs: [path("access.log")] });
    expect(await logs.count()).toMatchObject({ pageviews: 1 });
  });

  it("a host that the log does not know means the site that --site names, if no line names a host", async () => {
    expect(await openRequests([{ host: "_" }, { host: "-" }]).count()).toMatchObject({ pageviews: 2 });
    expect(await openRequests([{ host: "example.com" }, { host: "_" }]).count()).toMatchObject({
      pageviews: 1,
    });
  });

  it("of strangers cannot crowd out a named site", async () => {
    const logs = openRequests([
      ...times(1_100, (n) => ({ host: `x${n}.example`, target: "/x", status: 404 })),
      { host: "example.com" },
    ]);
    expect(await logs.count()).toMatchObject({ pageviews: 1 });
  });

  it("do not matter in the file of one site", async () => {
    const { path } = createLogFolder({
      "a.log": joinLines(combined({ host: "203.0.113.7" }), combined({ target: "/2" })),
      "b.log": joinLines(combined({ target: "/b" })),
    });
    const logs = openTestLogs({
      site: undefined,
      logs: [`example.com=${path("a.*")}`, `www.docs.example=${path("b.log")}`],
    });
    expect(await logs.count("2026-11-21", "2026-11-21", "example.com")).toMatchObject({ pageviews: 2 });
    expect(await logs.count("2026-11-21", "2026-11-21", "docs.example")).toMatchObject({ pageviews: 1 });
  });

  it("must be named if the log names none", async () => {
    await expect(list([{}])).rejects.toThrow("The logs do not say which site they are about.");
  });
});

describe("days", () => {
  it.each([
    ["25 hours, when clocks go back", "2026-10-25", "2026-10-24T22:00:00Z", "2026-10-25T22:59:59Z"],
    ["23 hours, when clocks go forward", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z"],
  ])("of %s", async (_, date, first, last) => {
    const seconds = (text: string, add: number) => Date.parse(text) + add * 1000;
    const { path } = createLogFolder({
      "access.log": joinLines(
        ...[seconds(first, -1), seconds(first, 0), seconds(last, 0), seconds(last, 1)].map((at) =>
          combined({ at }),
        ),
      ),
    });
    const logs = openTestLogs({ logs: [path("access.log")], timezone: "Europe/Berlin" });
    expect(await logs.count(date)).toMatchObject({ visitors: 1, pageviews: 2 });
  });

  it("are the site's, not those of the server's clock", async () => {
    const line = combined().replace(/\[.*?\]/, "[20/Nov/2026:23:30:00 -0500]");
    const { path } = createLogFolder({ "access.log": joinLines(line) });
    const logs = openTestLogs({ logs: [path("access.log")], timezone: "Europe/Berlin" });
    expect(await logs.count("2026-11-21")).toMatchObject({ pageviews: 0 });
    logs.clock.now = Date.parse("2026-11-21T12:00:00Z");
    expect(await logs.count("2026-11-21")).toMatchObject({ pageviews: 1 });
  });

  it("that the log does not have whole are named", async () => {
    const logs = openRequests([
      { at: "2026-11-16T10:00:00Z" },
      { at: "2026-11-17T10:00:00Z" },
      { at: "2026-11-19T10:00:00Z" },
    ]);
    expect(await logs.warnings("2026-11-10", "2026-11-21")).toEqual(["partial_first_day", "gap", "stale"]);
    expect(await logs.warnings("2026-11-17", "2026-11-17")).toEqual([]);
    const span = { from: "2026-11-10", to: "2026-11-21", now: logs.clock.now };
    expect(await logs.source.warnings?.({ site: await logs.findSite(), ...span })).toMatchObject([
      { values: { day: "2026-11-16", time: "10:00" } },
      { values: { days: 1, from: "2026-11-18", to: "2026-11-18" } },
      { values: { data_until: "2026-11-19" } },
    ]);
  });

  it("of yesterday can still grow", async () => {
    const logs = openRequests([{ at: "2026-11-20T00:10:00Z" }, {}]);
    expect(await logs.warnings("2026-11-20", "2026-11-21")).toEqual(["provisional"]);
    // A log that began today has no yesterday.
    const begun = openRequests([{ at: "2026-11-21T00:10:00Z" }, {}]);
    expect(await begun.warnings("2026-11-20", "2026-11-21")).toEqual([]);
  });

  it("are closed 24 hours after their end, and counted again from their files if lines come later", async () => {
    const { path, write } = createLogFolder({
      "access.log": joinLines(combined({ at: "2026-11-19T10:00:00Z" }), combined()),
    });
    const logs = openTestLogs({ logs: [path("access.log")] });
    expect(await logs.count("2026-11-19")).toMatchObject({ pageviews: 1 });
    const text = joinLines(combined({ at: "2026-11-19T10:00:00Z" }), combined());
    write(
      "access.log",
      text + joinLines(combined({ at: "2026-11-19T11:00:00Z" }), combined({ target: "/z" })),
    );
    expect(await logs.count("2026-11-19")).toMatchObject({ pageviews: 2 });
    expect(logs.outcomes()).toEqual({ page_view: 3, late: 1 });
  });
});

describe("a log without user agents", () => {
  it("counts bots as visitors, and says so", async () => {
    const { path } = createLogFolder({
      "access.log": joinLines(combined().replace(/ "-" ".*$/, ""), combined().replace(/ "-" ".*$/, "")),
    });
    const logs = openTestLogs({ logs: [path("access.log")] });
    expect(await logs.count()).toMatchObject({ visitors: 1, pageviews: 2 });
    expect(await logs.warnings()).toContain("no_user_agent");
    const site = await logs.findSite();
    expect(await logs.source.dimensions?.(site)).not.toContain("browsers");
  });
});
