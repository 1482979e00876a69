import { setTimeout as wait } from "node:timers/promises";
import { listen } from "../src/api/listen.ts";
import { createReferenceApi } from "../test/support/reference-api.ts";
import { buildFixtures, QUOTA } from "./organizations.ts";

/**
 * The reference API in a separate process, for benches: one organization per session, a quota that nothing reaches, and
 * answers after a typical network delay or the given number of milliseconds. Its clock does not move, so that every
 * query has one right answer, even for today and this moment, and no quota is renewed.
 */
const [, , organizations = "1", delay] = process.argv;
const noon = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 43_200_000;
const api = createReferenceApi({
  clock: () => noon,
  fixtures: buildFixtures(Number(organizations)),
  quota: { limit: QUOTA, window: 60 },
});

const server = await listen(
  async (request) => {
    const milliseconds = delay === undefined ? 3 + Math.random() * 40 : Number(delay);
    // A timer of 0 would take a millisecond.
    if (milliseconds > 0) await wait(milliseconds);
    return api(request);
  },
  "127.0.0.1",
  0,
);
process.stderr.write(`Service at ${server.origin}\n`);
process.once("SIGTERM", () => process.exit());
