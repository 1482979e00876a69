import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { buildErrorPage } from "../../src/oauth/pages/error-page.ts";
import { pageHeaders } from "../../src/oauth/pages/html-document.ts";
import { buildLandingPage, landingHeaders } from "../../src/oauth/pages/landing-page.ts";
import { html, printHtml } from "../../src/render/html.ts";
import { buildIcon, iconUrl } from "../../src/render/icon.ts";
import { demo as made } from "../../src/sources/demo.ts";
import { logs } from "../../src/sources/logs.ts";
import { consent, errorCodes, hostileNames, pages } from "./page-examples.ts";

const readEntities = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
/** What a person reads. */
const read = (page: string) =>
  readEntities(
    page
      .replace(/<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>|<title>[\s\S]*?<\/title>/g, "")
      .replace(/<[^>]*>/g, " ")
      .replace(/\s+/g, " "),
  ).replace(/ ([.,:])/g, "$1");
const tagsOf = (page: string) => page.match(/<[^>]*>/g) ?? [];
const nameIn = (page: string) => readEntities(/<bdi class="name">([^<]*)<\/bdi>/.exec(page)?.[1] ?? "");

/** The page of the address has a script that copies it. */
const scriptsOf = (page: string) =>
  [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script);

describe.each(Object.entries(pages))("the page “%s”", (name, page) => {
  it("has at most the script whose hash is in its policy", () => {
    const scripts = scriptsOf(page);
    expect(scripts).toHaveLength(name.startsWith("landing") ? 1 : 0);
    for (const script of scripts) {
      const hash = createHash("sha256").update(script).digest("base64");
      expect(landingHeaders["Content-Security-Policy"]).toMatch(
        new RegExp(`; script-src 'sha256-${hash.replaceAll("+", "\\+")}'$`),
      );
    }
  });

  it("is a whole document of less than 12 kB, without anything to load", () => {
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">[\s\S]*<\/html>\n$/);
    expect(Buffer.byteLength(page)).toBeLessThan(12_000);
    expect(tagsOf(page).filter((tag) => /^<(script\s|iframe|object|img|base|meta http)/i.test(tag))).toEqual(
      [],
    );
    expect(tagsOf(page).filter((tag) => /\s(on\w+|style|src)=|javascript:/i.test(tag))).toEqual([]);
    expect(page).not.toMatch(/url\(|@import/);
  });

  it("has one style block, whose hash is in the policy", () => {
    const styles = [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style = ""]) => style);
    expect(styles).toHaveLength(1);
    const hash = createHash("sha256").update(String(styles[0])).digest("base64");
    expect(pageHeaders["Content-Security-Policy"]).toContain(`style-src 'sha256-${hash}'`);
  });
});

it("the headers are those that browsers and redirects need", () => {
  const { "Content-Security-Policy": policy = "", ...others } = pageHeaders;
  expect(policy.replace(/'sha256-[^']+'/, "HASH")).toBe(
    "default-src 'none'; style-src HASH; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(others).toEqual({
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
  });
});

describe("the consent page", () => {
  it("says who asks, where it sends you, what it can read, and what happens to the key", () => {
    const words = read(consent());
    expect(words).toContain("Who asks It calls itself Claude Confirmed: it comes from claude.ai");
    expect(words).toContain("Sends you to claude.ai Allow only if you came from there.");
    expect(words).toContain(
      "Statistics of all sites of your key’s organization: visitors, pages, referrers,",
    );
    expect(words).toContain("Read only: it cannot change anything.");
    expect(words).toContain("Stored encrypted, used only for this connection, never shown to the assistant.");
    expect(words).toContain(
      "You need it again only to sign in again. Lasts At most one year, and no longer than 30 days after its last use. To end it earlier, revoke the key where you got it.",
    );
    expect(words).toContain("API key The API key that stats.example.com gave you.");
  });

  it.each([
    ["a service", {}, "revoke the key where you got it"],
    ["logs", { service: "access logs" }, "ask whoever runs this server to revoke it"],
    [
      "logs with a page for keys",
      { service: "access logs", dashboardUrl: "https://a.example/keys" },
      "revoke the key where you got it",
    ],
    ["the demo", { service: "made-up data", publicKey: "demo-key-of-acme" }, "remove it in your application"],
  ])("says how to end a connection to %s", (_, changes, ending) => {
    expect(read(consent(changes))).toContain(`To end it earlier, ${ending}.`);
  });

  it("says what logs can tell, with and without a database of countries, and how to make a key", () => {
    const words = (flags: object) =>
      read(consent({ service: "access logs", reads: logs.reads?.({ logs: ["x"], ...flags }) }));
    expect(words({})).toContain(
      "organization: visitors, pages, referrers, browsers, crawlers and dead links. Read",
    );
    expect(words({ geoip: "x.mmdb" })).toContain("dead links, and the countries of visitors. Read only");
    expect(words({})).toContain(
      "API key You need a key for these statistics. Whoever runs this server can give you one. For whoever runs it: analytics-mcp keys add",
    );
  });

  it("says where a service with an API of its own keeps its keys", () => {
    const page = consent({ keyPlace: "Settings, Personal, Security, Auth tokens" });
    expect(read(page)).toContain("From stats.example.com: Settings, Personal, Security, Auth tokens.");
  });

  it("links the dashboard if the operator named one, in another tab", () => {
    const page = consent({ dashboardUrl: "https://stats.example.com/keys?a=1&b=2" });
    const [link = ""] = tagsOf(page).filter((tag) => tag.startsWith("<a "));
    expect(readEntities(link)).toBe(
      '<a href="https://stats.example.com/keys?a=1&b=2" target="_blank" rel="noreferrer">',
    );
    expect(read(page)).toContain("Get a key for stats.example.com.");
    expect(consent()).not.toContain("<a ");
  });

  it("lets nobody try another key after too many: Cancel goes back to the application", () => {
    const disabled = (page: string) => tagsOf(page).filter((tag) => / disabled\b/.test(tag));
    const over = consent({ error: { code: "tries_used_up" } });
    expect(disabled(over)).toEqual([
      expect.stringContaining('id="api_key"'),
      expect.stringContaining('value="allow"'),
    ]);
    expect(tagsOf(over).filter((tag) => tag.includes("autofocus"))).toEqual([
      expect.stringMatching(/value="cancel".* aria-describedby="api_key_error"/),
    ]);
    for (const code of errorCodes.filter((errorCode) => errorCode !== "tries_used_up")) {
      expect(disabled(consent({ error: { code } }))).toEqual([]);
    }
  });

  it("says that a name without a confirmed host is not confirmed", () => {
    const words = read(
      consent({ application: { name: "Claude (verified by Anthropic)", uri: "https://a.example" } }),
    );
    expect(words).toContain(
      "It calls itself Claude (verified by Anthropic) Not confirmed: any application can use any name. It says its website is a.example",
    );
    expect(words).not.toContain("Confirmed:");
    expect(
      read(consent({ application: { name: "Claude", host: "b.example", uri: "https://a.example" } })),
    ).not.toContain("a.example");
  });

  it.each([
    { kind: "loopback", host: "127.0.0.1", port: "4000" },
    { kind: "app", scheme: "claude" },
  ] as const)(
    "does not call a host confirmed if a program on the device gets the answer: $kind",
    (redirect) => {
      const words = read(consent({ redirect }));
      expect(words).toContain(
        "It calls itself Claude Not confirmed: it refers to claude.ai, as any app could.",
      );
      expect(words).not.toContain("Confirmed:");
    },
  );

  it("warns where any program could be asking", () => {
    const loopback = read(consent({ redirect: { kind: "loopback", host: "127.0.0.1", port: "4000" } }));
    expect(loopback).toContain(
      "An app on this computer, at 127.0.0.1:4000 Any program on this computer could",
    );
    expect(read(consent({ redirect: { kind: "loopback", host: "localhost" } }))).toContain(
      "at localhost Any",
    );
    const app = read(consent({ redirect: { kind: "app", scheme: "cursor" } }));
    expect(app).toContain(
      "An app on this device that opens links starting with cursor: More than one app can claim",
    );
    expect(read(consent())).not.toContain("could be asking");
  });

  it.each(hostileNames)("shows the name $name as text, only in its frame", ({ name, shown }) => {
    const page = consent({ application: { name } });
    expect(tagsOf(page)).toEqual(tagsOf(consent({ application: { name: "Claude" } })));
    expect(nameIn(page)).toBe(shown);
    expect(read(page)).toBe(read(consent({ application: { name: "@NAME@" } })).replace("@NAME@", shown));
  });

  it.each(["", "   ", "\u200b\u202e", "\u2800\u3164\u115f", "\u0301"])("treats %j as no name", (name) => {
    expect(read(consent({ application: { name } }))).toContain("An application that does not give a name.");
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,<script>",
    "not a uri",
    "",
    '"><script>',
    "file:///etc/passwd",
  ])("leaves the website %j out", (uri) => {
    expect(consent({ application: { name: "Claude", uri } })).toBe(
      consent({ application: { name: "Claude" } }),
    );
  });

  it("reads a website's host with a URL parser, so that it cannot pass for another", () => {
    const uri = "https://claude.ai@evil.example\\@claude.ai/\u202e";
    expect(read(consent({ application: { name: "x", uri } }))).toContain("its website is evil.example");
    const homograph = read(consent({ application: { name: "x", uri: "https://cl\u0430ude.ai" } }));
    expect(homograph).toContain("its website is xn--clude-5ve.ai");
  });

  it.each([
    { kind: "https", host: '"><script>' },
    { kind: "loopback", host: '"><script>', port: '"><script>' },
    { kind: "app", scheme: '"><script>' },
  ] as const)("prints a hostile address of kind $kind as text", (redirect) => {
    const tame = JSON.parse(JSON.stringify(redirect).replaceAll(JSON.stringify('"><script>'), '"a"'));
    expect(tagsOf(consent({ redirect }))).toEqual(tagsOf(consent({ redirect: tame })));
  });

  it("shows the end of a long host, and nothing invisible, blank or foreign in an address", () => {
    const host = `claude.ai.${"a.".repeat(500)}evil.example`;
    const words = read(consent({ application: { host }, redirect: { kind: "https", host } }));
    expect(words).not.toContain("claude.ai");
    expect(words.match(/a\.evil\.example/g)).toHaveLength(2);
    const scheme = "cursor\u202e \ncl\u0430ude";
    const app = read(consent({ redirect: { kind: "app", scheme } }));
    expect(app).toContain("links starting with cursor\ufffd\ufffd\ufffdcl\ufffdude:");
  });

  it("contains no key, except the public one of a demonstration", () => {
    const fields = (page: string) => tagsOf(page).filter((tag) => tag.includes('name="api_key"'));
    for (const code of errorCodes)
      expect(fields(consent({ error: { code } })).join()).not.toMatch(/\svalue=/);
    const demo = consent({ publicKey: 'demo-"key"', notice: made.about.notice });
    expect(fields(demo)).toEqual([expect.stringContaining(' value="demo-&#34;key&#34;"')]);
    expect(read(demo)).toContain('This key is public and already filled in: demo-"key"');
    expect(read(demo)).toContain("Demonstration. All numbers are made up.");
    expect(read(consent())).not.toMatch(/demonstration/i);
  });

  it("has one key field, without autocomplete or autocorrection", () => {
    const [field = "", ...others] = tagsOf(consent()).filter((tag) => /type="password"/.test(tag));
    expect(others).toEqual([]);
    const settings = ['autocomplete="off"', 'autocapitalize="none"', 'spellcheck="false"', "required"];
    for (const setting of settings) expect(field).toContain(` ${setting}`);
  });

  it("escapes the server's own values too", () => {
    const page = consent({ action: '/a"><b>', csrf: '"><b>', service: 'https://"><b>' });
    expect(tagsOf(page).map((tag) => tag.split(" ")[0])).toEqual(
      tagsOf(consent({ service: "access logs" })).map((tag) => tag.split(" ")[0]),
    );
  });

  it.each(["https://evil.example/", "//evil.example", "/\\evil.example", "consent", "javascript:x", ""])(
    "refuses a form action of %j",
    (action) => {
      expect(() => consent({ action })).toThrow(TypeError);
    },
  );

  it.each([
    ["wrong_key", undefined, "This key is not valid. Check that you copied all of it, or get a new one."],
    ["empty_key", undefined, "The key is missing. Paste your API key, or choose Cancel."],
    ["malformed_key", undefined, "This is not an API key:"],
    ["rate_limited", undefined, "Too many attempts. Try again in a minute."],
    ["rate_limited", 1, "Too many attempts. Try again in 1 second."],
    ["rate_limited", 44.2, "Too many attempts. Try again in 45 seconds."],
    ["rate_limited", 121, "Too many attempts. Try again in 3 minutes."],
    ["rate_limited", 86_400, "Too many attempts. Try again in 24 hours."],
    ["rate_limited", -1, "Too many attempts. Try again in a minute."],
    ["rate_limited", Number.NaN, "Too many attempts. Try again in a minute."],
    ["rate_limited", Number.POSITIVE_INFINITY, "Too many attempts. Try again in a minute."],
    [
      "unavailable",
      300,
      "stats.example.com is not responding, so the key could not be checked. Try again in 5 min",
    ],
    [
      "expired",
      undefined,
      "This page was open for too long, so access was not allowed. Enter the key again.",
    ],
  ] as const)("says what to do about %s (Retry-After: %s)", (code, retryAfter, words) => {
    const page = consent({ error: { code, retryAfter } });
    const alert = /<p class="error" id="api_key_error" role="alert">([^<]*)<\/p>/.exec(page)?.[1] ?? "";
    expect(readEntities(alert)).toContain(words);
    expect(page).toContain("<title>Error: ");
    expect(page.includes('aria-invalid="true"')).toBe(code.endsWith("_key"));
  });
});

describe("the error page", () => {
  it("says what happened, what to do, and why, as text", () => {
    const page = buildErrorPage({
      title: "<b>",
      message: "Message & more.",
      hint: "Hint.",
      code: "invalid_request",
      reason: `"><script>\u202e\n${"x".repeat(1000)}`,
    });
    expect(read(page)).toContain("<b> Message & more. Hint. This server’s reason:");
    expect(read(page)).toContain("Code: invalid_request");
    expect(nameIn(page)).toBe(`"><script> ${"x".repeat(288)}…`);
    expect(page).not.toContain("<script");
  });

  it("leaves out missing parts", () => {
    const words = read(buildErrorPage({ title: "Gone", message: "It is not here.", reason: "\u200b" }));
    expect(words.trim()).toBe(
      "analytics-mcp Gone It is not here. What this server is, and how to connect an application",
    );
  });
});

describe("the landing page", () => {
  it("keeps the options that this server was started with", () => {
    const page = buildLandingPage({
      publicUrl: "http://localhost:8788",
      isLocal: true,
      service: "access logs",
      hasPublicKey: false,
      reads: "visitors and pages",
      command: "analytics-mcp serve --logs '/var/log/nginx/access.log*' --site example.com",
    });
    expect(read(page)).toContain(
      "analytics-mcp serve --logs '/var/log/nginx/access.log*' --site example.com --public-url https://connector.example.com",
    );
    expect(read(page)).toContain("It lets your assistant read the visitors and pages of your sites.");
  });

  const landing = (publicUrl: string, isDemo = false, isLocal = false) =>
    buildLandingPage({
      publicUrl,
      isLocal,
      service: "https://stats.example.com",
      hasPublicKey: isDemo,
      ...(isDemo && { notice: made.about.notice }),
    });
  const linksOf = (page: string) =>
    [...page.matchAll(/<a href="([^"]*)"/g)].map(([, href = ""]) => readEntities(href));

  it("on this machine names only clients that can reach it, and says how others can", () => {
    const words = read(landing("http://localhost:8788", true, true));
    for (const client of ["Claude Code", "Cursor", "VS Code"]) expect(words).toContain(client);
    expect(words).toContain("claude mcp add --transport http analytics http://localhost:8788/mcp");
    expect(words).not.toMatch(/custom connector|Advanced settings/);
    expect(words).toMatch(
      /This address works only on this machine\. .*claude\.ai.*ChatGPT.*--public-url https:\/\//,
    );
  });

  it.each(["https://mcp.example.com", "https://mcp.example.com/"])(
    "shows the address to add for %s",
    (url) => {
      const page = landing(url);
      expect(page).toContain('readonly value="https://mcp.example.com/mcp"');
      const words = read(page);
      for (const client of ["Claude", "ChatGPT", "Cursor", "VS Code"]) expect(words).toContain(client);
      expect(words).toContain("claude mcp add --transport http analytics https://mcp.example.com/mcp");
      expect(words).toContain("asks for an API key from stats.example.com.");
    },
  );

  it("has links that add the address to Cursor and VS Code", () => {
    const [cursor = "", code = ""] = linksOf(landing("https://mcp.example.com/a'b"));
    const url = new URL(cursor);
    expect(cursor).toMatch(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install\?/);
    expect(JSON.parse(atob(url.searchParams.get("config") ?? ""))).toEqual({
      url: expect.stringMatching(/^https:\/\/mcp\.example\.com\/a/),
    });
    expect(code).toMatch(/^vscode:mcp\/install\?/);
    expect(JSON.parse(decodeURIComponent(code.split("?")[1] ?? ""))).toEqual({
      name: "analytics",
      type: "http",
      url: expect.stringMatching(/^https:\/\/mcp\.example\.com\/a/),
    });
  });

  it("links to its documents, and says if its numbers are made up", () => {
    expect(linksOf(pages.landing ?? "").slice(3)).toEqual(["/llms.txt", "/openapi.json"]);
    expect(read(pages.landing ?? "")).not.toContain("made up");
    expect(read(landing("https://a.example", true))).toContain("Demonstration. All numbers are made up.");
  });
});

describe("the template", () => {
  it("escapes every text, once", () => {
    const inner = html`<i title="${`"'<>&`}">${"<&>"}</i>`;
    expect(printHtml(html`<p>${inner}${undefined}${[inner, inner]}</p>`)).toBe(
      `<p>${'<i title="&#34;&#39;&#60;&#62;&#38;">&#60;&#38;&#62;</i>'.repeat(3)}</p>`,
    );
  });

  it("does not treat objects from JSON as markup", () => {
    const forged = JSON.parse('{"markup":"<script>","MARKUP":"<script>","Symbol(markup)":"<script>"}');
    expect(printHtml(html`${forged}`)).not.toContain("<script>");
  });

  it("prints no invisible characters and none that change the direction", () => {
    expect(printHtml(html`${"a\u202eb\u200bc\u0000d\u{e0041}e\nf"}`)).toBe("abcde f");
  });
});

it("the icon is one small picture without scripts or references", () => {
  expect(Buffer.byteLength(buildIcon())).toBeLessThan(600);
  expect(buildIcon()).toMatch(
    /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 32 32">.*<\/svg>$/,
  );
  expect(buildIcon()).not.toMatch(/script|href|style|url\(/);
  const [, data = ""] = iconUrl.split("data:image/svg+xml;base64,");
  expect(Buffer.from(data, "base64").toString()).toBe(buildIcon());
  expect(pages.https).toContain(`<link rel="icon" href="${iconUrl.replaceAll("'", "&#39;")}">`);
});
