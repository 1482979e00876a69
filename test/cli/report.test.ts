import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { platform, tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import process from "node:process";
import { http } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanText } from "../../src/render/clean-text.ts";
import { NOON, PLAIN } from "../sources/described/small-service.ts";
import { HOSTILE, spoilNames } from "../support/hostile-names.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

const { network, api } = fakeNetwork();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "report-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const inFolder = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(inFolder(name), "utf8");
const write = (name: string, ...args: string[]) =>
  runShell(["report", "example.com", "-o", inFolder(name), ...args], { environment: service });
const spoil = () =>
  network.use(http.all(`${BASE}/*`, async ({ request }) => spoilNames(request, await api(request))));

const readMarkup = (markup: string) =>
  markup.replace(/<[^>]*>/g, "").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
const findAll = (markup: string, pattern: RegExp) =>
  [...markup.matchAll(pattern)].map(([, part = ""]) => part);

/** What a page shows without a script: its tiles, the labels of its lists, its dead links and notes. */
function readPage(page: string) {
  const tiles = findAll(page, /<div class="tile">(.*?)<\/div>/gs).map((tile) => [
    readMarkup(/<dt>(.*?)<\/dt>/s.exec(tile)?.[1] ?? ""),
    readMarkup(/class="value">(.*?)<\/strong>/s.exec(tile)?.[1] ?? ""),
  ]);
  const lists = findAll(page, /<section>(.*?)<\/section>/gs).map((list) => [
    readMarkup(/<h3>(.*?)<\/h3>/s.exec(list)?.[1] ?? ""),
    findAll(list, /<bdi class="label"[^>]*>(.*?)<\/bdi>/gs).map(readMarkup),
  ]);
  const [links] = findAll(page, /<table class="links">(.*?)<\/table>/gs);
  return {
    tiles: Object.fromEntries(tiles) as Record<string, string>,
    lists: Object.fromEntries(lists) as Record<string, string[]>,
    links: links && findAll(links, /<tr><th scope="row">(.*?)<\/tr>/gs).map(readMarkup),
    notes: findAll(/<footer>(.*)<\/footer>/s.exec(page)?.[1] ?? "", /<li[^>]*>(.*?)<\/li>/gs).map(readMarkup),
    trend: JSON.parse(/<script type="application\/json"[^>]*>(.*?)<\/script>/s.exec(page)?.[1] ?? ""),
  };
}

interface NotFoundRow {
  value: string;
  requests: number;
  visitors: number;
  referrers: { value: string; requests: number }[];
}

describe("dead links", () => {
  const findLinks = (name: string) => readPage(read(name)).links;

  it("are those of not-found, in both formats", async () => {
    await write("a.html", "--period", "last-week");
    const asked = ["not-found", "example.com", "--period", "last-week", "--json"];
    const { rows } = JSON.parse((await runShell(asked, { environment: service })).stdout);
    expect(findLinks("a.html")?.slice(0, rows.length)).toEqual(
      rows.map(({ value, requests, visitors, referrers }: NotFoundRow) =>
        cleanText(
          `${value}${requests}${visitors}${referrers.map((each) => `${each.value}${each.requests}`).join("")}`,
        ),
      ),
    );
    await write("a.md", "--period", "last-week");
    const [{ value, requests, visitors, referrers }] = rows;
    const [first] = referrers;
    expect(read("a.md")).toContain(`| \`${value}\` | ${requests} | ${visitors} | \`${first.value} (`);
  });

  it("are left out where a filter chooses, which they know nothing of", async () => {
    await write("a.html", "--filter", "countries=DE");
    expect(findLinks("a.html")).toBeUndefined();
  });

  it.each([
    ["there are none", () => Response.json({ rows: [], total_rows: 0 }), "yesterday"],
    ["a service does not offer them", () => new Response("", { status: 404 }), "yesterday"],
  ])("are left out where %s", async (_, answer, period) => {
    network.use(
      http.get(`${BASE}/api/v1/not-found`, async ({ request }) => {
        const response = answer();
        if (response.status !== 200) return response;
        const body = (await (await api(request)).json()) as object;
        const none = { totals: { requests: 0 }, truncated: false };
        return Response.json({ ...body, ...((await response.json()) as object), ...none });
      }),
    );
    const { code } = await write("a.html", "--period", period);
    expect(code).toBe(0);
    expect(findLinks("a.html")).toBeUndefined();
    await write("a.md", "--period", period);
    expect(read("a.md")).not.toContain("not found");
  });
});

describe("a page", () => {
  it("holds the overview's numbers, with more lists, and says where they are from", async () => {
    const { code, stdout, stderr } = await write("a.html", "--period", "last-week");
    expect([code, stdout, stderr]).toEqual([0, `${inFolder("a.html")}\n`, ""]);
    const page = readPage(read("a.html"));
    const overview = await runShell(["overview", "example.com", "--period", "last-week", "--json"], {
      environment: service,
    });
    const { top, visitors, pageviews, trend } = JSON.parse(overview.stdout);
    const numbers = new Intl.NumberFormat("en-US");
    // These days are over, so a report on them has neither today nor this moment.
    expect(page.tiles).toMatchObject({
      Visitors: numbers.format(visitors),
      "Page views": numbers.format(pageviews),
      Events: expect.any(String),
    });
    expect(Object.keys(page.tiles)).not.toContain("Active now");
    for (const { dimension, rows } of top as { dimension: string; rows: { label: string }[] }[]) {
      const title = `${dimension.charAt(0).toUpperCase()}${dimension.slice(1)}`;
      expect(page.lists[title]).toEqual(expect.arrayContaining(rows.map(({ label }) => label)));
    }
    expect(Object.keys(page.lists)).toEqual([
      "Pages",
      "Referrers",
      "Channels",
      "Countries",
      "Devices",
      "Browsers",
      "Operating systems",
      "UTM campaigns",
      "Events",
    ]);
    expect(page.trend).toMatchObject(trend);
    expect(page.trend.previous.visitors).toHaveLength(7);
    expect(page.notes).toEqual([
      "Source: stats.example.test.",
      "Events are shown without those of the days before.",
      "Visitors are unique per day and added up: coming on two days counts twice.",
      expect.stringMatching(/^Rows may not add up/),
      expect.stringMatching(/^A visit ends after 30 minutes/),
      expect.stringMatching(/^Not found: \d+ requests from people for \d+ paths got 404 or 410\.$/),
      "Made with analytics-mcp 1.2.3, 2026-11-21 05:05 (Europe/Berlin).",
    ]);
    expect(read("a.html")).toContain("<title>example.com, 2026-11-09 to 2026-11-15</title>");
  });

  it("says UTC for a service that names no timezone", async () => {
    const answers: typeof PLAIN = { ...PLAIN, "/sites": () => [{ id: 7, domain: "example.com" }] };
    network.use(
      http.all(`${BASE}/*`, ({ request }) => {
        const { pathname, searchParams } = new URL(request.url);
        const answer = answers[pathname.replace("/api/v1", "")]?.(searchParams);
        return answer === undefined ? new Response("{}", { status: 404 }) : Response.json(answer);
      }),
    );
    const { code, stderr } = await runShell(["report", "example.com", "-o", inFolder("a.md")], {
      environment: service,
      clock: () => NOON,
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(read("a.md")).toContain("2026-11-20 12:00 (UTC).");
  });

  it("of a part of the hits says of which, in its title and its heading", async () => {
    await write("a.html", "--period", "last-week", "--filter", "country=DE", "--filter", "pages!=/a|<b>");
    await write("b.html", "--period", "last-week");
    const page = read("a.html");
    expect(page).toContain(
      "<title>example.com, only countries=DE and &#34;pages!=/a|&#60;b&#62;&#34;, 2026-11-09 to 2026-11-15</title>",
    );
    expect(readMarkup(/<p class="filter">(.*?)<\/p>/.exec(page)?.[1] ?? "")).toBe(
      "Only countries=DE and pages!=/a|<b>",
    );
    const [part, whole] = [page, read("b.html")].map((each) =>
      Number(readPage(each).tiles.Visitors?.replace(",", "")),
    );
    expect(part).toBeGreaterThan(0);
    expect(part).toBeLessThan(whole ?? 0);
    await write("a.md", "--period", "last-week", "--filter", "countries=DE");
    expect(read("a.md")).toMatch(/^\*\*example\.com, only countries=DE, 2026-11-09 to 2026-11-15 \(/);
  });

  it("of an empty site can be replaced by the next one", async () => {
    for (const site of ["parked.example", "parked.example", "example.com"]) {
      const { code, stderr } = await runShell(["report", site, "-o", inFolder("e.html")], {
        environment: service,
      });
      expect([code, stderr]).toEqual([0, ""]);
    }
  });

  it("of days that are going on has today and who is active", async () => {
    await write("a.md", "--period", "this-month");
    expect(read("a.md")).toContain("| visitors today | active now |");
    await write("b.md", "--period", "last-month", "--force");
    expect(read("b.md")).not.toMatch(/today|active now/);
  });

  it("says that made-up data is made up", async () => {
    const { stdout } = await runShell(["report", "--demo", "-o", "-"]);
    expect(readPage(stdout).notes[0]).toBe("Made-up data (--demo).");
  });

  it("lets only its own script and style run, by their hashes", async () => {
    await write("a.html");
    const page = read("a.html");
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    const hash = (pattern: RegExp) =>
      `'sha256-${createHash("sha256")
        .update(pattern.exec(page)?.[1] ?? "")
        .digest("base64")}'`;
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hash(/<script type="module">(.*?)<\/script>/s)}`,
      `style-src ${hash(/<style>(.*?)<\/style>/s)}`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
    ]);
    expect(page.match(/<(script|style|link|a|img|iframe)\b/g)).toEqual([
      "<link",
      "<style",
      "<script",
      "<script",
    ]);
  });

  it("keeps names from visitors inside its data", async () => {
    spoil();
    await write("a.html");
    const page = read("a.html");
    expect(page.match(/<\/?script/g)).toHaveLength(4);
    for (const text of HOSTILE.filter((text) => text.includes("<"))) expect(page).not.toContain(text);
    const { Pages: labels = [] } = readPage(page).lists;
    expect(labels.slice(0, HOSTILE.length)).toEqual(HOSTILE.map((text) => cleanText(text)));
    expect(page.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe("Markdown", () => {
  it("has the same as tables", async () => {
    const { code, stdout, stderr } = await write("a.md", "--period", "last-week");
    expect([code, stdout, stderr]).toEqual([0, `${inFolder("a.md")}\n`, ""]);
    await expect(read("a.md")).toMatchFileSnapshot("../snapshots/report.md");
  });

  it("has no notes with -q, as an overview", async () => {
    const note = "Visitors are unique per day";
    for (const options of [[], ["-q", "--no-pager"]]) {
      const { stdout } = await runShell(["report", "--demo", "-o", inFolder("q.md"), "--force", ...options]);
      expect(stdout).toBe(`${inFolder("q.md")}\n`);
      expect(read("q.md").includes(note)).toBe(options.length === 0);
    }
  });

  it("makes no link, image or markup of names from visitors", async () => {
    spoil();
    await write("a.md");
    const text = read("a.md");
    // Code is text in any Markdown, and so is a mark after a backslash.
    const outside = text.replace(/(?<!\\)(`+)(?:(?!\1).)+?\1/g, "").replace(/\\./g, "");
    expect(outside).not.toMatch(/<|https?:|www\.evil|!\[|\]\(/);
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    const [lists = "", links = ""] = text.split("| not found |");
    const countCells = (part: string) =>
      part
        .split("\n")
        .filter((row) => row.startsWith("| `"))
        .map((row) => row.replace(/`[^`].*`/, "").split("|").length);
    expect(new Set(countCells(lists))).toEqual(new Set([5]));
    // Their first cell and their last one are code, unless there is no referrer.
    expect(countCells(links).slice(0, HOSTILE.length)).toEqual(HOSTILE.map(() => 3));
  });
});

describe("the file", () => {
  it.runIf(platform() !== "win32")("can be read by its owner only", async () => {
    await write("a.html");
    expect(statSync(inFolder("a.html")).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["a.html"]);
  });

  it.each(["a.html", "a.md"])("%s replaces an earlier report", async (name) => {
    await write(name, "--period", "last-week");
    const before = read(name);
    expect((await write(name)).code).toBe(0);
    expect(read(name)).not.toBe(before);
  });

  it("replaces no other file, except with --force", async () => {
    writeFileSync(inFolder("notes.md"), "Made with care.\n");
    const { code, stdout, stderr } = await write("notes.md");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `error: ${inFolder("notes.md")} is not a report, so it is not replaced.\nhint: Choose another name with -o, or replace it with --force.\n`,
    );
    expect(read("notes.md")).toBe("Made with care.\n");
    expect((await write("notes.md", "--force")).code).toBe(0);
    expect(read("notes.md")).toContain("| visitors |");
  });

  it.each<[string, string, () => void]>([
    ["a folder", "it is a folder", () => mkdirSync(inFolder("a.html"))],
    ["in no folder", "There is no folder ", () => rmSync(folder, { recursive: true })],
  ])("cannot be %s", async (_, reason, prepare) => {
    prepare();
    const { code, stderr } = await write("a.html");
    mkdirSync(folder, { recursive: true });
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });

  it("is named after the site, the days and the filter", async () => {
    const here = process.cwd();
    process.chdir(folder);
    const filters = [
      [],
      ["countries=DE"],
      ["countries!=DE"],
      ["countries=FR"],
      ['pages=/../..\\\\x:*?"<y>'],
      [`pages=/${"long/".repeat(30)}`],
    ];
    const names: string[] = [];
    try {
      for (const filter of filters) {
        const options = filter.flatMap((condition) => ["--filter", condition]);
        const period = ["--period", "2026-11-01/2026-11-15"];
        const { stdout } = await runShell(["report", "--demo", ...period, ...options]);
        names.push(basename(stdout.trim()));
      }
    } finally {
      process.chdir(here);
    }
    const days = "example.com-2026-11-01-2026-11-15";
    expect(names).toEqual([
      `${days}.html`,
      expect.stringMatching(/-only-countries-DE-[0-9a-f]{6}\.html$/),
      expect.stringMatching(/-only-countries-not-DE-[0-9a-f]{6}\.html$/),
      expect.stringMatching(/-only-countries-FR-[0-9a-f]{6}\.html$/),
      expect.stringMatching(/-only-pages-x-y-[0-9a-f]{6}\.html$/),
      expect.stringMatching(/-only-pages-long-long-long-long-long-long-long-[0-9a-f]{6}\.html$/),
    ]);
    for (const name of names) expect(name.startsWith(days)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual([...names].sort());
  });

  it("can be standard output", async () => {
    const { code, stdout } = await runShell(["report", "--demo", "-o", "-"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>\n[\s\S]*<\/html>\n$/);
  });
});

describe.runIf(platform() === "linux")("--open", () => {
  const open = (PATH: string) =>
    runShell(["report", "--demo", "-o", inFolder("a b.html"), "--open"], { environment: { PATH } });

  it("gives the file to the system's opener", async () => {
    writeFileSync(inFolder("xdg-open"), `#!/bin/sh\nprintf %s "$1" > "${inFolder("opened")}"\n`, {
      mode: 0o755,
    });
    const { code, stderr } = await open([folder, process.env.PATH].join(delimiter));
    expect([code, stderr]).toEqual([0, ""]);
    await expect.poll(() => existsSync(inFolder("opened")) && read("opened")).toBe(inFolder("a b.html"));
  });

  it("says so if there is none", async () => {
    const { code, stdout, stderr } = await open(folder);
    expect([code, stdout]).toEqual([0, `${inFolder("a b.html")}\n`]);
    expect(stderr).toBe("warning: No program here could open the page. Open it in your browser.\n");
  });

  it("says so if it fails, as without a display", async () => {
    writeFileSync(inFolder("xdg-open"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    const { code, stderr } = await open([folder, process.env.PATH].join(delimiter));
    expect([code, stderr]).toEqual([0, expect.stringContaining("No program here could open the page.")]);
  });
});
