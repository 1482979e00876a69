import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createNetworkFetch } from "../../src/client/network.ts";
import { addDays } from "../../src/operations/days.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { openMatomo } from "../../src/sources/gateways/matomo/matomo-source.ts";
import { conformSource } from "../../test/support/conform-source.ts";
import { compareAnswers } from "../../test/support/matomo-checks.ts";
import { createMatomoContext, nameForm, type RecordedAnswer } from "../../test/support/matomo-replay.ts";
import { findMissing, type Matomo, startMatomo } from "./matomo-server.ts";
import { sendView, sendVisits } from "./matomo-tracker.ts";
import { createSampleDays, packDays } from "./sample-visits.ts";

const SITE = { domain: "example.com", timezone: "Europe/Berlin" };
/** Of which Matomo keeps only a few rows. */
const LIMITED = { domain: "shop.example.net", timezone: "UTC+2" };
/** The night of the 25th has an hour more in Berlin. */
const [FIRST, DAYS] = ["2026-10-24", 4] as const;
const FOLDER = "test/sources/gateways/matomo/recorded";

/**
 * Starts a Matomo, sends it the demo's visits, and holds what the gateway reads from it against them. `--record` also writes
 * its answers for the tests.
 */
export async function run(args: string[]): Promise<number> {
  const code = process.env.MATOMO_FOLDER;
  const missing = findMissing(code);
  if (missing !== undefined || code === undefined) {
    process.stderr.write(`${missing}\n`);
    return 1;
  }
  const matomo = await startMatomo(code, SITE);
  try {
    const days = createSampleDays(FIRST, DAYS);
    const limited = await matomo.addSite(LIMITED);
    for (const idSite of ["1", limited]) await sendVisits(matomo, { idSite, days, timezone: SITE.timezone });
    // Conform asks for the last 30 days, which must reach the visits.
    const now = Math.min(Date.now(), Date.parse(`${addDays(FIRST, MANY_DAYS)}T20:00:00Z`));
    const recorder = createRecorder(matomo);
    const source = openMatomo(recorder.openContext(now));
    const [site] = await source.sites();
    if (site === undefined) throw new Error("Matomo has no site.");
    const compared = await compareAnswers(source, site, days, now);
    const wrong = compared.filter(({ said, known }) => !isDeepStrictEqual(said, known));
    for (const { name, said, known } of wrong)
      process.stderr.write(`${name}:\n  said  ${JSON.stringify(said)}\n  known ${JSON.stringify(known)}\n`);
    process.stdout.write(
      `Matomo ${matomo.version}: ${compared.length - wrong.length} of ${compared.length} answers are as known.\n`,
    );
    if (args.includes("--record")) {
      await recordTheRest(matomo, recorder, source, now);
      mkdirSync(FOLDER, { recursive: true });
      const head = { matomo: matomo.version, now };
      writeFileSync(join(FOLDER, "answers.ndjson"), formatLines([head, ...recorder.answers]));
      writeFileSync(join(FOLDER, "visits.ndjson"), formatLines(packDays(days)));
    }
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await matomo.close();
  }
}

type Recorder = ReturnType<typeof createRecorder>;

/** Remembers what Matomo answered to the gateway. */
function createRecorder({ url, tokens }: Matomo) {
  const known = { viewer: tokens.viewer, stranger: tokens.stranger, unknown: "f".repeat(32) };
  const answers: RecordedAnswer[] = [];
  const fetch = createNetworkFetch({ headersTimeout: 60_000, bodyTimeout: 60_000 });
  const recording: typeof fetch = async (address, init) => {
    const response = await fetch(address, init);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const request = nameForm(init.body ?? "", known);
    if (!answers.some((answer) => answer.request === request))
      answers.push({ request, body: shorten(JSON.parse(body.toString())) });
    return { ...response, body: [body] };
  };
  return {
    answers,
    openContext: (now: number, who: keyof typeof known = "viewer") => {
      const context = createMatomoContext(url.replace(/\/$/, ""), now, known[who]);
      return { ...context, target: { ...context.target, fetch: recording } };
    },
  };
}

const UNREAD = ["logo", "logoHeight", "country_name", "region_name", "Actions_PageUrl"];
const MANY_DAYS = 30;

/** Leaves out of what Matomo said its pictures, and in a report of many days those without visits. */
function shorten(body: unknown): unknown {
  if (Array.isArray(body)) {
    return body.map((row: unknown) =>
      typeof row === "object" && row !== null
        ? Object.fromEntries(Object.entries(row).filter(([name]) => !UNREAD.includes(name)))
        : row,
    );
  }
  const entries = Object.entries(Object(body));
  const isEmpty = (value: unknown) => value === 0 || (Array.isArray(value) && value.length === 0);
  return entries.length < MANY_DAYS ? body : Object.fromEntries(entries.filter(([, day]) => !isEmpty(day)));
}

/** What the tests ask in addition: of a limited Matomo, of this moment, and with tokens that may not ask. */
async function recordTheRest(matomo: Matomo, recorder: Recorder, source: DataSource, now: number) {
  matomo.keepRows({ pages: 5, folder: 2, others: 3 });
  const limited = (await openMatomo(recorder.openContext(now)).sites()).find(
    ({ domain }) => domain === LIMITED.domain,
  );
  const [site] = await source.sites();
  if (site === undefined || limited === undefined) throw new Error("Matomo lacks a site.");
  const span = { site: limited, from: FIRST, to: addDays(FIRST, DAYS - 1), now };
  for (const dimension of ["pages", "countries", "referrers"] as const)
    await source.breakdown(span, dimension, 10);
  await sendView(matomo, "1", now);
  const clock = { now };
  await conformSource(openMatomo({ ...recorder.openContext(now), clock: () => clock.now }), clock);
  await source.active(site, now);
  await source.warnings?.(span);
  for (const who of ["stranger", "unknown"] as const) {
    const refused = openMatomo(recorder.openContext(now, who));
    await refused.sites().catch(() => undefined);
    await refused.days({ ...span, site }).catch(() => undefined);
  }
  await source.days({ ...span, site: { ...site, id: "99" } }).catch(() => undefined);
}

const formatLines = (items: readonly unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join("");
