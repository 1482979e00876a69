import { expect, it } from "vitest";
import { parseFilter } from "../../src/operations/filter.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { reportQuery } from "../../src/reports/site-report.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { LOG_NOW } from "../support/logs.ts";

it.each([
  ["an outage", { period: "2026-09" }, {}, true],
  ["days as any others", { period: "2026-10" }, {}, false],
  ["a part of the visitors", { period: "2026-09" }, { filter: parseFilter(["devices=mobile"]) }, false],
])("says of %s whether the server failed more often than before: %j", async (_, asked, options, isSaid) => {
  const demo = await openDemoSource({ clock: () => LOG_NOW });
  const call = createLocalCall(
    async () => demo,
    () => LOG_NOW,
  );
  const { result } = await findQuery("overview").ask(
    call,
    { site: "example.com", days: 7, ...asked },
    options,
  );
  const warnings = (result.warnings ?? []) as { code: string; detail: string }[];
  const said = warnings.filter(({ code }) => code === "server_errors").map(({ detail }) => detail);
  expect(said).toEqual(
    isSaid
      ? [
          expect.stringMatching(
            /^The server failed to answer \d+ requests \(5xx\), after \d+ in the days before: not-found \(tool get_not_found\) with status 5xx lists them\.$/,
          ),
        ]
      : [],
  );
});

it("does not take days without data for days without server errors", async () => {
  const demo = await openDemoSource({ clock: () => LOG_NOW });
  const sites = async () => (await demo.sites()).map((site) => ({ ...site, dataSince: "2026-09-01" }));
  const call = createLocalCall(
    async () => ({ ...demo, sites }),
    () => LOG_NOW,
  );
  const { result } = await findQuery("overview").ask(
    call,
    { site: "example.com", days: 7, period: "2026-09" },
    {},
  );
  expect(result.warnings ?? []).not.toContainEqual(expect.objectContaining({ code: "server_errors" }));
});

it("passes on in what the rows of the lists that it shows differ from the contract's, once", async () => {
  const demo = await openDemoSource({ clock: () => LOG_NOW });
  const near = { code: "near", detail: "Rows of referrers are another service's." };
  const ofChannels = { code: "near", detail: "Channels are another service's." };
  const ofNone = { code: "near", detail: "Countries are another service's." };
  const source: DataSource = {
    ...demo,
    breakdown: async (span, dimension, ...rest) => ({
      ...(await demo.breakdown(span, dimension, ...rest)),
      ...(dimension === "countries" && { rows: [], warnings: [ofNone] }),
      ...(dimension === "channels" && { warnings: [ofChannels] }),
      ...(/pages|referrers|devices/.test(dimension) && {
        warnings: [near, { code: "folded", detail: "Of its own list." }],
      }),
    }),
  };
  const call = createLocalCall(
    async () => source,
    () => LOG_NOW,
  );
  const query = findQuery("overview");
  const { views, result } = await query.ask(call, { site: "example.com", days: 7 }, {});
  expect(result.warnings).toMatchObject([near, ofChannels]);
  // Neither shows channels.
  expect(query.compact?.(result as never).warnings).toMatchObject([near]);
  expect(formatNotes(views[0]?.warnings ?? [], "people")).toEqual([near.detail]);
  const report = await reportQuery.ask(call, { site: "example.com", days: 7 }, {});
  expect(formatNotes(report.views[0]?.warnings ?? [], "people")).toEqual([near.detail, ofChannels.detail]);
});
