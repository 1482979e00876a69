import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findQuery } from "../../../../src/reports/queries.ts";
import { signIn } from "../../../../src/sources/gateways/umami/api.ts";
import { openUmami } from "../../../../src/sources/gateways/umami/umami-source.ts";
import { createLocalCall } from "../../../../src/sources/local-call.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { listUmamiChecks } from "../../../support/umami-checks.ts";
import {
  createUmamiContext,
  RECORDED,
  RECORDINGS,
  type RecordedAnswer,
  readRecordings,
  startReplay,
} from "../../../support/umami-replay.ts";

/** What Umami 3.1.0 answered about the demo's visits, through the real client. */
let replay: Awaited<ReturnType<typeof startReplay>>;
beforeAll(async () => {
  replay = await startReplay(readRecordings());
});
afterAll(() => replay.close());

const open = (options = {}) => openUmami(createUmamiContext(replay.url, options));

describe("the numbers are those of the visits that were sent into Umami", () => {
  it.each(listUmamiChecks().map((check) => [check.name, check] as const))(
    "%s",
    async (_, { timezone, ask, expected }) => {
      expect(await ask(open(timezone === undefined ? {} : { timezone }))).toEqual(expected);
    },
  );
});

it("lists the websites of the user's teams", async () => {
  const sites = await open().sites(undefined, true);
  expect(sites.map(({ domain, timezone, dataSince }) => [domain, timezone, dataSince])).toEqual([
    ["docs.example.com", "America/New_York", "2026-11-01"],
    ["example.com", "Europe/Berlin", "2026-03-29"],
  ]);
});

it("finds a site by its id in any letter case, and none that is not the user's", async () => {
  const [, example] = await open().sites(undefined, true);
  expect(await open().site?.(example?.id.toUpperCase() ?? "")).toEqual(example);
  expect(await open().site?.("foreign.example")).toBeUndefined();
});

it("says that a site is not found, not that the key is wrong, if Umami refuses one website", async () => {
  const [example] = await open().sites();
  const foreign = readRecordings().find(
    ({ request, status }) => request.endsWith("/active") && status === 401,
  );
  const id = /websites\/([^/]+)/.exec(foreign?.request ?? "")?.[1] ?? "";
  expect(id).not.toBe("");
  const asked = open().active({ ...example, id } as never, 0);
  await expect(asked).rejects.toMatchObject({ code: "site_not_found" });
});

it("changes user and password into a token", async () => {
  expect(await signIn(createUmamiContext(replay.url), "reader", RECORDED.password)).toBe(RECORDED.reader);
});

it("refuses a wrong key without asking twice", async () => {
  const sites = open({ apiKey: "wrong" }).sites();
  await expect(sites).rejects.toMatchObject({ code: "invalid_api_key", status: 401 });
  await expect(sites).rejects.toThrow("Umami does not accept the key");
});

it("keeps no real token, and little, in the recordings", () => {
  const text = readFileSync(RECORDINGS, "utf8");
  expect(text.length).toBeLessThan(150_000);
  const tokens = [...text.matchAll(/"token":\s*"([^"]*)"/g)].map(([, token]) => token);
  expect(new Set(tokens)).toEqual(new Set([RECORDED.reader]));
});

it("warns of each dimension whose rows are not quite the contract's", async () => {
  const source = open();
  const site = await source.site?.("example.com");
  if (site === undefined) throw new Error("There is no example.com.");
  const span = { site, from: "2026-11-03", to: "2026-11-03", now: LOG_NOW };
  const warned: string[] = [];
  for (const dimension of ["channels", "cities", "referrers", "entry_pages", "pages", "countries"] as const) {
    const { warnings = [] } = await source.breakdown(span, dimension, 10);
    warned.push(...warnings.map(({ code, detail }) => `${code}: ${detail}`));
  }
  expect(warned).toMatchInlineSnapshot(`
    [
      "near: Rows of channels are Umami's channels, without AI assistants and without a row of direct visits, and count the page views that have the value themselves, such as the first of a visit, and not all page views of these visits.",
      "near: Rows of cities are names with their country, since Umami has no GeoNames ids.",
      "near: Rows of referrers leave out visits without a referrer, and count the page views that have the value themselves, such as the first of a visit, and not all page views of these visits.",
      "near: Rows of entry pages are those of Umami's visits, which end at the full hour, so somebody who stays longer has several, and count these page views alone.",
    ]
  `);
});

it("names channels as the contract does", async () => {
  const source = open();
  const site = await source.site?.("example.com");
  if (site === undefined) throw new Error("There is no example.com.");
  const span = { site, from: "2026-11-03", to: "2026-11-03", now: LOG_NOW };
  const { rows } = await source.breakdown(span, "channels", 10);
  expect(rows.map(({ value, visitors }) => [value, visitors])).toMatchInlineSnapshot(`
    [
      [
        "Organic Search",
        11,
      ],
      [
        "Organic Social",
        3,
      ],
      [
        "Referral",
        1,
      ],
    ]
  `);
});

it.each([
  ["pages", { filter: ["pages=/"], dimension: "countries" }],
  ["countries", { filter: ["countries=DE"], dimension: "pages" }],
  ["referrers", undefined],
])("proposes to ask about the first of %s what Umami can list", async (dimension, expected) => {
  const call = createLocalCall(
    async () => open(),
    () => LOG_NOW,
  );
  const query = findQuery("breakdown");
  const params = query.params.parse({ site: "example.com", dimension, period: "2026-11-03/2026-11-03" });
  expect((await query.ask(call, params, {})).ofFirst).toEqual(expected);
});

it("answers the conversions that the docs list, and refuses others by name", async () => {
  const call = createLocalCall(
    async () => open(),
    () => LOG_NOW,
  );
  const query = findQuery("conversions");
  const ask = async (goal: string, by?: string) => {
    const given = { site: "example.com", period: "2026-11-03/2026-11-03", goal, ...(by && { by }) };
    return (await query.ask(call, query.params.parse(given), {})).result;
  };
  expect(await ask("pages=/docs*", "countries")).toMatchObject({ by: "countries", rows: expect.anything() });
  expect(await ask("events=signup")).toMatchObject({ goal: "events=signup" });
  await expect(ask("events=signup", "countries")).rejects.toMatchObject({
    message: expect.stringContaining("which Umami cannot list for a filter on events"),
  });
});

it("has an answer recorded for whatever it asks", () => {
  const known = new Set(readRecordings().map(({ request }: RecordedAnswer) => request));
  expect(replay.asked.filter((request) => !known.has(request))).toEqual([]);
});
