import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createDescribedFormat } from "../../../../../src/sources/logs/reading/formats/described.ts";
import { createLineParser } from "../../../../../src/sources/logs/reading/formats/index.ts";
import type { LogLine } from "../../../../../src/sources/logs/reading/log-line.ts";

const AT = Date.parse("2026-11-21T04:05:10Z") / 1000;
const view = { time: AT, address: "192.0.2.1", method: "GET", target: "/a?b=c", status: 200 };
const LOCAL = "21/Nov/2026:05:05:10 +0100";
const ISO = "2026-11-21T05:05:10+01:00";
const GET = "GET /a?b=c HTTP/1.1";

const read = (description: string, line: string) =>
  createLineParser(createDescribedFormat(description))(line);

describe("a description of nginx or Apache reads its lines", () => {
  it.each<[what: string, description: string, line: string, expected: Partial<LogLine>]>([
    [
      "nginx's combined",
      '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
      `192.0.2.1 - - [${LOCAL}] "${GET}" 200 512 "https://google.com/" "A \\x22B\\x22"`,
      { ...view, referrer: "https://google.com/", agent: 'A "B"' },
    ],
    [
      "an ISO time, and a time without brackets",
      '$time_iso8601 $remote_addr "$request" $status $request_time "$http_user_agent"',
      `${ISO} 192.0.2.1 "${GET}" 200 0.003 "-"`,
      { ...view, agent: "", referrer: undefined },
    ],
    [
      "a local time between spaces",
      '$remote_addr $time_local "$request" $status',
      `192.0.2.1 ${LOCAL} "${GET}" 200`,
      view,
    ],
    ["milliseconds", "$msec|$remote_addr|$request|$status", `${AT}.123|192.0.2.1|${GET}|200`, view],
    [
      "tabs",
      "$time_iso8601\\t$remote_addr\\t$request_method\\t$uri\\t$args\\t$status\\t$http_user_agent",
      `${ISO}\t192.0.2.1\tGET\t/a\tb=c\t200\tFirefox 1`,
      { ...view, agent: "Firefox 1" },
    ],
    [
      "a path with its query, and without one",
      "$remote_addr $msec $request_method $scheme://$host$uri$is_args$args $status",
      `192.0.2.1 ${AT} GET https://example.com/a?b=c 200`,
      { ...view, host: "example.com" },
    ],
    [
      "the more exact of two",
      '$host $server_name $remote_addr [$time_local] $msec "$request" "$request_uri" $status',
      `a.example b.example 192.0.2.1 [${LOCAL}] ${AT + 5}.0 "${GET}" "/other" 200`,
      { ...view, time: AT + 5, host: "a.example" },
    ],
    [
      "proxies, languages and content types",
      '$remote_addr [$time_local] "$request" $status "$http_x_forwarded_for" "${http_accept_language}" "$sent_http_content_type" "$http_sec_purpose"',
      `10.0.0.1 [${LOCAL}] "${GET}" 200 "192.0.2.1, 10.0.0.2" "de" "text/html" "prefetch"`,
      {
        ...{ ...view, address: "10.0.0.1", forwarded: "192.0.2.1, 10.0.0.2" },
        ...{ language: "de", contentType: "text/html", purpose: "prefetch" },
      },
    ],
    [
      "a directive as it stands in nginx.conf",
      `log_format main escape=default '$remote_addr [$time_local] '\n                '"$request" $status';`,
      `192.0.2.1 [${LOCAL}] "${GET}" 200`,
      view,
    ],
    [
      "Apache's combined with hosts",
      '%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i"',
      `example.com:443 192.0.2.1 - jane [${LOCAL}] "${GET}" 200 512 "-" "A \\"B\\""`,
      { ...view, host: "example.com", referrer: "", agent: 'A "B"' },
    ],
    [
      "a directive as it stands in apache2.conf",
      'LogFormat "%h %t \\"%r\\" %>s \\"%{User-agent}i\\"" short',
      `192.0.2.1 [${LOCAL}] "${GET}" 200 "x"`,
      { ...view, agent: "x" },
    ],
    [
      "times of strftime",
      "%a %{%Y-%m-%d %H:%M:%S %z}t %m %U%q %s",
      "192.0.2.1 2026-11-21 05:05:10 +0100 GET /a?b=c 200",
      view,
    ],
    [
      "a path without a query",
      "%a %{msec}t %m %U%q %s",
      `192.0.2.1 ${AT}999 GET /a 200`,
      { ...view, target: "/a" },
    ],
    ["conditions and modifiers", '%h %t "%r" %!200,304<s %^FB', `192.0.2.1 [${LOCAL}] "${GET}" 200 7`, view],
    [
      "JSON with names and depths of its own",
      '{"at":"$time_iso8601","who":{"ip":"$remote_addr"},"what":"$request_method $request_uri","code":$status,"took":$request_time,"ua":"$http_user_agent"}',
      `{"at":"${ISO}","who":{"ip":"192.0.2.1"},"what":"GET /a?b=c","code":200,"took":0.1,"ua":"-"}`,
      { ...view, agent: "" },
    ],
    [
      "JSON without escape=json",
      '{ "t": "$msec", "ip": "$remote_addr", "r": "$request", "s": "$status", "ua": "$http_user_agent" }',
      `{ "t": "${AT}.5", "ip": "192.0.2.1", "r": "${GET}", "s": "200", "ua": "\\x22\\xC3\\xA4\\x5C" }`,
      { ...view, agent: '"ä\\' },
    ],
    [
      "Apache's JSON",
      '{"time":"%{%FT%T%z}t","ip":"%a","request":"%r","status":%>s,"host":"%V"}',
      `{"time":"2026-11-21T05:05:10+0100","ip":"192.0.2.1","request":"${GET}","status":200,"host":"example.com"}`,
      { ...view, host: "example.com" },
    ],
    [
      "a TLS handshake",
      '$remote_addr [$time_local] "$request" $status',
      `192.0.2.1 [${LOCAL}] "\\x16\\x03\\x01" 400`,
      { method: "", status: 400 },
    ],
  ])("%s", (_, description, line, expected) => {
    expect(read(description, line)).toMatchObject(expected);
  });

  const combined = '$remote_addr [$time_local] "$request" $status "$http_user_agent"';
  it.each([
    ["that is cut off", `192.0.2.1 [${LOCAL}] "${GET}" 200 "Fire`],
    ["of another format", `192.0.2.1 - - [${LOCAL}] "${GET}" 200 "x"`],
    ["with a time that is none", `192.0.2.1 [31/Feb/2026:05:05:10 +0100] "${GET}" 200 "x"`],
    ["without a status", `192.0.2.1 [${LOCAL}] "${GET}" - "x"`],
    ["without anything", ""],
  ])("a line %s is not read", (_, line) => {
    expect(read(combined, line)).toBeUndefined();
  });

  it("a visitor's quotes end no text", () => {
    const line = `192.0.2.1 [${LOCAL}] "GET /\\x22 HTTP/1.1" 200 "a\\" 404 \\"b"`;
    expect(read(combined, line)).toMatchObject({ target: '/"', status: 200, agent: 'a" 404 "b' });
  });
});

describe("a description by which nothing can be read is refused, with the reason", () => {
  it.each([
    ['$remote_addr "$request" $status', "it lacks the time ($time_local, $time_iso8601, %t)"],
    ["%h %t %>s", "it lacks the request ($request, %r)"],
    ["$remote_addr$time_local $request $status", "nothing stands between $remote_addr and $time_local"],
    [
      '%h %{%d/%b %H:%M}t "%r" %>s',
      "%{%d/%b %H:%M}t is a time that cannot be read: a date needs its offset (%z)",
    ],
    ["100% $", "it has no variable of nginx ($remote_addr) or Apache (%h)"],
    ['{"time": $time_iso8601', "it begins with a brace, but is no JSON object"],
    [`$remote_addr ${"x".repeat(4_000)}`, "it has more than 4,000 characters"],
  ])("%s", (description, why) => {
    expect(() => createDescribedFormat(description)).toThrow(
      `--log-format: this description cannot be used, because ${why}.`,
    );
  });
});

describe("each description in docs/logs.md reads a line that is written by it", () => {
  const page = readFileSync("docs/logs.md", "utf8");
  const found = [...page.matchAll(/--log-format '(.*)'$/gm)].map(([, description = ""]) => description);
  const written: Record<string, string> = {
    ...{ $remote_addr: "192.0.2.1", $time_iso8601: ISO, $request: GET, $status: "200", "%h": "192.0.2.1" },
    ...{ "%v": "example.com", "%p": "443", "%{%Y-%m-%dT%H:%M:%S%z}t": "2026-11-21T05:05:10+0100", "%r": GET },
    ...{ "%>s": "200", $http_referer: "-", $http_user_agent: "x", "%{Referer}i": "-", "%{User-Agent}i": "x" },
  };

  it("there are three", () => expect(found).toHaveLength(3));

  it.each(found)("%s", (description) => {
    const line = description.replaceAll(
      /\$\w+|%>?(?:\{[^}]*\})?[a-zA-Z]/g,
      (name) => written[name] ?? "unknown",
    );
    expect(line).not.toContain("unknown");
    expect(read(description, line)).toMatchObject(view);
  });
});
