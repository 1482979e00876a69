import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  createLineParser,
  detectFormat,
  logFormats,
} from "../../../../../src/sources/logs/reading/formats/index.ts";
import type { LogLine } from "../../../../../src/sources/logs/reading/log-line.ts";
import { logs } from "../../../../../src/sources/logs.ts";
import { writtenFormats } from "../../../../support/log-formats.ts";
import { FIREFOX } from "../../../../support/logs.ts";

const AT = Date.parse("2026-11-21T04:05:10Z") / 1000;
const view = { time: AT, address: "192.0.2.1", method: "GET", target: "/a?b=c", status: 200 };
const headers = { referrer: "https://google.com/", agent: FIREFOX };
const CLF = `[21/Nov/2026:05:05:10 +0100] "GET /a?b=c HTTP/1.1" 200 512`;
const COMBINED = `${CLF} "https://google.com/" "${FIREFOX}"`;
const ENCODED = FIREFOX.replaceAll(" ", "%20").replaceAll(";", "%3B");

/** The first lines of a file, its format, and what its last line says. */
const formats: Record<string, [lines: string[], format: string, expected: Partial<LogLine>]> = {
  combined: [[`192.0.2.1 - - ${COMBINED}`], "combined", { ...view, ...headers }],
  common: [[`192.0.2.1 - - ${CLF}`], "combined", { ...view, agent: undefined, referrer: undefined }],
  "combined with a virtual host": [
    [`example.com:443 192.0.2.1 - - ${COMBINED}`],
    "combined",
    { ...view, ...headers, host: "example.com:443" },
  ],
  "common with a virtual host": [
    [`example.com 192.0.2.1 - - ${CLF}`],
    "combined",
    { ...view, host: "example.com" },
  ],
  "nginx main with X-Forwarded-For": [
    [`10.0.0.1 - - ${COMBINED} "192.0.2.1, 10.0.0.2"`],
    "combined",
    { ...view, ...headers, address: "10.0.0.1", forwarded: "192.0.2.1, 10.0.0.2" },
  ],
  "nginx main without a proxy": [
    [`192.0.2.1 - - ${COMBINED} "-"`],
    "combined",
    { ...view, ...headers, forwarded: undefined },
  ],
  Lighttpd: [
    [`192.0.2.1 www.example.com - ${COMBINED}`],
    "combined",
    { ...view, ...headers, host: "www.example.com" },
  ],
  "Traefik CLF": [
    [`192.0.2.1 - - ${COMBINED} 7 "web@docker" "http://172.18.0.3:80" 4ms`],
    "combined",
    { ...view, ...headers },
  ],
  "a user's name with brackets and spaces": [
    [`192.0.2.1 - jane [the admin] doe ${COMBINED}`],
    "combined",
    { ...view, ...headers, address: "192.0.2.1" },
  ],
  "an IPv6 address and a host": [
    [`example.com 2001:db8::1 - - ${COMBINED}`],
    "combined",
    { ...view, ...headers, address: "2001:db8::1", host: "example.com" },
  ],
  "nginx escapes": [
    [`192.0.2.1 - - [21/Nov/2026:05:05:10 +0100] "GET /\\xC3\\xA4\\x22 HTTP/1.1" 200 5 "-" "A\\x22B"`],
    "combined",
    { target: '/ä"', agent: 'A"B', referrer: "" },
  ],
  "Apache escapes": [
    [`192.0.2.1 - - [21/Nov/2026:05:05:10 +0100] "GET /\\"q\\" HTTP/1.1" 200 5 "-" "A \\"B\\" \\\\C"`],
    "combined",
    { target: '/"q"', agent: 'A "B" \\C' },
  ],
  "a path with spaces": [
    [`192.0.2.1 - - [21/Nov/2026:05:05:10 +0100] "GET /a b c HTTP/1.1" 404 5 "-" "x"`],
    "combined",
    { target: "/a b c", status: 404 },
  ],
  "a TLS handshake": [
    [`192.0.2.1 - - [21/Nov/2026:05:05:10 +0100] "\\x16\\x03\\x01" 400 157 "-" "-"`],
    "combined",
    { method: "", status: 400, agent: "" },
  ],
  "a connection without a request": [
    [`192.0.2.1 - - [21/Nov/2026:05:05:10 +0100] "-" 408 - "-" "-"`],
    "combined",
    { method: "", status: 408 },
  ],
  Caddy: [
    [
      JSON.stringify({ level: "info", ts: AT, msg: "serving initial configuration", request: {} }),
      JSON.stringify({
        level: "info",
        ts: AT + 0.25,
        logger: "http.log.access.log0",
        msg: "handled request",
        request: {
          remote_ip: "10.0.0.1",
          client_ip: "192.0.2.1",
          proto: "HTTP/2.0",
          method: "GET",
          host: "example.com",
          uri: "/a?b=c",
          headers: {
            Referer: ["https://google.com/"],
            "User-Agent": [FIREFOX],
            "Accept-Language": ["de-DE,de;q=0.9"],
            "Sec-Purpose": ["prefetch"],
          },
        },
        status: 200,
        size: 5,
        resp_headers: { "Content-Type": ["text/html; charset=utf-8"] },
      }),
    ],
    "json",
    {
      ...view,
      ...headers,
      host: "example.com",
      language: "de-DE,de;q=0.9",
      purpose: "prefetch",
      contentType: "text/html; charset=utf-8",
    },
  ],
  "Traefik JSON": [
    [
      JSON.stringify({
        ClientAddr: "192.0.2.1:5000",
        ClientHost: "192.0.2.1",
        DownstreamStatus: 200,
        RequestHost: "example.com",
        RequestMethod: "GET",
        RequestPath: "/a?b=c",
        StartUTC: "2026-11-21T04:05:10.123Z",
        time: "2026-11-21T04:05:11Z",
        request_Referer: "https://google.com/",
        "request_User-Agent": FIREFOX,
      }),
    ],
    "json",
    { ...view, ...headers, host: "example.com" },
  ],
  "nginx JSON with nginx's names": [
    [
      JSON.stringify({
        time_iso8601: "2026-11-21T05:05:10+01:00",
        remote_addr: "192.0.2.1",
        status: "200",
        request_method: "GET",
        request_uri: "/a?b=c",
        http_host: "example.com",
        http_referer: "https://google.com/",
        http_user_agent: FIREFOX,
        http_x_forwarded_for: "-",
      }),
    ],
    "json",
    { ...view, ...headers, host: "example.com", forwarded: undefined },
  ],
  "nginx JSON with the request line": [
    [
      JSON.stringify({
        time_local: "21/Nov/2026:05:05:10 +0100",
        remote_addr: "192.0.2.1",
        status: 200,
        request: "GET /a?b=c HTTP/1.1",
        http_referrer: "-",
        http_user_agent: "",
      }),
    ],
    "json",
    { ...view, referrer: "", agent: "" },
  ],
  "nginx JSON with the query apart": [
    [
      JSON.stringify({
        msec: `${AT}.120`,
        remote_addr: "192.0.2.1",
        status: 200,
        request_method: "GET",
        uri: "/a",
        args: "b=c",
      }),
    ],
    "json",
    { ...view, agent: undefined },
  ],
  "W3C of IIS": [
    [
      "#Software: Microsoft Internet Information Services 10.0",
      "#Date: 2026-11-21 00:00:00",
      "#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) cs-host sc-status time-taken",
      `2026-11-21 04:05:10 10.0.0.5 GET /a b=c 443 - 192.0.2.1 ${FIREFOX.replaceAll(" ", "+")} https://google.com/ example.com 200 12`,
    ],
    "w3c",
    { ...view, ...headers, host: "example.com" },
  ],
  "W3C of CloudFront": [
    [
      "#Version: 1.0",
      "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header",
      `2026-11-21\t04:05:10\tFRA2\t512\t192.0.2.1\tGET\td111.cloudfront.net\t/a\t200\thttps://google.com/\t${ENCODED}\tb=c\texample.com`,
    ],
    "w3c",
    { ...view, ...headers, host: "example.com" },
  ],
  "W3C with fields that change": [
    [
      "#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)",
      "2026-11-21 04:05:09 192.0.2.9 GET /old 200 Old",
      "#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip sc-status",
      "2026-11-21 04:05:10 GET /a b=c 192.0.2.1 200",
    ],
    "w3c",
    { ...view, agent: undefined },
  ],
  "AWS ALB": [
    [
      `h2 2026-11-21T04:05:10.123456Z app/web/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET https://example.com:443/a?b=c HTTP/2.0" "${FIREFOX}" ECDHE TLSv1.2 arn:aws "Root=1-58" "example.com" "arn:cert" 0 2026-11-21T04:05:10.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"`,
    ],
    "alb",
    { ...view, target: "https://example.com:443/a?b=c", agent: FIREFOX, referrer: undefined },
  ],
  "AWS ALB with an IPv6 address": [
    [
      `https 2026-11-21T04:05:10Z app/web/50 [2001:db8::1]:2817 - -1 -1 -1 400 - 0 272 "- http://example.com:80- -" "-" - - - "-" "-" "-" - 2026-11-21T04:05:10Z "-" "-" "-" "-" "-" "-" "-"`,
    ],
    "alb",
    { address: "2001:db8::1", method: "", status: 400, agent: "" },
  ],
};

describe("a log's format is recognized, and its lines are read", () => {
  it.each(Object.entries(formats))("%s", (_, [lines, name, expected]) => {
    const detected = detectFormat(lines);
    expect(detected).toMatchObject({ kind: "access", format: { name } });
    if (detected.kind !== "access") return;
    const parse = detected.format.createParser();
    const parsed = lines.map((line) => parse(line)).at(-1);
    // A field that the log does not have is undefined.
    const found = Object.fromEntries(
      Object.keys(expected).map((key) => [key, Object(parsed)[key as keyof LogLine]]),
    );
    expect(found).toEqual(expected);
  });

  it.each([
    ["nginx's error log", "2026/11/21 05:05:10 [error] 7#7: *1 open() failed", "error-log"],
    ["Apache's error log", "[Sat Nov 21 05:05:10.123456 2026] [core:error] [pid 7] AH1", "error-log"],
    ["a text", "Dear diary,", "unknown"],
    ["nothing", "", "empty"],
  ])("%s is no access log", (_, line, kind) => {
    expect(detectFormat([line])).toEqual({ kind });
  });

  it.each([
    ["a month that is none", '192.0.2.1 - - [21/Foo/2026:05:05:10 +0100] "GET / HTTP/1.1" 200 5'],
    ["a day that is none", '192.0.2.1 - - [31/Feb/2026:05:05:10 +0100] "GET / HTTP/1.1" 200 5'],
    ["an hour that is none", '192.0.2.1 - - [21/Nov/2026:25:05:10 +0100] "GET / HTTP/1.1" 200 5'],
    ["no status", '192.0.2.1 - - [21/Nov/2026:05:05:10 +0100] "GET / HTTP/1.1" -'],
    ["no end", '192.0.2.1 - - [21/Nov/2026:05:05:10 +0100] "GET /'],
    ["no sender", ' [21/Nov/2026:05:05:10 +0100] "GET / HTTP/1.1" 200 5'],
  ])("a line with %s is not read", (_, line) => {
    const detected = detectFormat([`192.0.2.1 - - ${COMBINED}`]);
    expect(detected.kind === "access" && detected.format.createParser()(line)).toBeUndefined();
  });

  it.each([
    [-1, false],
    [0, true],
    [999, true],
    [1_000, false],
    [1e300, false],
    [200.5, false],
  ])("a line with the status %d is read: %s", (status, isRead) => {
    const line = JSON.stringify({ time: AT, remote_addr: "192.0.2.1", method: "GET", uri: "/", status });
    const detected = detectFormat([line.replace(/"status":.*}/, '"status":200}')]);
    if (detected.kind !== "access") expect.unreachable();
    expect(createLineParser(detected.format)(line) !== undefined).toBe(isRead);
  });
});

describe("no format is missing", () => {
  const names = logFormats.map(({ name }) => name);
  const written = Object.values(writtenFormats).map(({ header = "", write }) => {
    const line = write({
      time: AT,
      address: "192.0.2.1",
      host: "example.com",
      target: "/",
      language: "de",
      ...headers,
    });
    return detectFormat([...header.split("\n"), line]);
  });

  it.each([
    ["the lines of this test", Object.values(formats).map(([, name]) => name)],
    [
      "test/support/log-formats.ts",
      written.flatMap((each) => (each.kind === "access" ? [each.format.name] : [])),
    ],
  ])("in %s", (_, tried) => {
    expect(names.filter((name) => !tried.includes(name))).toEqual([]);
  });

  it("in the help and in docs/logs.md", () => {
    const option = logs.settings?.find(({ flag }) => flag === "--log-format");
    expect(option?.description).toMatch(`${names.join(", ")}, or `);
    expect(readFileSync("docs/logs.md", "utf8")).toContain(`--log-format ${names.join("|")}`);
  });
});
