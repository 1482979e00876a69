import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { hasChdb, load, openHits, startChdb } from "../../support/clickhouse.ts";
import { LOG_NOW } from "../../support/logs.ts";
import {
  askShop,
  expectSameActive,
  expectSameAnswers,
  expectSameConversions,
  type SameVisits,
  SPANS,
  writeSameVisits,
} from "../../support/same-visits.ts";
import { pick } from "../../support/seed.ts";

describe.skipIf(!hasChdb)(
  "the same visits in ClickHouse, in logs and in the demo give the same answers",
  () => {
    let server: Awaited<ReturnType<typeof startChdb>>;
    let visits: SameVisits;
    let table: DataSource;
    const clock = { now: LOG_NOW };

    beforeAll(async () => {
      [server, visits] = await Promise.all([startChdb(), writeSameVisits(clock)]);
      for (const rows of visits.exports) await load(server, rows);
      table = await openHits(server, clock);
    });

    afterAll(() => server?.stop());

    it.each(pick(SPANS, 4))("%s from %s to %s", (domain, from, to) =>
      expectSameAnswers(table, visits, [domain, from, to]),
    );

    it.each(pick(SPANS, 1))("counts the same conversions on %s from %s to %s", async (domain, from, to) => {
      const logs = visits.logs.get(domain);
      if (logs === undefined) throw new Error(`There are no logs of ${domain}.`);
      await expectSameConversions([visits.demo, logs, table], [domain, from, to]);
    });

    it("counts the visitors who are on the site at a time", () => expectSameActive(table, visits));

    it("counts hits once that are loaded twice", async () => {
      const before = await askShop(table, clock);
      const count = async () => Number(await server.run("SELECT count() FROM hits FORMAT TSV"));
      const rows = await count();
      await server.run("INSERT INTO hits SELECT * FROM hits");
      expect(await count()).toBeGreaterThan(rows);
      expect(await askShop(table, clock)).toEqual(before);
    });
  },
);
