import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { answerRightly, type Fault, format, type Wire } from "../support/fault-proxy.ts";
import { echoes } from "./echoes.ts";
import {
  always,
  atFirst,
  CRLF,
  chunked,
  edited,
  JSON_TYPE,
  type NamedFault,
  PAGE,
  raw,
  reply,
  withBody,
  withHead,
  withHeaders,
} from "./sending.ts";
import { stops } from "./stops.ts";

/** Sends a few bytes at a time, and after a while the rest at once. */
async function drip({ socket }: Wire, bytes: Buffer, size: number) {
  const end = Math.min(bytes.length, 600 * size);
  for (let index = 0; index < end && !socket.destroyed; index += size) {
    socket.write(bytes.subarray(index, index + size));
    await new Promise(setImmediate);
  }
  socket.write(bytes.subarray(end));
}

const listsOf = (value: string) => `{"sites":[${value}],"rows":[${value}],"points":[${value}],"paths":{}}`;
const manyWrong = listsOf(Array(1.5e6).fill("0").join());
const manyEmpty = listsOf(Array(1e6).fill("{}").join());
const bomb = Buffer.alloc(30_000_000, 0x20);
const bombs = { gzip: gzipSync(bomb), br: brotliCompressSync(bomb), "gzip, gzip": gzipSync(gzipSync(bomb)) };
const packed = (coding: string, body: Buffer): Fault =>
  edited(({ headers }) => ({ headers: { ...headers, "content-encoding": coding }, body }));

/** Values of Retry-After that ask for no wait. Other tests measure the waits that are kept. */
const waits = {
  "a negative number": "-5",
  "a fraction": "1.5",
  "no number": "soon",
  "words with a year": "after 2099",
  "two numbers": "5, 10",
  "a date that is over": "Sun, 06 Nov 1994 08:49:37 GMT",
  zero: "0",
  nothing: "",
};
const YEAR_MS = 3.2e10;
/** Asks to wait for a second, by a clock that is ahead by that many seconds. */
const waitBy = (ahead: number) => {
  const format = (seconds: number) => new Date(Date.now() + ahead + 1000 * seconds).toUTCString();
  return { date: format(0), "retry-after": format(1) };
};
const longWaits = {
  "an hour": "3600",
  "a huge number": "999999999999999999999999",
  "a date far off": "Fri, 31 Dec 9999 23:59:59 GMT",
};

const repeated = (name: string, first: string, second: string): Fault =>
  raw(({ headers, body }) => {
    const lines = Object.entries({ "content-length": `${body.length}`, ...headers })
      .filter(([each]) => each !== name)
      .map(([each, value]) => `${each}: ${value}`);
    const head = ["HTTP/1.1 200 OK", ...lines, `${name}: ${first}`, `${name}: ${second}`].join("\r\n");
    return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]);
  });

/** What a service, or a proxy in front of it, may do to an answer. */
export const wireFaults: NamedFault[] = [
  ...stops,
  ...echoes,

  ...always("right", {
    "drips byte by byte": (wire) => drip(wire, format(wire.right), 1),
    "drips in pieces of chunks": (wire) => drip(wire, format(chunked(wire.right)), 7),
    "two resets and then an answer": atFirst(2, ({ reset }) => reset()),
    "a burst of 503 and then an answer": atFirst(3, reply(503)),
    "a burst of 502, 504 and 429": atFirst(3, (wire) => reply([502, 504, 429][wire.count - 1] ?? 502)(wire)),
    "closes after the answer": raw((right) => format(right)),
    "resets after the answer": async (wire) => {
      wire.socket.write(format(wire.right));
      await sleep(20);
      wire.reset();
    },
    "closes a connection when it is used again": (wire) =>
      wire.count === 2 ? wire.socket.destroy() : answerRightly(wire),
    "HTTP/1.0": withHead("HTTP/1.0 200 OK", "content-type: application/json"),
    "no framing, ended by closing": withHead("HTTP/1.1 200 OK", "content-type: application/json"),
    "no reason phrase": raw((right) => {
      const bytes = format(right);
      return Buffer.concat([Buffer.from("HTTP/1.1 200"), bytes.subarray(bytes.indexOf(CRLF))]);
    }),
    "103 Early Hints first": ({ socket, right }) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n");
      socket.write(format(right));
    },
    "garbage after the answer": ({ socket, right }) => {
      const garbage = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}garbage");
      socket.write(Buffer.concat([format(right), garbage]));
    },
    "429 and a date by a clock a year ahead": atFirst(1, reply(429, waitBy(YEAR_MS))),
    "429 and a date by a clock a year behind": atFirst(1, reply(429, waitBy(-YEAR_MS))),
    "a byte order mark": withBody((body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body])),
    "white space around": withBody((body) => `\n\t ${body} \r\n`),
    "a charset": withHeaders({ "content-type": "application/json; charset=utf-8" }),
    "a type of its own": withHeaders({ "content-type": "application/vnd.analytics+json" }),
    gzip: edited(({ headers, body }) => ({
      headers: { ...headers, "content-encoding": "gzip" },
      body: gzipSync(body),
    })),
    brotli: edited(({ headers, body }) => ({
      headers: { ...headers, "content-encoding": "br" },
      body: brotliCompressSync(body),
    })),
    deflate: edited(({ headers, body }) => ({
      headers: { ...headers, "content-encoding": "deflate" },
      body: deflateSync(body),
    })),
    "two codings": edited(({ headers, body }) => ({
      headers: { ...headers, "content-encoding": "gzip, br" },
      body: brotliCompressSync(gzipSync(body)),
    })),
    "a clock a year ahead": withHeaders({ date: new Date(Date.now() + YEAR_MS).toUTCString() }),
    "a clock at the beginning of time": withHeaders({ date: "Thu, 01 Jan 1970 00:00:00 GMT" }),
    "a date that is none": withHeaders({ date: "yesterday" }),
    "an age that is none": withHeaders({ age: "-1", "cache-control": "max-age=-5" }),
    "the coding identity": withHeaders({ "content-encoding": "identity" }),
    "ETag twice": repeated("etag", '"a"', '"b"'),
    "Cache-Control twice": repeated("cache-control", "max-age=60", "no-store"),
    "Retry-After twice": repeated("retry-after", "5", "Sun, 06 Nov 1994 08:49:37 GMT"),
    "a header of eight kilobytes": withHeaders({ "x-long": "x".repeat(8_000) }),
    "bytes beyond ASCII in a header": withHeaders({ "x-bytes": "caf\u00e9 \u00ff" }),
    ...Object.fromEntries(
      Object.entries(waits).map(([name, value]) => [
        `429 and Retry-After of ${name}`,
        atFirst(1, reply(429, { "retry-after": value })),
      ]),
    ),
  }),

  ...always("rate_limited", {
    ...Object.fromEntries(
      Object.entries(longWaits).map(([name, value]) => [
        `429 and Retry-After of ${name}`,
        reply(429, { "retry-after": value }),
      ]),
    ),
    "429 for ever": reply(429),
    "429 and a body that is cut off": raw(
      () =>
        "HTTP/1.1 429 x\r\nretry-after: 3600\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
    ),
  }),

  ...always("unavailable", {
    "503 for ever": reply(503),
    "503 with half a problem": reply(503, { "content-type": "application/problem+json" }, '{"detail":'),
    "503 and the body in a broken coding": reply(
      503,
      { ...JSON_TYPE, "content-encoding": "gzip" },
      "no gzip",
    ),
  }),
  ...always("internal_error", {
    "502 with a page": reply(502, { "content-type": "text/html" }, PAGE),
    "500 with a page": reply(500, { "content-type": "text/html" }, PAGE),
    "500 with invalid UTF-8": edited(() => ({ status: 500, headers: JSON_TYPE, body: Buffer.from([0xff]) })),
    "a status that there is not": reply(999),
  }),
  ...always("invalid_api_key", {
    "401 and the body cut off": raw(
      () => "HTTP/1.1 401 x\r\ncontent-type: application/problem+json\r\ncontent-length: 99\r\n\r\n{",
    ),
    "401 in a coding that nobody knows": reply(401, { ...JSON_TYPE, "content-encoding": "rot13" }, "{}"),
    "401 and a problem without end": reply(401, JSON_TYPE, `{"detail":"${"x".repeat(11_000_000)}"}`),
  }),

  ...always("unreachable", {
    "a length that is too great": withHead(
      "HTTP/1.1 200 OK",
      "content-type: application/json",
      "content-length: 1000000",
    ),
    "chunks without end": raw((right) => format(chunked(right)).subarray(0, -5)),
    "a chunk's length that is none": raw((right) =>
      format(chunked(right))
        .toString("latin1")
        .replace(/\r\n\r\n[0-9a-f]+\r\n/, "\r\n\r\nxyz\r\n"),
    ),
    "two lengths that differ": raw(({ body }) =>
      Buffer.concat([
        Buffer.from("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"),
        Buffer.from(`content-length: ${body.length}\r\ncontent-length: 5\r\n\r\n`),
        body,
      ]),
    ),
    "length and chunks": raw((right) =>
      format({ ...chunked(right), headers: { ...chunked(right).headers, "content-length": "5" } }),
    ),
    "a length below zero": withHead(
      "HTTP/1.1 200 OK",
      "content-type: application/json",
      "content-length: -1",
    ),
    "no HTTP": raw(() => "220 mail.example.com ESMTP\r\n"),
    "bytes of TLS": raw(() => Buffer.from([0x15, 3, 1, 0, 2, 2, 70])),
    "a status line without a status": raw(() => "HTTP/1.1 OK\r\n\r\n"),
    "HTTP/2 unasked": raw(() => Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])),
    "a header without a colon": withHead("HTTP/1.1 200 OK", "content-type application/json"),
    "a NUL in a header": withHead("HTTP/1.1 200 OK", "x-nul: a\0b", "content-type: application/json"),
    "headers of a megabyte": withHeaders({ "x-long": "x".repeat(1_000_000) }),
    "100 Continue unasked": ({ socket }) => socket.write("HTTP/1.1 100 Continue\r\n\r\n"),
    "101 Switching Protocols": raw(() => "HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"),
  }),

  ...always("bad_answer", {
    "a length that is too small": raw((right) => {
      const { "content-length": _, ...headers } = right.headers;
      return format({ ...right, headers: { ...headers, "content-length": `${right.body.length - 5}` } });
    }),
    "a body cut off, ended by closing": raw(({ body }) =>
      Buffer.concat([
        Buffer.from("HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n"),
        body.subarray(0, -5),
      ]),
    ),
    "a flipped bit in the JSON": withBody((body) => {
      const copy = Buffer.from(body);
      copy[1] = (copy[1] ?? 0) ^ 1;
      return copy;
    }),
    "an empty body": withBody(() => ""),
    null: withBody(() => "null"),
    "an array": withBody((body) => `[${body}]`),
    "a string": withBody((body) => JSON.stringify(body.toString())),
    "two answers": withBody((body) => `${body}${body}`),
    "JSON with a comment": withBody((body) => `${body}// done`),
    "UTF-16": withBody((body) => Buffer.from(`\ufeff${body}`, "utf16le")),
    "invalid UTF-8": withBody((body) => Buffer.concat([body.subarray(0, -1), Buffer.from([0xff, 0x7d])])),
    "an overlong sequence": withBody((body) =>
      Buffer.concat([Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x2c]), body.subarray(1)]),
    ),
    "a surrogate as UTF-8": withBody((body) =>
      Buffer.concat([Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x2c]), body.subarray(1)]),
    ),
    "nesting without end": withBody(
      (body) => `{"x":${"[".repeat(2e5)}${"]".repeat(2e5)},${`${body}`.slice(1)}`,
    ),
    "nesting that does not close": withBody(() => "[".repeat(5e6)),
    "millions of wrong entries": withBody(() => manyWrong),
    "millions of empty objects": withBody(() => manyEmpty),
    "no type": edited(({ headers: { "content-type": _, ...headers } }) => ({ headers })),
    "another type": withHeaders({ "content-type": "text/plain" }),
    "a type that is none": withHeaders({ "content-type": "json" }),
    "a page": edited(() => ({ headers: { "content-type": "text/html" }, body: Buffer.from(PAGE) })),
    "a page that calls itself JSON": withBody(() => PAGE),
    "a coding that nobody knows": withHeaders({ "content-encoding": "rot13" }),
    "a problem with the status 200": withHeaders({
      "content-type": "application/problem+json; charset=utf-8",
    }),
    "gzip that is none": withHeaders({ "content-encoding": "gzip" }),
    "brotli that is none": withHeaders({ "content-encoding": "br" }),
    "gzip with a flipped bit": edited(({ headers, body }) => {
      const packed = gzipSync(body);
      packed[packed.length >> 1] = (packed[packed.length >> 1] ?? 0) ^ 0x55;
      return { headers: { ...headers, "content-encoding": "gzip" }, body: packed };
    }),
    "gzip cut off": edited(({ headers, body }) => ({
      headers: { ...headers, "content-encoding": "gzip" },
      body: gzipSync(body).subarray(0, -30),
    })),
    "204": reply(204),
    "206 with a part": edited(({ body }) => ({ status: 206, body: body.subarray(0, 10) })),
    "304 unasked": raw(() => 'HTTP/1.1 304 Not Modified\r\netag: "x"\r\n\r\n'),
    "418": reply(418),
  }),

  ...always("too_large", {
    "spaces without end": async (wire) => {
      wire.socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n");
      for (let sent = 0; sent < 400 && !wire.socket.destroyed; sent++) {
        if (!wire.socket.write(Buffer.alloc(65_536, 0x20))) await sleep(1);
      }
    },
    ...Object.fromEntries(
      Object.entries(bombs).map(([coding, body]) => [`a bomb in ${coding}`, packed(coding, body)]),
    ),
  }),

  ...always(
    "redirected",
    Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [`${status}`, reply(status, { location: "/elsewhere" })]),
    ),
  ),
  ...always("redirected", {
    "a redirect to nowhere": reply(302, { location: "http://[" }),
    "a redirect without an address": reply(302),
  }),
];
