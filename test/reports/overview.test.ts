import { expect, it } from "vitest";
import { formatNotes } from "../../src/operations/note.ts";
import { findQuery } from "../../src/reports/queries.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { openDemoSource } from "../../src/sources/demo/organizations.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { LOG_NOW } from "../support/logs.ts";

it("passes on in what the rows of its lists differ from the contract's, once", async () => {
  const demo = await openDemoSource({ clock: () => LOG_NOW });
  const near = { code: "near", detail: "Rows of referrers are another service's." };
  const source: DataSource = {
    ...demo,
    breakdown: async (span, dimension, ...rest) => ({
      ...(await demo.breakdown(span, dimension, ...rest)),
      ...(dimension !== "countries" && { warnings: [near, { code: "folded", detail: "Of its own list." }] }),
    }),
  };
  const call = createLocalCall(
    async () => source,
    () => LOG_NOW,
  );
  const { views, result } = await findQuery("overview").ask(call, { site: "example.com", days: 7 }, {});
  expect(result.warnings).toEqual([near]);
  expect(formatNotes(views[0]?.warnings ?? [], "people")).toContain(near.detail);
});
