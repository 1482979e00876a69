import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { openHits } from "../../support/clickhouse.ts";
import {
  CLICKHOUSE_SERVER,
  READER_PASSWORD,
  type Shards,
  startShards,
} from "../../support/clickhouse-servers.ts";
import { startServer } from "../../support/faulty-server.ts";
import { FEW_DAY, FEW_SPAN, loadFewHits } from "../../support/few-hits.ts";
import { LOG_NOW } from "../../support/logs.ts";

/**
 * The server of 2018 goes on with a query whose client has left. So the proxy before it does what servers since 19 do for
 * `cancel_http_readonly_queries_on_client_close`: it ends the query, if that setting came and the query may only read.
 */
describe.skipIf(CLICKHOUSE_SERVER === undefined)(
  "a question that nobody waits for (clickhouse-server)",
  () => {
    let shards: Shards;
    beforeAll(async () => {
      shards = await startShards({ writer: { readonly: 0, ...SLOW }, changer: { readonly: 2, ...SLOW } });
      const [first] = shards.servers;
      await loadFewHits(first);
      const definition = await first.run("SHOW CREATE TABLE hits_local FORMAT TSVRaw");
      const slow = definition
        .replace("hits_local", "slow")
        .replace(/ (visitor) UInt64,/, " person UInt64, visitor UInt64 ALIAS person + sleepEachRow(0.2),")
        .replace("visitor, time", "person, time");
      await first.run(slow);
      const columns = "kind, site, day, time, id";
      await first.run(`INSERT INTO slow (${columns}) SELECT ${columns} FROM hits WHERE kind = 'pageview'`);
    });
    afterAll(() => shards?.stop());
    const SLOW = { max_block_size: 5 };

    const open = (user: string) =>
      openHits(
        { url: shards.servers[0].readerUrl.replace("reader@", `${user}@`), password: READER_PASSWORD },
        { now: LOG_NOW },
        { table: "slow" },
      );
    /** How many queries of the table the server has under way. */
    const countUnderWay = async () => {
      const sql =
        "SELECT count() FROM system.processes WHERE query LIKE '%`slow` FINAL%' AND user != 'default'";
      return Number(await shards.servers[0].run(sql));
    };
    const untilUnderWay = (count: number) => expect.poll(countUnderWay, { interval: 20 }).toBe(count);

    const questions: [string, (source: DataSource, signal: AbortSignal) => Promise<unknown>][] = [
      ["of days", (source, signal) => source.days(FEW_SPAN, signal)],
      ["of pages", (source, signal) => source.breakdown(FEW_SPAN, "pages", 10, signal)],
      [
        "of who is there",
        (source, signal) => source.active(FEW_SPAN.site, Date.parse(`${FEW_DAY}T10:01:00Z`), signal),
      ],
    ];

    describe.each(["writer", "changer"])("by %s", (user) => {
      it.each(questions)("%s ends in the server", async (_, ask) => {
        const source = await open(user);
        const leaving = new AbortController();
        const reason = new Error("left");
        const answer = ask(source, leaving.signal).catch((error: unknown) => error);
        await untilUnderWay(1);
        const since = Date.now();
        leaving.abort(reason);
        expect(await answer).toBe(reason);
        await untilUnderWay(0);
        // All of it would take twelve seconds.
        expect(Date.now() - since).toBeLessThan(3_000);
      });
    });

    it("goes on for another who asks the same", async () => {
      const source = await open("writer");
      const [one, two] = [new AbortController(), new AbortController()];
      const answers = [one, two].map(({ signal }) =>
        source.days(FEW_SPAN, signal).catch(({ message }: Error) => message),
      );
      await untilUnderWay(1);
      one.abort(new Error("one left"));
      expect(await answers[0]).toBe("one left");
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await countUnderWay()).toBe(1);
      two.abort(new Error("two left"));
      expect(await answers[1]).toBe("two left");
      await untilUnderWay(0);
    });
  },
);

describe("a question to a server that does not answer", () => {
  it.each(["the check of the profile", "the question itself"])("ends with who asked: %s", async (hanging) => {
    const server = await startServer((request, response) => {
      request.setEncoding("utf8").on("data", (sql: string) => {
        if (hanging === "the question itself" && sql.includes("system.settings")) response.end('{"data":[]}');
      });
    });
    const source = await openHits({ url: server.origin, password: "any" }, { now: LOG_NOW });
    const leaving = new AbortController();
    const answer = source.sites(leaving.signal).catch((error: unknown) => error);
    const asked = hanging === "the question itself" ? 2 : 1;
    await expect.poll(() => server.requests.length, { interval: 10 }).toBe(asked);
    const closed = once(server.requests[asked - 1]?.socket ?? process, "close");
    const reason = new Error("left");
    leaving.abort(reason);
    expect(await answer).toBe(reason);
    await closed;
    server.close();
  });
});
