import { describe, expect, it } from "vitest";
import { breakdown, openapi, sites, timeseries } from "../../src/operations/index.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { formatCommand } from "../../src/operations/shell-command.ts";
import { listNotes } from "../../src/operations/view.ts";
import { listVisitColumns } from "../../src/operations/visit-rates.ts";
import { createTestApi } from "../support/api.ts";

const { ask } = createTestApi();
const read = async (query: string) => (await ask(`/api/v1/${query}`)).body;
const readBreakdown = async (dimension: string) => ({
  params: { site: "example.com", dimension: dimension as "events", days: 7, limit: 3 },
  result: breakdown.result.parse(
    await read(`breakdown?site=example.com&dimension=${dimension}&days=7&limit=3`),
  ),
});

describe("a breakdown", () => {
  it.each([
    ["events", "events", { untrusted: true }],
    ["pages", "pageviews", { untrusted: true }],
    ["countries", "pageviews", { names: "region" }],
    ["languages", "pageviews", { names: "language" }],
    ["devices", "pageviews", {}],
  ])("of %s counts %s in addition to visitors", async (dimension, measure, marks) => {
    const { params, result } = await readBreakdown(dimension);
    expect(breakdown.verify?.(result, params)).toBeUndefined();
    const { columns, rows } = breakdown.view(result, params);
    expect(columns).toEqual([
      { key: "value", label: "value", kind: "text", machine: true, filters: true },
      { key: "label", label: dimension, kind: "text", ...marks },
      { key: "visitors", label: "visitors", kind: "count" },
      { key: measure, label: measure.replace("pageviews", "page views"), kind: "count", spare: true },
      { key: "percentage", label: "share", kind: "percent" },
      ...(dimension === "events" || dimension === "pages" ? [] : listVisitColumns(result.rows)),
    ]);
    const shown = result.rows.map(({ visits: _, bounces: __, visit_seconds: ___, ...row }) => row);
    expect(rows).toEqual(shown.map((row) => expect.objectContaining(row)));
  });

  it("has the totals in its note", async () => {
    const [events, pages] = await Promise.all(["events", "pages"].map(readBreakdown));
    if (!events || !pages) return expect.unreachable();
    const { visitors, pageviews, events: count } = events.result.totals;
    const notesOf = ({ result, params }: typeof events) =>
      formatNotes(listNotes([breakdown.view(result, params)]), "models");
    const note = `Rows may not add up to the totals: ${visitors} visitors, ${pageviews} page views`;
    expect(notesOf(events)).toContain(`${note}, ${count} events.`);
    expect(notesOf(pages)).toContain(`${note}.`);
  });

  it("is refused without its totals or the counts of a row", async () => {
    const { params, result } = await readBreakdown("events");
    const { events: _, ...totals } = result.totals;
    expect(breakdown.verify?.({ ...result, totals }, params)).toBe('it lacks "totals.events"');
    const rows = result.rows.map(({ events, ...row }) => row);
    expect(breakdown.verify?.({ ...result, rows }, params)).toBe('it lacks "rows[0].events"');
  });
});

describe("a series", () => {
  it("of another site is refused", async () => {
    const result = timeseries.result.parse(await read("timeseries?site=example.com&days=2"));
    expect(timeseries.verify?.(result, { site: "example.com", days: 2 })).toBeUndefined();
    expect(timeseries.verify?.(result, { site: "example.org", days: 2 })).toContain("it is about");
  });
});

describe("a list of sites", () => {
  it.each([
    [0, "0 sites"],
    [1, "1 site"],
    [2, "2 sites"],
  ])("of %d is headed %s", async (count, headline) => {
    const all = sites.result.parse(await read("sites"));
    expect(sites.view({ ...all, sites: all.sites.slice(0, count) }, {}).headline).toBe(headline);
  });
});

describe("a description of an API", () => {
  it.each([
    [{}, null, null],
    [{ get: {} }, null, null],
    [{ get: { summary: "Answers.", parameters: [{ name: "a" }, {}, { name: "b" }] } }, "a, b", "Answers."],
  ])("with the path %j", (path, parameters, summary) => {
    const info = { title: "An API", version: "1" };
    const { rows } = openapi.view({ openapi: "3.1.1", info, paths: { "/x": path } }, {});
    expect(rows).toEqual([{ path: "/x", parameters, summary }]);
  });
});

describe("the shell command of a query", () => {
  it.each([
    [{ site: "a.test", days: 7 }, [], "stats --site a.test --days 7"],
    [{}, ["--demo"], "stats --demo"],
    [{}, ["--profile", "at work"], "stats --profile 'at work'"],
    [{ site: "it's" }, [], "stats --site 'it'\\''s'"],
    [{ site: "; rm x" }, [], "stats --site '; rm x'"],
    [{ site: "a.test;" }, [], "stats --site 'a.test;'"],
    [{ site: "" }, [], "stats --site ''"],
  ])("with %j, %j is %s", (params, options, command) => {
    expect(formatCommand({ name: "stats" }, params, options)).toBe(`analytics-mcp ${command}`);
  });
});
