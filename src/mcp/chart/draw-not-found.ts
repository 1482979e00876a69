import { nameUnit } from "../../render/plural.ts";
import type { ReportedOverview } from "../../reports/overview.ts";
import { heading, html, isolate, type Tree, untrustedText } from "./elements.ts";
import type { Format } from "./format.ts";

type NotFound = NonNullable<ReportedOverview["not_found"]>;

/** Draws what people asked for and did not get, and the pages that led there. */
export function drawNotFound({ rows, total_rows }: NotFound, format: Format, shown = rows.length): Tree[] {
  const head = ["Path", "Requests", "Visitors", "Referrers"].map((name) =>
    html("th", { scope: "col" }, name),
  );
  return [
    heading("Not found", "what people asked for, and the pages that led there"),
    html(
      "table.links",
      html("thead", html("tr", ...head)),
      html("tbody", ...rows.slice(0, shown).map((row) => drawRow(row, format))),
    ),
    ...(total_rows > shown
      ? [html("p.aside", `${format.count(total_rows - shown)} more ${nameUnit(total_rows - shown, "path")}`)]
      : []),
  ];
}

function drawRow({ value, requests, visitors, referrers }: NotFound["rows"][number], format: Format) {
  const number = (count: number) => html("td", isolate(format.count(count)));
  const lines = referrers.map((referrer) =>
    html(
      "div.line",
      untrustedText(referrer.value),
      html("span.number.soft", isolate(format.count(referrer.requests))),
    ),
  );
  return html(
    "tr",
    html("th", { scope: "row" }, untrustedText(value ?? "(other)")),
    number(requests),
    number(visitors),
    html("td", ...lines),
  );
}
