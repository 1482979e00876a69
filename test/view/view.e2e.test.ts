import { request as sendRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { serveView, type ViewOptions, type ViewServer } from "../../src/view/view-server.ts";
import { NOW } from "../support/api.ts";
import { CHROMIUM, launch } from "../support/browser.ts";
import { createLogFolder, openTestLogs } from "../support/logs.ts";
import { IS_LONG, share } from "../support/seed.ts";
import { runShell } from "../support/shell.ts";

const clock = () => NOW;
const call = createLocalCall(() => demo.open({ clock, environment: {}, flags: {} }), clock);
/** The questions that are being answered, and those that were given up. */
const questions = { open: 0, aborted: 0, active: 0, all: 0, most: 0 };
let slow = 0;
let slowLists = 0;
/** Answers are kept for a minute of it. */
const time = { now: NOW };
let options: ViewOptions;
let server: ViewServer;

beforeAll(async () => {
  const counted: typeof call = Object.assign(
    async (...[operation, params, options]: Parameters<typeof call>) => {
      if (operation.name === "realtime") questions.active++;
      questions.all++;
      questions.most = Math.max(questions.most, ++questions.open);
      try {
        const wait = operation.name === "breakdown" ? slow + slowLists : slow;
        if (wait > 0) await pause(wait, undefined, { signal: options?.signal ?? undefined });
        return await call(operation, params, options);
      } catch (error) {
        if (options?.signal?.aborted) questions.aborted++;
        throw error;
      } finally {
        questions.open--;
      }
    },
    call,
  ) as typeof call;
  options = {
    call: counted,
    source: ["--demo"],
    note: "Made-up data (--demo).",
    screen: { width: 80, height: 40, color: false, pictures: false, locale: "en-US" },
    format: async (_, format) => format,
    port: 0,
    clock: () => time.now,
    pause: 10_000,
    wait: (milliseconds, signal) => pause(milliseconds, undefined, { signal }).catch(() => {}),
  };
  server = await serveView(options);
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(server.address);
    sendRequest({ hostname, port, path, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
    })
      .on("error", reject)
      .end();
  });
const pathOf = (address: string) => `${new URL(server.address).pathname}${address}`;

/** What the command that a page shows prints. */
async function runCommand(page: string) {
  const [, command = ""] = /<code>(.*?)<\/code>/.exec(page) ?? [];
  const words = command.replaceAll("&#39;", "'").match(/'[^']*'|\S+/g) ?? [];
  const argv = words.slice(1).map((word) => word.replace(/^'|'$/g, ""));
  const { code, stdout } = await runShell([...argv, "--json"]);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}
const count = (value: number) => new Intl.NumberFormat("en-US").format(value);

describe("the server of view", () => {
  it("gives no data without the secret, nor under a foreign name", async () => {
    for (const answer of [
      await get("/"),
      await get("/example.com"),
      await get(pathOf(""), { host: "evil.example" }),
    ]) {
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.body).not.toMatch(/example\.com|Germany|\d,\d/);
      expect(answer.headers["set-cookie"]).toBeUndefined();
    }
  });

  it("sends headers that keep the page to itself", async () => {
    const { headers } = await get(pathOf("example.com"));
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
      "content-security-policy": "frame-ancestors 'none'",
    });
  });

  it("answers a wrong address with the sentence of the command line", async () => {
    expect((await get(pathOf("example.com?filter=countries"))).body).toContain("filter must be a dimension");
    expect((await get(pathOf("example.com?perriod=today"))).status).toBe(400);
    expect((await get(pathOf("example.com/nothing"))).status).toBe(404);
    for (const [unknown, form] of [
      ["exmple.com", /<h1>.*Did you mean example\.com\?/s],
      ["exmple.com/pages?format=csv", /^You have no site .* Did you mean example\.com\?/],
    ] as const)
      expect(await get(pathOf(unknown))).toMatchObject({ status: 404, body: expect.stringMatching(form) });
    const { body } = await get(pathOf("example.com/conversions?goal=signup"));
    expect(body).toMatch(/value="signup"[\s\S]*role="alert">[^<]*goal /);
    expect(body).not.toContain("Back to the start");
  });

  it("asks for a goal with the site's own pages and events, the nearest to what was typed first", async () => {
    const { body } = await get(pathOf("example.com/conversions?period=last_7_days"));
    expect(body).toMatch(/<h1>.*Conversions.*<p>A goal is .*Most frequent pages.*Most frequent events/s);
    expect(body).toContain("Made-up data");
    const links = [...body.matchAll(/<li><a href="([^"]*goal=[^"]*)">/g)].map(([, href = ""]) =>
      href.replaceAll("&#38;", "&"),
    );
    expect(links.length).toBe(8);
    const { body: answer } = await get(links[0] ?? "");
    expect(Number((await runCommand(answer)).converted)).toBeGreaterThan(0);
    const { body: near } = await get(pathOf("example.com/conversions?goal=plans"));
    expect(near).toMatch(/role="alert">.*Nearest pages.*goal=pages%3D%2Fplans/s);
    expect(near).not.toContain("Most frequent");
    expect((await get(pathOf("exmple.com/conversions"))).status).toBe(404);
  });

  it("names a file after the site and the days, and writes numbers and periods as people do", async () => {
    for (const [address, name] of [
      ["example.com/pages?period=2026-10", "example.com-pages-2026-10-01-2026-10-31.csv"],
      ["example.com?period=2026-11-03", "example.com-2026-11-03.csv"],
      ["example.com/compare?period=2026-11-03/2026-11-05", "example.com-compare-2026-11-03-2026-11-05.csv"],
    ] as const)
      expect((await get(pathOf(`${address}&format=csv`))).headers["content-disposition"]).toBe(
        `inline; filename*=UTF-8''${name}`,
      );
    const { body } = await get(pathOf("example.com/crawlers?period=last_week"));
    expect(body).toMatch(/They made \d+,\d{3} requests/);
    expect(body).toContain("<b>Last week</b>");
  });

  it("offers to compare the last week where the days before have no data", async () => {
    const link =
      /has no data before [\d-]+, so there is nothing to compare. <a href="([^"]*)">The last 7 days with the 7 before</;
    const { body } = await get(pathOf("news.example.org/compare?period=this_month&against=2026-10"));
    expect(body).not.toContain('class="windows"');
    const [, href = ""] = link.exec(body) ?? [];
    const { body: week } = await get(href);
    expect(week).not.toMatch(/not compared|nothing to compare/);
    expect(week).toContain("--period last_7_days");
    expect((await get(pathOf("example.com/compare"))).body).not.toMatch(link);
  });

  it("says why a source has no answer, on the first page, too", async () => {
    const source = openTestLogs({ logs: [createLogFolder({ "access.log": "" }).path("access.log")] });
    const empty = await serveView({
      ...options,
      call: createLocalCall(async () => source.source, clock),
    });
    const answer = await fetch(empty.address);
    await empty.close();
    expect([answer.status, await answer.text()]).toEqual([
      502,
      expect.stringContaining("The logs are empty."),
    ]);
  });

  it("shows the default for what is no period, and says so", async () => {
    const usual = /class="value">(.*?)</.exec((await get(pathOf("example.com"))).body)?.[1];
    for (const period of ["period=yesteryear", "days=many", "days=7&period=today", "period=a&period=b"]) {
      const { status, body } = await get(pathOf(`example.com?${period}`));
      expect([period, status, /class="value">(.*?)</.exec(body)?.[1]]).toEqual([period, 400, usual]);
      expect(body).toMatch(/role="alert" id="fault">[^<]*Shown instead: 28 days\.</);
      expect(body).toContain("--period last_28_days");
      expect(body).toMatch(/aria-current="true">28 days</);
      expect(body).not.toMatch(/<b>|period=yesteryear|days=many/);
      const data = await get(pathOf(`example.com?${period}&format=csv`));
      expect([data.status, data.headers["content-type"]]).toEqual([400, "text/plain; charset=utf-8"]);
    }
  });

  it("leads from the days of the form to their address, and keeps the rest of it", async () => {
    const sent = await get(
      pathOf("example.com/pages?filter=countries%3DDE&period=yesterday&from=2026-11-03&to=2026-11-12"),
    );
    expect(sent.status).toBe(303);
    expect(String(sent.headers.location)).toBe(
      pathOf("example.com/pages?filter=countries%3DDE&period=2026-11-03%2F2026-11-12"),
    );
    const { body } = await get(pathOf("example.com?period=yesterday&from=2026-11-12&to=2026-11-03"));
    expect(body).toContain(
      "The last day, 2026-11-03, is before the first, 2026-11-12. Shown instead: Yesterday.",
    );
    expect(body).toContain("--period yesterday");
    expect(body).toMatch(/name="to" value="2026-11-03"[^>]* aria-invalid="true" aria-describedby="fault"/);
  });

  it("has on each page the numbers of the command that it shows", async () => {
    const states = [
      "example.com",
      "example.com?period=yesterday&filter=countries%3DDE",
      "example.com?period=2026-10&filter=referrers%21%3Dgoogle.com&filter=devices%3Dmobile",
      "shop.example.net?period=last_7_days",
    ];
    for (const state of states) {
      const { body } = await get(pathOf(state));
      const { visitors, pageviews } = await runCommand(body);
      const shown = [...body.matchAll(/class="value">(.*?)</g)].slice(0, 2).map(([, value]) => value);
      expect([state, ...shown]).toEqual([state, count(visitors), count(pageviews)]);
    }
    const { body } = await get(pathOf("example.com/countries?period=last_7_days"));
    const { rows } = await runCommand(body);
    for (const { label, visitors } of rows) {
      expect(body).toContain(`<bdi>${label}</bdi>`);
      expect(body).toContain(`<bdi>${count(visitors)}</bdi>`);
    }
  });

  it("leads from each row to a page with the row's visitors", async () => {
    const { body } = await get(pathOf("example.com?period=last_7_days"));
    const rows = [
      ...body.matchAll(
        /<a class="named" href="([^"]*)" data-not="[^"]*">.*?<span class="number beside"><span><bdi>([\d,]+)</g,
      ),
    ];
    expect(rows.length).toBeGreaterThan(40);
    const misses: string[] = [];
    for (const [, href = "", visitors] of share(rows, 12, 0)) {
      // Events are counted, not visitors.
      if (href.includes("filter=events")) continue;
      const { body: page } = await get(href.replaceAll("&#38;", "&"));
      const [, shown] = /class="value">(.*?)</.exec(page) ?? [];
      if (shown !== visitors) misses.push(`${href}: ${visitors}, ${shown}`);
    }
    expect(misses).toEqual([]);
  });

  it("sends the bar before the answer, and stops work for a page that is left", async () => {
    slow = 600_000;
    // Later than answers are kept.
    time.now += 120_000;
    try {
      const { hostname, port } = new URL(server.address);
      const [aborted] = [questions.aborted];
      await new Promise<void>((resolve) => {
        const request = sendRequest({ hostname, port, path: pathOf("example.com") }, (response) => {
          response.once("data", (chunk) => {
            expect(String(chunk)).toContain("28 days");
            request.destroy();
            resolve();
          });
          response.on("error", () => {});
        }).end();
      });
      await expect.poll(() => questions.open).toBe(0);
      expect(questions.aborted).toBeGreaterThan(aborted);
    } finally {
      slow = 0;
    }
  });
});

describe("what the pages ask", () => {
  it("sends totals and trend before the lists", async () => {
    time.now += 120_000;
    slowLists = 500;
    try {
      const { hostname, port } = new URL(server.address);
      const parts: { text: string; at: number }[] = [];
      await new Promise<void>((resolve, reject) => {
        sendRequest({ hostname, port, path: pathOf("example.com?period=last_7_days") }, (response) => {
          response.setEncoding("utf8");
          response.on("data", (text) => parts.push({ text: String(text), at: Date.now() }));
          response.on("end", resolve);
        })
          .on("error", reject)
          .end();
      });
      const at = (text: string) => parts.find((part) => part.text.includes(text))?.at ?? 0;
      expect(at('class="value"')).toBeLessThan(at("Top lists"));
      expect(at("<figure")).toBeLessThan(at("Top lists"));
      expect(
        parts
          .map(({ text }) => text)
          .join("")
          .match(/class="tiles"/g),
      ).toHaveLength(1);
    } finally {
      slowLists = 0;
    }
  });

  it("asks again what is older than a minute only", async () => {
    const ask = async () => {
      const before = questions.all;
      await get(pathOf("example.com/browsers?period=last_7_days"));
      return questions.all - before;
    };
    expect(await ask()).toBeGreaterThan(0);
    expect(await ask()).toBe(0);
    time.now += 61_000;
    expect(await ask()).toBeGreaterThan(0);
  });

  it("counts four pages at once; others wait", async () => {
    slow = 300;
    questions.most = 0;
    try {
      const days = Array.from({ length: 9 }, (_, index) => `2026-11-0${index + 1}`);
      await Promise.all(days.map((day) => get(pathOf(`example.com/browsers?period=${day}`))));
      expect(questions.most).toBe(4);
    } finally {
      slow = 0;
    }
  });

  it("draws the days of a series, and when people come", async () => {
    const { body: series } = await get(pathOf("example.com/timeseries"));
    expect(series).toContain("<figure");
    const { body: when } = await get(pathOf("example.com/when"));
    expect(when).toContain("14:00");
    expect(when).toContain("--by week_hour");
    expect(when.match(/scope="col"/g)?.length).toBeGreaterThan(7);
    // The busiest hour has the darkest shade.
    const [table = ""] = when.match(/<tbody>.*?<\/tbody>/s) ?? [];
    const cells = [...table.matchAll(/class="n(?: s(\d))?"><bdi>([\d.]+)/g)].map(([, step = "0", count]) => [
      Number(step),
      Number(count),
    ]);
    const most = Math.max(...cells.map(([, count = 0]) => count));
    expect(cells.length).toBeGreaterThan(100);
    for (const [step, count = 0] of cells) expect(step).toBe(Math.ceil((5 * count) / most));
  });
});

describe.skipIf(CHROMIUM === undefined)("view in Chromium (CHROMIUM)", () => {
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  beforeAll(async () => {
    browser = await launch();
    page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
    // A page about a wrong address has the status 400, which the browser says.
    page.on("console", (message) => {
      if (!message.location().url.includes("?from=")) faults.push(message.text());
    });
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => {
      const { origin } = new URL(server.address);
      if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) faults.push(request.url());
    });
  });
  afterAll(() => browser.close());

  const open = async (address: string) => {
    await page.goto(`${server.address}${address}`);
    await page.locator("footer").waitFor();
  };
  const search = () => decodeURIComponent(new URL(page.url()).search);
  const visitors = () => page.locator(".value").first().textContent();

  it("a click keeps a row, Back returns, Shift leaves it out, Escape takes it away", async () => {
    await open("example.com");
    const all = await visitors();
    await page.locator(".lists a", { hasText: "Hacker News" }).click();
    await expect.poll(search).toBe("?filter=referrers=news.ycombinator.com");
    await page.locator("footer").waitFor();
    expect(await visitors()).not.toBe(all);
    await page.goBack();
    await expect.poll(visitors).toBe(all);
    await page.locator(".lists a", { hasText: "Google" }).click({ modifiers: ["Shift"] });
    await expect.poll(search).toBe("?filter=referrers!=google.com");
    await page.locator("footer").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(search).toBe("");
  });

  it("keys choose periods, x compares, days are chosen by dragging and by keyboard", async () => {
    await open("example.com");
    await page.keyboard.press("w");
    await expect.poll(search).toBe("?period=last_7_days");
    await page.locator("footer").waitFor();
    const box = await page.locator(".plot").boundingBox();
    if (!box) throw new Error("There is no chart.");
    await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await expect.poll(search).toMatch(/^\?period=2026-11-1\d\/2026-11-1\d$/);
    await page.locator("footer").waitFor();
    await page.locator(".plot").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Enter");
    await expect.poll(search).toMatch(/period=2026-11-1\d\/2026-11-1\d$/);
    await page.locator("footer").waitFor();
    await page.keyboard.press("x");
    await expect.poll(() => new URL(page.url()).pathname.endsWith("/compare")).toBe(true);
    await page.locator("footer").waitFor();
    await page.keyboard.press("?");
    expect(await page.locator("#keys").getAttribute("open")).not.toBeNull();
  });

  it("stays as it is when a file is saved", async () => {
    await open("example.com/pages");
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    expect((await download).suggestedFilename()).toMatch(/^example\.com-pages-[\d-]+\.csv$/);
    // Later than a page that is not there yet is said to be loading.
    await page.waitForTimeout(400);
    expect(await page.locator("html").getAttribute("class")).toBeNull();
    const copies = await page.locator("[data-copy]").allTextContents();
    expect(copies.every((title) => title.startsWith("Copy "))).toBe(true);
  });

  it("says who is active while it is looked at, and asks at most every ten seconds", async () => {
    questions.active = 0;
    await open("example.com/pages");
    await expect.poll(() => page.locator("#now").textContent()).toMatch(/^\d+ active at /);
    expect(questions.active).toBe(1);
  });

  it("has its numbers and links without scripts", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${server.address}example.com`);
    expect(await plain.locator(".tile .value").count()).toBeGreaterThan(5);
    expect(await plain.locator(".lists a[data-not]").count()).toBeGreaterThan(40);
    expect(await plain.locator(".paper svg").isVisible()).toBe(true);
    await plain.getByLabel("From", { exact: true }).fill("2026-11-03");
    await plain.getByLabel("To", { exact: true }).fill("2026-11-12");
    await plain.getByRole("button", { name: "Show", exact: true }).click();
    expect(new URL(plain.url()).search).toBe("?period=2026-11-03%2F2026-11-12");
    expect(await plain.getByLabel("From", { exact: true }).inputValue()).toBe("2026-11-03");
    await context.close();
  });

  const addresses = ["", "example.com", "example.com/pages", "example.com/compare", "?from=2026-11-03"];
  // Two pages each, so that all are tried; LONG=1 tries all of them each time.
  it.each<[string, Parameters<Page["emulateMedia"]>[0], number, number[]]>([
    ["light", { colorScheme: "light" }, 1100, [0, 1]],
    ["dark", { colorScheme: "dark" }, 1100, [1, 3]],
    ["forced colours", { forcedColors: "active" }, 1100, [1, 2]],
    ["a phone", { colorScheme: "light", forcedColors: "none" }, 390, [1, 4]],
  ])("breaks no rule of accessibility: %s", async (_, media, width, chosen) => {
    await page.emulateMedia(media);
    await page.setViewportSize({ width, height: 900 });
    for (const address of IS_LONG ? addresses : chosen.map((index) => addresses[index] ?? "")) {
      await open(address);
      // The page's policy allows no other script, so axe is not added as an element.
      await page.evaluate(axe.source);
      const violations = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: typeof import("axe-core") };
        const found = (await axe.run()).violations;
        return found.map(({ id, nodes }) => [id, nodes.map((node) => node.html.slice(0, 100))]);
      });
      expect([address, violations]).toEqual([address, []]);
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }
  });

  it("leaves names whole beside many columns on a phone", async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    await open("");
    const heights = await page
      .locator(".full th[scope=row]")
      .evaluateAll((cells) => cells.map((cell) => cell.clientHeight));
    expect(heights.length).toBeGreaterThan(1);
    expect(Math.max(...heights)).toBeLessThan(60);
  });

  it("did nothing else: no error, no word on the console, no request to another place", () => {
    expect(faults).toEqual([]);
  });
});
