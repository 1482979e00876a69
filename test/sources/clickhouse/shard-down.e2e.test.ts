import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { openHits } from "../../support/clickhouse.ts";
import {
  CLICKHOUSE_SERVER,
  LOADER,
  READER_PASSWORD,
  type Shards,
  startShards,
} from "../../support/clickhouse-servers.ts";
import { FEW_DAY, FEW_SPAN, FEW_VISITORS, loadFewHits } from "../../support/few-hits.ts";
import { LOG_NOW } from "../../support/logs.ts";

const open = ({ servers: [first] }: Shards, user: string) => {
  const url = first.readerUrl.replace("reader@", `${user}@`);
  // So late that no answer is still cached.
  const clock = {
    time: LOG_NOW,
    get now() {
      this.time += 60_000;
      return this.time;
    },
  };
  return openHits({ url, password: READER_PASSWORD }, clock);
};

/** Every kind of query, with one number as its answer. */
async function count(source: DataSource): Promise<Record<string, () => Promise<number>>> {
  const sites = () => source.sites();
  const span = FEW_SPAN;
  const at = Date.parse(`${FEW_DAY}T10:02:00Z`);
  return {
    sites: async () => (await sites()).length,
    days: async () => (await source.days(span))[0]?.visitors ?? 0,
    pages: async () => (await source.breakdown(span, "pages", 1000)).totalRows,
    rows: async () => (await source.breakdown(span, "pages", 1000)).rows.length,
    browsers: async () => (await source.breakdown(span, "browsers", 1000)).rows[0]?.visitors ?? 0,
    crawlers: async () => (await source.crawlers?.(span, 10))?.totalRequests ?? 0,
    active: () => source.active(span.site, at),
  };
}

const RIGHT = {
  sites: 1,
  days: FEW_VISITORS,
  pages: FEW_VISITORS,
  rows: FEW_VISITORS,
  browsers: FEW_VISITORS,
  crawlers: FEW_VISITORS,
  active: FEW_VISITORS,
};

async function countAll(source: DataSource): Promise<Record<string, unknown>> {
  const questions = Object.entries(await count(source));
  const answers = await Promise.all(
    questions.map(async ([name, ask]) => [
      name,
      await ask().catch(({ code, message }) => ({ code, message })),
    ]),
  );
  return Object.fromEntries(answers);
}

const everyQuestion = (answer: object) =>
  Object.fromEntries(Object.keys(RIGHT).map((name) => [name, expect.objectContaining(answer)]));

const SHARD_DOWN = everyQuestion({
  code: "unavailable",
  message: "A part of the ClickHouse cluster does not answer, and without it the numbers would be too small.",
});
const REFUSED = everyQuestion({
  code: "usage",
  message: expect.stringMatching(/^The profile of the ClickHouse user has skip_unavailable_shards = 1,/),
});

describe.skipIf(CLICKHOUSE_SERVER === undefined)("one shard of two (clickhouse-server)", () => {
  const careless = { skip_unavailable_shards: 1 };
  const users = [
    ["reader", SHARD_DOWN] as const,
    ["writer", SHARD_DOWN] as const,
    ["changer", SHARD_DOWN] as const,
    ["careless0", SHARD_DOWN] as const,
    ["careless1", REFUSED] as const,
    ["careless2", SHARD_DOWN] as const,
  ];
  let shards: Shards;
  beforeAll(async () => {
    shards = await startShards({
      // How long the servers wait for each other, in seconds.
      default: { ...LOADER, receive_timeout: 3 },
      writer: { readonly: 0 },
      changer: { readonly: 2 },
      careless0: { ...careless, readonly: 0 },
      careless1: { ...careless, readonly: 1 },
      careless2: { ...careless, readonly: 2 },
    });
    await loadFewHits(shards.servers[0]);
  });
  afterAll(() => shards?.stop());

  it("is an error while it hangs and when it is gone, never a smaller number", async () => {
    const [, second] = shards.servers;
    const sources = await Promise.all(users.map(async ([user]) => [user, await open(shards, user)] as const));
    const askAll = async () =>
      Object.fromEntries(
        await Promise.all(sources.map(async ([user, source]) => [user, await countAll(source)])),
      );
    const down = Object.fromEntries(users);
    const up = Object.fromEntries(
      users.map(([user, answer]) => [user, answer === REFUSED ? REFUSED : RIGHT]),
    );
    expect(await askAll()).toEqual(up);
    await second.signal("SIGSTOP");
    expect(await askAll()).toEqual(down);
    await second.signal("SIGCONT");
    // A shard that was away is asked again after a moment; until then each answer is right or an error.
    const numbers: [string, number][] = [];
    await vi.waitFor(
      async () => {
        const answers = await askAll();
        for (const answer of Object.values(answers)) {
          const entries = Object.entries(answer as Record<string, unknown>);
          numbers.push(...entries.filter((entry): entry is [string, number] => typeof entry[1] === "number"));
        }
        expect(answers).toEqual(up);
      },
      { timeout: 30_000, interval: 500 },
    );
    const right: Record<string, number> = RIGHT;
    expect(numbers.filter(([question, number]) => number !== right[question])).toEqual([]);
    await second.signal("SIGKILL");
    expect(await askAll()).toEqual(down);
    // New connections get the same.
    for (const [user, answer] of users) expect(await countAll(await open(shards, user))).toEqual(answer);
  });
});

describe.skipIf(CLICKHOUSE_SERVER === undefined)("a shard with limits of its own (clickhouse-server)", () => {
  let shards: Shards;
  beforeAll(async () => {
    const lax = { max_rows_to_group_by: 2, group_by_overflow_mode: "any" };
    const strict = { readonly: 1, group_by_overflow_mode: "throw" };
    // The profile by which the servers ask each other.
    shards = await startShards({
      strict,
      default: [LOADER, { ...LOADER, ...lax }],
    });
    await loadFewHits(shards.servers[0]);
  });
  afterAll(() => shards?.stop());

  it("is an error if the user's profile forbids it to stop counting silently", async () => {
    const answers = await countAll(await open(shards, "strict"));
    const error = expect.objectContaining({ code: "unavailable" });
    expect(answers).toEqual({
      ...RIGHT,
      days: error,
      pages: error,
      rows: error,
      browsers: error,
      active: error,
    });
  });
});
