import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  CLICK_IDS,
  createIsOwnHost,
  findChannel,
  readOrigin,
} from "../../src/sources/logs/counting/origin.ts";
import { judgeRequest, type Outcome } from "../../src/sources/logs/counting/outcomes.ts";
import { cleanPath } from "../../src/sources/logs/counting/page-path.ts";
import { splitTarget } from "../../src/sources/logs/counting/request.ts";
import type { LogLine } from "../../src/sources/logs/reading/log-line.ts";
import { DOWNLOADS, STATIC } from "../../src/sources/measure/path-kinds.ts";

const rules = readFileSync("docs/log-rules.md", "utf8");

/** The cells of a section's tables, by row, without the rows of titles. */
function readRows(title: string): string[][] {
  const section = rules.split(/^##+ /m).find((part) => part.startsWith(`${title}\n`)) ?? "";
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  const isTitle = (index: number) => /^-+$/.test(rows[index + 1]?.[0] ?? "");
  return rows.filter(([first = ""], index) => !/^-+$/.test(first) && !isTitle(index));
}

const listCode = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

const GET: LogLine = { time: 0, address: "192.0.2.1", method: "GET", target: "/", status: 200 };

const judge = (line: Partial<LogLine>) =>
  judgeRequest({ ...GET, ...line }, splitTarget(line.target ?? GET.target));

const readVisit = (referrer: string | undefined, query = "") =>
  readOrigin({ ...GET, referrer }, query, createIsOwnHost("example.com", undefined));

describe("the rules in docs/log-rules.md are those of the code", () => {
  it("lists all suffixes", () => {
    const lists = new Map(readRows("What a line counts as").map(([name = "", list = ""]) => [name, list]));
    expect(lists.get("static files")).toBe([...STATIC].sort().join(", "));
    expect(lists.get("downloads")).toBe([...DOWNLOADS].sort().join(", "));
  });

  it("has examples of feeds and data", () => {
    const examples = readRows("What a line counts as").flatMap(([expected, , targets = ""]) =>
      listCode(targets).map((target) => ({ target, expected })),
    );
    expect(examples.length).toBeGreaterThan(20);
    for (const { target, expected } of examples) {
      expect(judge({ target }), target).toBe(expected);
      expect(judge({ target, method: "POST", status: 500 }), target).toBe("method");
      expect(judge({ target, status: 404 }), target).toBe("not_found");
    }
  });

  it.each<[Partial<LogLine>, Outcome]>([
    [{ target: "/a.css", status: 301 }, "static"],
    [{ target: "/a.PDF" }, "download"],
    [{ target: "/a.pdf", contentType: "text/html" }, "download"],
    [{ target: "/a.pdf", purpose: "prefetch" }, "data"],
    [{ target: "/a.pdf", status: 206 }, "redirect"],
    [{ target: "/a.pdf", status: 304 }, "redirect"],
    [{ target: "/.well-known/a.pdf" }, "download"],
    [{ target: "/a", purpose: "prefetch;prerender" }, "data"],
    [{ target: "/a", purpose: "preview" }, "data"],
    [{ target: "/a", status: 206 }, "redirect"],
    [{ target: "/a", status: 204 }, "redirect"],
    [{ target: "/a", status: 304 }, "page_view"],
    [{ target: "/a", contentType: "application/xhtml+xml" }, "page_view"],
    [{ target: "/api/users.json" }, "static"],
    [{ target: "/api/users" }, "page_view"],
    [{ target: "/api/users", contentType: "application/json" }, "data"],
    [{ target: "/api/users", contentType: "application/json", status: 304 }, "page_view"],
  ])("counts %j as %s", (line, outcome) => {
    expect(judge(line)).toBe(outcome);
  });

  it("names paths that are pages whatever their suffix", () => {
    const [, list = ""] = /any other\s+one\s+\(([^)]+)\)/.exec(rules) ?? [];
    expect(listCode(list)).toHaveLength(5);
    for (const target of listCode(list)) expect(judge({ target }), target).toBe("page_view");
  });

  it("shows pages of paths", () => {
    const rows = readRows("Pages");
    expect(rows.length).toBeGreaterThan(5);
    for (const [path = "", page] of rows) expect(`\`${cleanPath(path.slice(1, -1))}\``).toBe(page);
  });

  it("names the characters that stay encoded", () => {
    const [, list = ""] = /stay\s+encoded:\s+`([^`]+)`/.exec(rules) ?? [];
    const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    const encode = (text: string) => `%${text.charCodeAt(0).toString(16)}`;
    const encoded = ascii.filter((character) => cleanPath(encode(character)) === encode(character));
    expect(encoded.sort()).toEqual(list.split(" ").sort());
  });

  it("shows what referrers count as", () => {
    const rows = readRows("Referrers");
    expect(rows.length).toBeGreaterThan(10);
    for (const [referrers = "", host = ""] of rows) {
      for (const referrer of listCode(referrers))
        expect(readVisit(referrer).referrer, referrer).toBe(listCode(host)[0] ?? null);
    }
    for (const host of ["mail.google.com", "gemini.google.com"])
      expect(readVisit(`https://${host}/`).referrer).toBe(host);
  });

  it("names all click ids", () => {
    const [, ids = ""] = /has a click id: ([^|]+)/.exec(rules) ?? [];
    expect(listCode(ids).filter((id) => !id.endsWith("_"))).toEqual(CLICK_IDS);
  });

  const SEARCH = "https://www.google.de/";
  it.each([
    ["utm_medium=cpm&gclid=1&utm_source=google", undefined, "Display"],
    ["utm_medium=cpc&utm_source=Google", undefined, "Paid Search"],
    ["utm_medium=cpc&utm_source=facebook", SEARCH, "Paid Social"],
    ["utm_medium=cpc&utm_source=chatgpt", SEARCH, "Paid Other"],
    ["utm_medium=email&gclid=1", undefined, "Paid Other"],
    ["gclid=1", SEARCH, "Paid Search"],
    ["gbraid=1", SEARCH, "Paid Search"],
    ["wbraid=1", SEARCH, "Paid Search"],
    ["msclkid=1&utm_source=bing", undefined, "Paid Search"],
    ["msclkid=1", "https://www.bing.com/", "Paid Search"],
    ["fbclid=1", "https://l.facebook.com/", "Organic Social"],
    ["utm_medium=affiliate&utm_source=google", undefined, "Affiliates"],
    ["utm_medium=e_mail", SEARCH, "Email"],
    ["utm_source=newsletter", SEARCH, "Email"],
    ["utm_source=sms", undefined, "SMS"],
    ["utm_medium=audio", undefined, "Audio"],
    ["utm_medium=webpush", undefined, "Mobile Push Notifications"],
    ["utm_source=google.com", "https://l.facebook.com/", "Organic Search"],
    ["utm_source=other", "https://chatgpt.com/", "AI assistants"],
    ["utm_medium=social", SEARCH, "Organic Search"],
    ["utm_medium=social", "https://example.org/", "Organic Social"],
    ["utm_medium=organic", undefined, "Organic Search"],
    ["utm_medium=a-video", undefined, "Organic Video"],
    ["utm_medium=link", undefined, "Referral"],
    ["utm_source=other", "https://example.org/", "Referral"],
    ["utm_content=a", undefined, "Direct"],
    ["", "https://example.com/", "Direct"],
    ["utm_campaign=a", undefined, "Unassigned"],
  ])("counts the query %j and the referrer %j as %s", (query, referrer, channel) => {
    expect(findChannel(readVisit(referrer, query))).toBe(channel);
    const channels = readRows("Channels").map(([, names = ""]) => names);
    expect(channels.some((names) => names.includes(channel))).toBe(true);
  });
});
