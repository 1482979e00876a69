import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createCertificate } from "../../support/certificate.ts";
import { openHits } from "../../support/clickhouse.ts";
import {
  CLICKHOUSE_SERVER,
  READER_PASSWORD,
  type Shards,
  startShards,
} from "../../support/clickhouse-servers.ts";
import { startServer } from "../../support/faulty-server.ts";
import { FEW_SPAN, loadFewHits } from "../../support/few-hits.ts";
import { LOG_NOW } from "../../support/logs.ts";
import { findPort } from "../../support/processes.ts";
import { openTableApi } from "../../support/table-api.ts";

interface Place {
  url: string;
  password?: string;
  table?: string;
}

/** The code and message of the error that a query gets; undefined if it gets an answer. */
async function fail({ url, password = READER_PASSWORD, table = "hits" }: Place) {
  const source = await openHits({ url, password }, { now: LOG_NOW }, { table });
  const error = await source.breakdown(FEW_SPAN, "pages", 10).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return undefined;
  const { code, message, hint = "" } = Object(error);
  // One sentence, without the query, addresses and users.
  expect(message).toMatch(/^[^.]+(?:\.|: [^.]+\.)$/);
  const text = `${message} ${hint.replace(/https:\/\/reader@(?:host|…)\S*/g, "")}`;
  expect(text).not.toMatch(
    /SELECT (?!on )|FROM|uniqExact|127\.0\.0\.1|localhost|DB::|reader|stranger|web\.hits|example/,
  );
  return `${code}: ${message}`;
}

const SIGN_IN = "usage: ClickHouse does not accept the user or the password.";
const NO_TABLE = "usage: ClickHouse has no such table, or the user may not read it.";
const NO_RIGHT = "usage: The ClickHouse user has no right to do this.";
const NO_COLUMN = "usage: The table lacks a column, or a column has another type.";
const NO_FINAL = "usage: The table's engine keeps hits twice if they are loaded twice.";
const SLOW = "unavailable: ClickHouse stopped the query: it took longer than its profile allows.";
const LARGE =
  "unavailable: ClickHouse stopped the query: it needs more memory or rows than its profile allows.";
const CROWDED = "unavailable: ClickHouse runs too many queries at once.";
const UNREACHABLE = "unavailable: ClickHouse cannot be reached.";
const UNREADABLE = "unavailable: ClickHouse's answer cannot be read.";
const SILENT = "unavailable: ClickHouse accepts the connection but does not answer.";
const CUT = "unavailable: ClickHouse's answer broke off.";
const SHARD_DOWN =
  "unavailable: A part of the ClickHouse cluster does not answer, and without it the numbers would be too small.";

describe.skipIf(CLICKHOUSE_SERVER === undefined)(
  "a server of ClickHouse refuses a query (clickhouse-server)",
  () => {
    let shards: Shards;
    let url: string;
    const as = (user: string) => url.replace("reader@", `${user}@`);

    beforeAll(async () => {
      shards = await startShards({
        stranger: {},
        small: { max_memory_usage: 1000 },
        // Slow rows in blocks of one, so that the limit is checked after each.
        hasty: { max_execution_time: 1, max_block_size: 1 },
        crowd: { max_concurrent_queries_for_user: 1, max_block_size: 10 },
        broken: { max_rows_to_read: 1, read_overflow_mode: "break" },
        brokenButFree: { max_rows_to_read: 1, read_overflow_mode: "break", readonly: 2 },
      });
      const [first] = shards.servers;
      url = first.readerUrl;
      await loadFewHits(first);
      const { run } = first;
      const definition = await run("SHOW CREATE TABLE hits_local FORMAT TSVRaw");
      const create = (name: string, change: (sql: string) => string) =>
        run(change(definition).replace("hits_local", name));
      await create("odd", (sql) => sql.replace(/ path String,/, ""));
      await create("numbers", (sql) => sql.replace(/ path String,/, " path Array(UInt8),"));
      await create("plain", (sql) => sql.replace("ReplacingMergeTree", "MergeTree"));
      await create("slow", (sql) =>
        sql.replace(/ path String,/, " path String ALIAS toString(sleepEachRow(0.2)),"),
      );
      const columns = "kind, site, day, visitor, time, id";
      await run(`INSERT INTO slow (${columns}) SELECT ${columns} FROM hits WHERE kind = 'pageview' LIMIT 15`);
    });
    afterAll(() => shards?.stop());

    it("not if everything is right", async () => {
      expect(await fail({ url })).toBeUndefined();
    });

    it.each<[name: string, place: () => Place, said: string]>([
      ["a wrong password", () => ({ url, password: "wrong" }), SIGN_IN],
      ["no password", () => ({ url, password: "" }), SIGN_IN],
      ["an unknown user", () => ({ url: as("nobody") }), SIGN_IN],
      ["an unknown database", () => ({ url: `${url}/nowhere` }), NO_TABLE],
      ["an unknown table", () => ({ url, table: "nothing" }), NO_TABLE],
      ["a missing right", () => ({ url: as("stranger") }), NO_RIGHT],
      ["a missing column", () => ({ url, table: "odd" }), NO_COLUMN],
      ["a column of another type", () => ({ url, table: "numbers" }), NO_COLUMN],
      ["a table that keeps what is loaded twice", () => ({ url, table: "plain" }), NO_FINAL],
      ["a limit of time", () => ({ url: as("hasty"), table: "slow" }), SLOW],
      ["a limit of memory", () => ({ url: as("small") }), LARGE],
      [
        "a limit of rows at which it would silently stop",
        () => ({ url: as("broken") }),
        "usage: The profile of the ClickHouse user has read_overflow_mode = break, with which a part of the data can be missing from answers.",
      ],
      ["such a limit, where a query can change what happens", () => ({ url: as("brokenButFree") }), LARGE],
      ["its port for other protocols", () => ({ url: shards.servers[0].tcpUrl }), UNREADABLE],
    ])("because of %s", async (_, place, said) => {
      expect(await fail(place())).toBe(said);
    });

    it("because of too many queries at once", async () => {
      const place = { url: as("crowd"), table: "slow" };
      const answers = await Promise.all([fail(place), fail(place), fail(place)]);
      expect(answers).toContain(CROWDED);
    });
  },
);

describe.skipIf(CLICKHOUSE_SERVER === undefined)("callers of the REST API (clickhouse-server)", () => {
  let shards: Shards;
  beforeAll(async () => {
    shards = await startShards({ small: { max_memory_usage: 1000 } });
    await loadFewHits(shards.servers[0]);
  });
  afterAll(() => shards?.stop());
  const paths = ["/sites", "/stats?site=example.com", "/breakdown?site=example.com&dimension=pages"];

  it.each(paths)("do not see what only the operator can fix: %s", async (path) => {
    const place = { url: shards.servers[0].readerUrl, password: READER_PASSWORD };
    const { ask, reports, close } = await openTableApi(place, { table: "nothing" });
    const { status, body } = await ask(path);
    expect([status, JSON.parse(body ?? "").code]).toEqual([500, "internal_error"]);
    expect(body).not.toMatch(/ClickHouse|table|nothing|reader/i);
    expect(reports).toEqual([expect.stringMatching(/^ClickHouse has no such table.*docs\/clickhouse\.md/s)]);
    close();
  });

  it.each(paths)("are asked to try again later: %s", async (path) => {
    const url = shards.servers[0].readerUrl.replace("reader@", "small@");
    const { ask, close } = await openTableApi({ url, password: READER_PASSWORD });
    const { status, body, headers } = await ask(path);
    expect([status, JSON.parse(body ?? "").code]).toEqual([503, "unavailable"]);
    expect(headers.get("Retry-After")).toMatch(/^\d+$/);
    expect(body).not.toMatch(/127\.0\.0\.1|SELECT|small/);
    close();
  });
});

type Reply = (response: ServerResponse) => unknown;

const page =
  (status: number): Reply =>
  (response) =>
    response
      .writeHead(status, { "content-type": "text/html" })
      .end("<html><h1>reader of 127.0.0.1</h1></html>");
const json =
  (text: string): Reply =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(text);
/** As servers since 20 report an error. */
const refuse =
  (status: number, code: number, name: string): Reply =>
  (response) =>
    response
      .writeHead(status, { "x-clickhouse-exception-code": code })
      .end(
        `Code: ${code}. DB::Exception: reader: SELECT 1 FROM web.hits on 127.0.0.1. (${name}) (version 26.7.2.1)\n`,
      );
const ROWS = '{"meta":[],"data":[{"value":"/","visitor_count":"3","hit_count":"4"}';
const FAILED =
  "Code: 241. DB::Exception: Memory limit exceeded: SELECT path FROM hits. (MEMORY_LIMIT_EXCEEDED)";

describe("an address answers with something else", () => {
  it.each<[name: string, reply: Reply, said: string]>([
    ["a page", page(200), UNREADABLE],
    ["a missing page", page(404), UNREADABLE],
    ["a proxy whose server is gone", page(502), UNREADABLE],
    ["a redirect", (response) => response.writeHead(302, { location: "/" }).end(), UNREADABLE],
    ["nothing", json(""), UNREADABLE],
    ["JSON of something else", json('{"ok":true}'), UNREADABLE],
    ["rows of something else", json('{"data":[1]}'), UNREADABLE],
    ["the beginning of an answer", json(ROWS), CUT],
    [
      "the beginning of an answer, then closes the connection",
      (response) => {
        response.writeHead(200, { "content-length": 10_000 }).write(ROWS);
        setTimeout(() => response.destroy(), 50);
      },
      CUT,
    ],
    [
      "the first chunk of an answer, then closes the connection",
      (response) => {
        response.writeHead(200).write(ROWS);
        setTimeout(() => response.destroy(), 50);
      },
      CUT,
    ],
    ["a failure at the end", json(`${ROWS}],"rows":1,"exception":"${FAILED}"}`), LARGE],
    ["a failure in the middle", json(`${ROWS},{"value":${FAILED}\n`), LARGE],
    ["a failure after a marker", json(`${ROWS}\r\n__exception__\r\nabc\r\n${FAILED}\r\n90 abc\r\n`), LARGE],
    ["an unknown user", refuse(403, 516, "AUTHENTICATION_FAILED"), SIGN_IN],
    ["a missing right", refuse(403, 497, "ACCESS_DENIED"), NO_RIGHT],
    ["a missing table", refuse(404, 60, "UNKNOWN_TABLE"), NO_TABLE],
    ["a shard that is down", refuse(500, 279, "ALL_CONNECTION_TRIES_FAILED"), SHARD_DOWN],
    ["a limit of rows", refuse(500, 396, "TOO_MANY_ROWS_OR_BYTES"), LARGE],
    [
      "a quota that is used up",
      refuse(500, 201, "QUOTA_EXCEEDED"),
      "unavailable: The ClickHouse user has used up its quota.",
    ],
    [
      "an unknown error",
      refuse(500, 999, "NEW_ERROR"),
      "unavailable: ClickHouse refused the query with its error 999.",
    ],
  ])("%s", async (_, reply, said) => {
    const server = await startServer((request, response) => {
      request.setEncoding("utf8").on("data", (sql: string) => {
        if (sql.includes("system.settings")) json('{"data":[]}')(response);
        else reply(response);
      });
    });
    expect(await fail({ url: server.origin })).toBe(said);
    server.close();
  });

  it.each(["closes the connection", "does not listen"])("%s", async (way) => {
    const server = await startServer((request) => request.socket.destroy());
    const url = way === "closes the connection" ? server.origin : `http://127.0.0.1:${await findPort()}`;
    expect(await fail({ url })).toBe(UNREACHABLE);
    server.close();
  });

  it("nothing at all", async () => {
    const { timeout } = AbortSignal;
    const limits = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => timeout(ms / 100));
    const server = await startServer(() => {});
    expect(await fail({ url: server.origin })).toBe(SILENT);
    limits.mockRestore();
    server.close();
  });

  it("has an untrusted certificate", async () => {
    const server = await startServer(() => {}, createCertificate(30));
    expect(await fail({ url: server.origin })).toBe("usage: ClickHouse's certificate is not trusted.");
    server.close();
  });

  it("does not speak TLS", async () => {
    const server = await startServer(page(200) as never);
    expect(await fail({ url: server.origin.replace("http:", "https:") })).toBe(UNREACHABLE);
    server.close();
  });
});
