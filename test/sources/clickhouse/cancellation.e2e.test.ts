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
 * The server of 2018 continues a query after its client has disconnected. The proxy in front of it does what servers since
 * 19 do for `cancel_http_readonly_queries_on_client_close`: it cancels the query, if it was sent with that setting and only reads.
 */
describe.skipIf(CLICKHOUSE_SERVER === undefined)(
  "a query that nobody waits for any more (clickhouse-server)",
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
      const columns = "kind, site, timezone, day, time, id";
      await first.run(
        `INSERT INTO slow (${columns}) SELECT ${columns} FROM hits WHERE kind IN ('pageview', 'day')`,
      );
    });
    afterAll(() => shards?.stop());
    // A server looks after each block whether the query is cancelled.
    const SLOW = { max_block_size: 1 };

    const open = (user: string) =>
      openHits(
        { url: shards.servers[0].readerUrl.replace("reader@", `${user}@`), password: READER_PASSWORD },
        { now: LOG_NOW },
        { table: "slow" },
      );
    /** How many queries of the table the server is running. */
    const countRunning = async () => {
      const sql =
        "SELECT count() FROM system.processes WHERE query LIKE '%`slow` FINAL%' AND user != 'default'";
      return Number(await shards.servers[0].run(sql));
    };
    const untilRunning = () => expect.poll(countRunning, { interval: 20 }).toBeGreaterThan(0);
    const untilDone = () => expect.poll(countRunning, { interval: 20 }).toBe(0);

    const queries: [string, (source: DataSource, signal: AbortSignal) => Promise<unknown>][] = [
      ["for days", (source, signal) => source.days(FEW_SPAN, signal)],
      ["for pages", (source, signal) => source.breakdown(FEW_SPAN, "pages", 10, signal)],
      [
        "for active visitors",
        (source, signal) => source.active(FEW_SPAN.site, Date.parse(`${FEW_DAY}T10:01:00Z`), signal),
      ],
    ];

    describe.each(["writer", "changer"])("by %s", (user) => {
      it.each(queries)("%s is cancelled in the server", async (_, ask) => {
        const source = await open(user);
        const leaving = new AbortController();
        const answer = ask(source, leaving.signal).catch((error: unknown) => error);
        await untilRunning();
        const since = Date.now();
        leaving.abort();
        expect(await answer).toMatchObject({ message: expect.stringMatching(/cancelled|aborted/) });
        await untilDone();
        // Without the cancellation it would take twelve seconds.
        expect(Date.now() - since).toBeLessThan(8_000);
      });
    });

    it("continues for another caller who asks the same", async () => {
      const source = await open("writer");
      const [one, two] = [new AbortController(), new AbortController()];
      const answers = [one, two].map(({ signal }) =>
        source.days(FEW_SPAN, signal).catch(({ message }: Error) => message),
      );
      await untilRunning();
      one.abort();
      expect(await answers[0]).toBe("The call was cancelled.");
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(await countRunning()).toBeGreaterThan(0);
      two.abort();
      expect(await answers[1]).toBe("The call was cancelled.");
      await untilDone();
    });
  },
);

describe("a query to a server that does not answer", () => {
  it.each(["the check of the profile", "the query itself", "its answer"])(
    "is closed when the caller stops waiting: %s",
    async (hanging) => {
      const server = await startServer((request, response) => {
        request.setEncoding("utf8").on("data", (sql: string) => {
          if (hanging === "the check of the profile") return;
          if (sql.includes("system.settings")) response.end('{"data":[]}');
          else if (hanging === "its answer") response.writeHead(200).write('{"data":[');
        });
      });
      const source = await openHits({ url: server.origin, password: "any" }, { now: LOG_NOW });
      const leaving = new AbortController();
      const answer = source.sites(leaving.signal).catch((error: unknown) => error);
      const asked = hanging === "the check of the profile" ? 1 : 2;
      await expect.poll(() => server.requests.length, { interval: 10 }).toBe(asked);
      // A connection may be reset rather than closed in order: not `once`, which rejects with the reset.
      const closed = new Promise((resolve) => server.requests[asked - 1]?.socket.on("close", resolve));
      leaving.abort();
      expect(await answer).toMatchObject({ code: "cancelled" });
      await closed;
      server.close();
    },
  );
});
