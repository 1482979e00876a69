import { nameUnit } from "../../render/plural.ts";
import type { Format } from "./format.ts";

/** An element before it is a node of a page (`nodes.ts`) or markup (`markup.ts`), so that both are drawn by the same code. */
export interface Tree {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly Part[];
}

/** Text stays text: neither form can take it for markup. */
export type Part = Tree | string;

type Attributes = Tree["attributes"];

/**
 * An element of HTML; `svg` and what is in it is SVG.
 *
 * @param name The tag, and classes as a style sheet has them: `span.number.soft`.
 */
export function html(name: string, attributes: Attributes, ...children: Part[]): Tree;
export function html(name: string, ...children: Part[]): Tree;
export function html(name: string, ...given: (Attributes | Part)[]): Tree {
  const [tag = "", ...classes] = name.split(".");
  const [first] = given;
  const own = typeof first === "object" && !("tag" in first) ? first : undefined;
  const attributes = { ...(classes.length > 0 && { class: classes.join(" ") }), ...own };
  return { tag, attributes, children: (own ? given.slice(1) : given) as Part[] };
}

const readText = (part: Part): string =>
  typeof part === "string" ? part : part.children.map(readText).join("");

/**
 * Text that may come from a visitor. It is isolated, so that its direction does not affect the text around it. The style
 * sheet shortens long text; the tooltip has all of it.
 */
export function untrustedText(text: string): Tree {
  return html("bdi", { class: "label", title: text }, text);
}

/** Isolates the direction of a number or day in any locale: Arabic digits would turn "5 → 7" around. */
export function isolate(text: string): Tree {
  return html("bdi", text);
}

export function joinParts(parts: string[]): Part[] {
  return parts.flatMap((part, index) => (index === 0 ? [isolate(part)] : [" · ", isolate(part)]));
}

/** What the numbers are of: a site or, with a filter, a part of its hits. */
export function subjectLines({ site, filter = [] }: Subject): Tree[] {
  const conditions = filter.flatMap((condition, index) => [
    index === 0 ? "Only " : " and ",
    html("strong", condition),
  ]);
  return [
    html("h1", untrustedText(site.domain)),
    ...(conditions.length === 0 ? [] : [html("p.filter", ...conditions)]),
  ];
}

interface Subject {
  site: { domain: string };
  filter?: string[] | undefined;
}

/** A track as long as there is room. Its bars have their lengths as attributes: a page's policy allows no style of an element. */
export const track = (...bars: Tree[]): Tree =>
  html("svg", { class: "track", "aria-hidden": "true" }, ...bars);

/** A bar between two positions on its track, in percent. */
export const bar = (start: number, end: number, kind = ""): Tree =>
  html("rect", {
    class: `bar ${kind}`.trim(),
    x: `${start}%`,
    // A count that is not zero can be seen.
    width: `${Math.max(end - start, end > start ? 0.3 : 0)}%`,
    height: "100%",
  });

export interface Change {
  absolute: number | null;
  /** Absent if it is measured in percentage points. */
  percent?: number | null;
}

export interface Average {
  current: number;
  previous: number;
  change: number;
  percent: number | null;
}

/**
 * The change between complete days: of sums, and of averages per day, where periods are compared by them.
 *
 * @param before The sum before, if it is not shown elsewhere.
 * @param show Shows the size of a change.
 */
export function changeLines(
  change: Change,
  average: Average | undefined,
  before: string | undefined,
  show: (size: number) => string,
  format: Format,
): Tree[] {
  const sum = before === undefined ? [] : [aside(`before: ${before}`)];
  const { absolute, percent } = change;
  // With a percentage, the sums are of as many days.
  if (!average || typeof percent === "number") return [changeLine(change, show, format), ...sum];
  return [
    ...(absolute === null ? [] : [html("span.change", ...directedChange(absolute, show))]),
    ...sum,
    aside(`${format.count(average.current)} a day, before: ${format.count(average.previous)}`),
    changeLine({ absolute: average.change, percent: average.percent }, show, format, " a day"),
  ];
}

const aside = (text: string) => html("span.aside", isolate(text));

function directedChange(absolute: number, show: (size: number) => string): Part[] {
  if (absolute === 0) return ["no change"];
  const isUp = absolute > 0;
  return [
    html("span.hidden", isUp ? "up " : "down "),
    html("span", { class: isUp ? "up" : "down", "aria-hidden": "true" }, isUp ? "▲" : "▼"),
    isolate(show(Math.abs(absolute))),
  ];
}

/** A change: direction, absolute and percent. */
function changeLine(
  { absolute, percent }: Change,
  show: (size: number) => string,
  format: Format,
  unit = percent === undefined && absolute ? ` ${nameUnit(Math.abs(absolute), "point")}` : "",
): Tree {
  if (absolute === null) {
    const reason = "Some of these days, or of those before, have no data or no visits.";
    return html("span.change", flag("no comparison", reason));
  }
  return html(
    "span.change",
    ...directedChange(absolute, show),
    ...(absolute === 0 ? [] : [unit]),
    ...(absolute === 0 || percent === undefined
      ? []
      : [
          percent === null
            ? flag("no percentage", "The earlier days had none, or some of them no data yet.")
            : html("bdi.soft", format.signedPercent(percent)),
        ]),
  );
}

/** Said once of all numbers. */
export const smallSample = (isSmall: boolean): Tree[] =>
  isSmall ? [html("p.flag", "So few visitors: a change may be chance.")] : [];

function flag(text: string, reason: string): Tree {
  return html("span", { class: "flag", title: reason }, text);
}

/** @param dimension As the contract names it: `utm_sources`. */
export function dimensionTitle(dimension: string): string {
  const words = dimension.replaceAll("_", " ").replace(/^utm\b/, "UTM");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A title, with a remark at the other end of the line. */
export function heading(title: string, remark: string): Tree {
  return html("div.heading", html("h2", title), html("p.remark", remark));
}

/** Lists with comparable bars: all tracks have the same length, because the numbers beside them all get the same width. */
export function barLists(kind: string, sections: Tree[]): Tree {
  const lengths = sections.flatMap((section) => listBeside(section).map((number) => readText(number).length));
  // Most characters are as wide as a digit; the extra one is for the percent sign.
  const steps = Math.ceil((1 + Math.max(0, ...lengths)) / 4);
  return html("div", { class: `lists ${kind} beside-${Math.min(8, steps)}` }, ...sections);
}

function listBeside(part: Part): Tree[] {
  if (typeof part === "string") return [];
  const { class: kind = "" } = part.attributes;
  return String(kind).split(" ").includes("beside") ? [part] : part.children.flatMap(listBeside);
}

const MADE_UP = "Made-up data";

/** The notes on an answer, at its end. */
export function drawNotes(notes: readonly string[]): Tree {
  const items = notes.map((note) =>
    html("li", note.startsWith(MADE_UP) ? { class: "demo" } : {}, html("bdi", note)),
  );
  return html("footer", html("ul", ...items));
}
