import type { ReportedOverview } from "../../reports/overview.ts";
import { heading, html, isolate, untrustedText } from "./elements.ts";
import type { Format } from "./format.ts";
import { fits, isCount, isFlag, isText, orNone, orNull, type Shape } from "./shapes.ts";

type NotFound = NonNullable<ReportedOverview["not_found"]>;

const shape: Shape = {
  rows: [
    {
      value: orNull(isText),
      requests: isCount,
      visitors: isCount,
      referrers: [{ value: isText, internal: isFlag, requests: isCount }],
      other: orNone(isFlag),
    },
  ],
};

/** Draws what people asked for and did not get, and the pages that led there. Nothing if a report has none. */
export function drawNotFound(content: unknown, format: Format): HTMLElement[] {
  const given: unknown = Object(content).not_found;
  if (!fits(given, shape)) return [];
  // The shape was checked.
  const { rows } = given as NotFound;
  const head = ["Path", "Requests", "Visitors", "Referrers"].map((name) =>
    html("th", { scope: "col" }, name),
  );
  return [
    heading("Not found", "what people asked for, and the pages that led there"),
    html(
      "table",
      { class: "links" },
      html("thead", {}, html("tr", {}, ...head)),
      html("tbody", {}, ...rows.map((row) => drawRow(row, format))),
    ),
  ];
}

function drawRow({ value, requests, visitors, referrers }: NotFound["rows"][number], format: Format) {
  const number = (count: number) => html("td", {}, isolate(format.count(count)));
  const lines = referrers.map((referrer) =>
    html(
      "div",
      { class: "line" },
      untrustedText(referrer.value),
      html("span", { class: "number soft" }, isolate(format.count(referrer.requests))),
    ),
  );
  return html(
    "tr",
    {},
    html("th", { scope: "row" }, untrustedText(value ?? "(other)")),
    number(requests),
    number(visitors),
    html("td", {}, ...lines),
  );
}
