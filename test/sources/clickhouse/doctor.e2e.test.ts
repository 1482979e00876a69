import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exportLines, hasChdb, load, startChdb } from "../../support/clickhouse.ts";
import { readReport } from "../../support/doctor-report.ts";
import { combined, createLogFolder, FIREFOX, joinLines, LOG_NOW } from "../../support/logs.ts";
import { findPort } from "../../support/processes.ts";
import { runShell } from "../../support/shell.ts";

describe.skipIf(!hasChdb)("the doctor looks through a mapping", () => {
  let server: Awaited<ReturnType<typeof startChdb>>;
  beforeAll(async () => {
    server = await startChdb();
    await server.run(`CREATE TABLE requests ENGINE = MergeTree ORDER BY ts AS
      SELECT toDateTime('2026-11-20 10:00:00', 'UTC') - number * 60 AS ts, toNullable(ts) AS ts_null,
        toString(number % 10) AS who, '/' AS path, number % 4 = 0 AS bot, 'view' AS kind, 'GET' AS verb, '/' AS ref,
        toUInt16(500) AS code, '${FIREFOX}' AS agent, 'example.com' AS host
      FROM numbers(100)`);
    await server.run(
      "INSERT INTO requests (ts, ts_null, who, bot, kind) VALUES ('2026-11-20 10:00:00', NULL, 'x', 0, 'view')",
    );
  });
  afterAll(() => server?.stop());

  const examine = async (...argv: string[]) =>
    readReport(
      await runShell(["doctor", "--json", "--clickhouse", server.url, "--site", "example.com", ...argv], {
        environment: { ANALYTICS_CLICKHOUSE_PASSWORD: server.password },
        clock: () => LOG_NOW,
      }),
    );
  const map = (time = "ts") => [
    ...["--table", "requests", "--timezone", "UTC"],
    ...["--map", `time=${time}`, "--map", "visitor=who", "--map", "path=path"],
  ];

  it("names the types of the columns, and counts the page views of the last days", async () => {
    const { code, find } = await examine(...map(), "--where", "bot=0", "--where", "kind=view");
    expect(code).toBe(0);
    expect(find("columns")).toMatchObject({
      status: "ok",
      detail: "ts DateTime('UTC'), who String, path String, bot UInt8, kind String",
    });
    expect(find("page views")).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(
        /^example\.com 76 \(last 7 days\)\. The table's own count of rows: example\.com 76/,
      ),
    });
    expect(find("sites")?.status).toBe("ok");
  });

  it("counts page views without a time", async () => {
    const { code, find } = await examine(...map("ts_null"), "--where", "bot=0");
    expect([code, find("page views")?.detail]).toEqual([
      0,
      expect.stringContaining("1 page view has no time (NULL): no day and no number counts it."),
    ]);
  });

  it("fails where two counts of the same days differ", async () => {
    await server.run("CREATE VIEW changing AS SELECT * FROM requests WHERE rand() % 2 = 0");
    await server.run("INSERT INTO requests SELECT * REPLACE (ts - INTERVAL 2 DAY AS ts) FROM requests");
    const { code, find } = await examine(...map(), "--table", "changing", "--where", "kind=view");
    await server.run("ALTER TABLE requests DELETE WHERE ts < '2026-11-20' SETTINGS mutations_sync = 1");
    expect([code, find("page views")?.detail]).toEqual([
      1,
      expect.stringMatching(
        /^example\.com has \d+ page views of \d+ visitors on 2026-11-\d\d, but its rows are \d+ of \d+\.$/,
      ),
    ]);
  });

  it("fails where every answer would be 0, and says which condition leaves out the rows", async () => {
    const { code, find } = await examine(...map(), "--where", "kind=pageview", "--where", "bot=0");
    expect(code).toBe(1);
    expect(find("page views")).toMatchObject({
      status: "failed",
      detail:
        'example.com has no page views from 2026-11-15 to 2026-11-21, but 101 rows: "kind=pageview" is true of 0, "bot=0" is true of 76.',
      fix: expect.stringContaining("--where"),
    });
    expect(find("sites")?.status).toBe("skipped");
  });

  it("fails where the rules for requests leave out everything", async () => {
    const rules = ["--map", "status=code", "--map", "method=verb", "--map", "agent=agent"];
    const { code, find } = await examine(...map(), ...rules);
    expect(code).toBe(1);
    expect(find("page views")?.detail).toMatch(
      /"the method is GET" is true of 100, "the status is 200 or 304" is true of 0, "the path is a page" is true of 101, .*"the user agent is not a bot" is true of 10\d\./,
    );
  });

  it("fails where the newest rows are older than the last days", async () => {
    await server.run(
      "CREATE TABLE old ENGINE = MergeTree ORDER BY ts AS SELECT * REPLACE (ts - INTERVAL 60 DAY AS ts) FROM requests",
    );
    const { code, find } = await examine(...map(), "--table", "old", "--where", "bot=0");
    expect([code, find("page views")?.detail]).toEqual([
      1,
      "example.com has no page views from 2026-11-15 to 2026-11-21, and the table ends on 2026-09-21.",
    ]);
  });

  it("fails at the columns, if their types do not fit", async () => {
    const { code, find } = await examine(...map("path"), "--where", "bot=0");
    expect([code, find("columns")?.detail, find("page views")?.status]).toEqual([
      1,
      "--map time=path needs a DateTime or DateTime64, and the column is String.",
      "skipped",
    ]);
  });

  it("fails with the exit code of the network, if ClickHouse cannot be reached", async () => {
    const url = `http://127.0.0.1:${await findPort()}`;
    const { code, find } = readReport(await runShell(["doctor", "--json", "--clickhouse", url]));
    expect([code, find("columns")?.status, find("sites")?.status]).toEqual([5, "failed", "skipped"]);
  });

  it("checks a table of hits in the same way", async () => {
    const empty = await examine();
    expect([empty.code, empty.find("columns")?.status, empty.find("page views")?.detail]).toEqual([
      1,
      "ok",
      "The table hits is empty: no day has been loaded.",
    ]);
    const { path } = createLogFolder({
      "access.log": joinLines(
        combined({ at: Date.parse("2026-11-18T10:00:00Z"), target: "/" }),
        combined({ at: Date.parse("2026-11-19T10:00:00Z"), target: "/a" }),
      ),
    });
    await load(server, await exportLines({ logs: [`example.com=${path("access.log")}`] }, LOG_NOW));
    const { code, find } = await examine();
    expect([code, find("page views")?.detail]).toEqual([
      0,
      expect.stringMatching(/^example\.com 2 \(last 7 days\)\. The table ends on 2026-11-19/),
    ]);
  });
});
