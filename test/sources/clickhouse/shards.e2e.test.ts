import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dimensions } from "../../../src/operations/dimensions.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { OTHER } from "../../../src/sources/measure/definition.ts";
import { load, openHits } from "../../support/clickhouse.ts";
import {
  CLICKHOUSE_SERVER,
  READER_PASSWORD,
  type Shards,
  startShards,
} from "../../support/clickhouse-servers.ts";
import { countKept, expectKept } from "../../support/kept-hits.ts";
import { LOG_NOW } from "../../support/logs.ts";
import { makeFilters, makeHits, writeRows } from "../../support/made-hits.ts";
import {
  askShop,
  expectSameActive,
  expectSameAnswers,
  type SameVisits,
  SPANS,
  writeSameVisits,
} from "../../support/same-visits.ts";
import { pick } from "../../support/seed.ts";

const FILTERED = "filtered.example";
const made = makeHits();

describe.skipIf(CLICKHOUSE_SERVER === undefined)(
  "the same visits on two shards, in logs and in the demo give the same answers (clickhouse-server)",
  () => {
    let shards: Shards;
    let visits: SameVisits;
    const tables: DataSource[] = [];
    const clock = { now: LOG_NOW };

    beforeAll(async () => {
      [shards, visits] = await Promise.all([startShards(), writeSameVisits(clock)]);
      await loadHalves();
      await load(shards.servers[0], writeRows(made, FILTERED));
      for (const { readerUrl } of shards.servers) {
        tables.push(await openHits({ password: READER_PASSWORD, url: readerUrl }, clock));
      }
    });
    afterAll(() => shards?.stop());

    /** Sends every other line through each server, whichever shard it belongs to. */
    async function loadHalves() {
      const lines = visits.exports.flatMap((text) => text.split(/(?<=\n)/));
      for (const [half, server] of shards.servers.entries()) {
        await load(server, lines.filter((_, index) => index % 2 === half).join(""));
      }
    }

    it("refuses to map a distributed table over tables that hold rows twice", async () => {
      const [{ readerUrl: url }] = shards.servers;
      const map = ["time=time", "visitor=visitor", "path=path"];
      const flags = { table: "hits", site: ["example.com"], map, where: ["kind=pageview"] };
      const table = await openHits({ password: READER_PASSWORD, url }, clock, flags);
      await expect(table.sites()).rejects.toMatchObject({
        code: "usage",
        message: expect.stringMatching(/^The table hits has the engine ReplacingMergeTree/),
      });
    });

    // Days and filters of every kind are asked for in demo-visits.e2e.test.ts and filters.e2e.test.ts, of one server.
    describe.each([
      { name: "first", index: 0, spans: pick(SPANS, 2), filters: pick(makeFilters(dimensions, 4), 5) },
      { name: "second", index: 1, spans: [], filters: pick(makeFilters(dimensions, 0), 3) },
    ])("asked through the $name server", ({ index, spans, filters }) => {
      const table = () => {
        const found = tables[index];
        if (found === undefined) throw new Error("There are two servers.");
        return found;
      };

      it.each(spans)("%s from %s to %s", (domain, from, to) =>
        expectSameAnswers(table(), visits, [domain, from, to]),
      );

      it("counts the visitors who are on the site at a time", () => expectSameActive(table(), visits));

      it("keeps what a filter keeps, with and without events", async () => {
        for (const [number, filter] of filters.entries()) {
          const asked =
            number % 2 === 0 ? (["pages", "exit_pages"] as const) : (["events", "countries"] as const);
          await expectKept(table(), FILTERED, filter, { kept: countKept(made, filter, OTHER), asked });
        }
      });

      it("has the same warnings", async () => {
        const span = { from: "2026-10-20", to: "2026-11-21", now: LOG_NOW };
        const site = (await table().sites()).find(({ domain }) => domain === "example.com");
        if (site === undefined) throw new Error("There is no example.com.");
        const warnings = await table().warnings?.({ site, ...span });
        const inLogs = await visits.logs.get("example.com")?.warnings?.({ site, ...span });
        expect(warnings?.map(({ code }) => code)).toEqual(inLogs?.map(({ code }) => code));
        expect(warnings).not.toEqual([]);
      });
    });

    it("keeps the rows of a visitor on one shard, and each shard has about half", async () => {
      const select = "SELECT DISTINCT site, day, visitor FROM hits_local WHERE kind != 'day' FORMAT TSV";
      const [first, second] = await Promise.all(
        shards.servers.map(async ({ run }) => new Set((await run(select)).trim().split("\n"))),
      );
      if (first === undefined || second === undefined) throw new Error("There are two servers.");
      expect([...first].filter((visitor) => second.has(visitor))).toEqual([]);
      expect(first.size / (first.size + second.size)).toBeCloseTo(0.5, 1);
    });

    it("counts hits once that are loaded twice", async () => {
      const [table] = tables;
      if (table === undefined) throw new Error("There are two servers.");
      const before = await askShop(table, clock);
      const count = async () => Number(await shards.servers[0].run("SELECT count() FROM hits FORMAT TSV"));
      const rows = await count();
      // Each line now takes the other server.
      visits = { ...visits, exports: [...visits.exports].reverse() };
      await loadHalves();
      expect(await count()).toBeGreaterThan(rows);
      expect(await askShop(table, clock)).toEqual(before);
    });
  },
);
