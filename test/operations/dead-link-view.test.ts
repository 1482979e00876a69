import { expect, it } from "vitest";
import { notFound } from "../../src/operations/not-found.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { formatTable } from "../../src/render/terminal-table.ts";

const path = `/blog/${"very-".repeat(12)}long-name-of-a-page`;
const view = notFound.view(
  {
    site: { id: "1", domain: "example.com" },
    period: { from: "2026-11-20", to: "2026-11-20", days: 1, as_of: "2026-11-21T05:05:10+01:00" },
    rows: [
      {
        value: "/pricing",
        requests: 1,
        visitors: 1,
        referrers: [{ value: path, internal: true, requests: 1 }],
      },
    ],
    limit: 10,
    total_rows: 1,
    truncated: false,
    totals: { requests: 1 },
    excluded: { bots: 0, scanners: 0 },
  } as never,
  {} as never,
);

it("keeps the end of a referrer's path in a narrow terminal", () => {
  const screen = { width: 80, height: 40, color: false, pictures: true, locale: "en-US" };
  const [, first = "", second = ""] = formatTable(view, screen);
  expect(first).toMatch(/^\/pricing +1 +1 {2}….*very-long-name-of-a-page$/);
  expect(second.trim()).toBe("(1)");
});

it("counts one request as one", () => {
  expect(formatNotes(view.notes, "people")).toContain(
    "1 request from people got 404 or 410. Not counted: 0 from bots, 0 from scanners.",
  );
});
