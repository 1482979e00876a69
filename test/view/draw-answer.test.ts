import { expect, it } from "vitest";
import { printMarkup } from "../../src/mcp/chart/markup.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { drawAnswer } from "../../src/view/draw-answer.ts";
import { createSmallService } from "../sources/described/small-service.ts";

it.each([
  ["pages", "breakdown", { dimension: "pages" }, true],
  ["timeseries", "timeseries", { days: 7 }, false],
])("says why rows are no links only where there are rows: %s", async (page, name, params, isSaid) => {
  const { call } = createSmallService({});
  const query = findQuery(name);
  const answer = await query.ask(call, query.params.parse({ site: "acme.example", ...params }), {
    usesDefaultDays: isSaid,
  });
  const screen = { width: 80, height: 24, color: false, pictures: false, locale: "en" };
  const address = { site: "acme.example", page, given: new Map() };
  const drawing = { screen, source: [], href: () => "/" };
  const { parts } = drawAnswer(answer, address, drawing, { offersFilter: false, hasHead: false });
  expect(parts.map(printMarkup).join("").includes("Rows cannot be clicked here")).toBe(isSaid);
});
