import { nameUnit } from "../../render/plural.ts";
import type { Format } from "./format.ts";

type Attributes = Record<string, string | number>;

/**
 * Elements are created only here and never from markup. Text from visitors becomes a text node or an attribute's value,
 * so it cannot inject markup.
 */
export function html<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes,
  ...children: (Node | string)[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill<T extends Element>(element: T, attributes: Attributes, children: (Node | string)[]): T {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Text that may come from a visitor. It is isolated, so that its direction does not affect the text around it. The style
 * sheet shortens long text; the tooltip has all of it.
 */
export function untrustedText(text: string): HTMLElement {
  return html("bdi", { class: "label", title: text }, text);
}

/** Isolates the direction of a number or day in any locale: Arabic digits would turn "5 → 7" around. */
export function isolate(text: string): HTMLElement {
  return html("bdi", {}, text);
}

export function joinParts(parts: string[]): (Node | string)[] {
  return parts.flatMap((part, index) => (index === 0 ? [isolate(part)] : [" · ", isolate(part)]));
}

/** What the numbers are of: a site or, with a filter, a part of its hits. */
export function subjectLines({ site, filter = [] }: Subject): HTMLElement[] {
  const conditions = filter.flatMap((condition, index) => [
    index === 0 ? "Only " : " and ",
    html("strong", {}, condition),
  ]);
  return [
    html("h1", {}, untrustedText(site.domain)),
    ...(conditions.length === 0 ? [] : [html("p", { class: "filter" }, ...conditions)]),
  ];
}

interface Subject {
  site: { domain: string };
  filter?: string[] | undefined;
}

/** A bar between two positions on its track, in percent. */
export function bar(start: number, end: number, kind = ""): HTMLElement {
  const element = html("span", { class: `bar ${kind}`.trim() });
  element.style.insetInlineStart = `${start}%`;
  element.style.inlineSize = `${end - start}%`;
  return element;
}

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
 */
export function changeLines(
  change: Change,
  average: Average | undefined,
  before: string | undefined,
  { small_sample: isSmallSample }: { small_sample: boolean },
  format: Format,
): HTMLElement[] {
  const sum = before === undefined ? [] : [aside(`before: ${before}`)];
  if (!average) return [changeLine(change, isSmallSample, format), ...sum];
  const { absolute } = change;
  return [
    ...(absolute === null ? [] : [directedChange(html("span", { class: "change" }), absolute, format)]),
    ...sum,
    aside(`${format.count(average.current)} a day, before: ${format.count(average.previous)}`),
    changeLine({ absolute: average.change, percent: average.percent }, isSmallSample, format, " a day"),
  ];
}

const aside = (text: string) => html("span", { class: "aside" }, isolate(text));

function directedChange(line: HTMLElement, absolute: number, format: Format): HTMLElement {
  if (absolute === 0) line.append("no change");
  else {
    line.append(
      html("span", { class: "hidden" }, absolute > 0 ? "up " : "down "),
      html("span", { class: absolute > 0 ? "up" : "down", "aria-hidden": "true" }, absolute > 0 ? "▲" : "▼"),
      isolate(format.count(Math.abs(absolute))),
    );
  }
  return line;
}

/** A change: direction, absolute and percent. */
function changeLine(
  { absolute, percent }: Change,
  isSmallSample: boolean,
  format: Format,
  unit = percent === undefined && absolute ? ` ${nameUnit(Math.abs(absolute), "point")}` : "",
): HTMLElement {
  const line = html("span", { class: "change" });
  if (absolute === null) {
    line.append(
      flag("no comparison", "Some of these days, or of the days before, have no data or no visits."),
    );
    return line;
  }
  directedChange(line, absolute, format).append(unit);
  if (percent === null) {
    line.append(
      flag("no percentage", "The earlier days had none, or the site had no data yet on some of them."),
    );
  } else if (absolute !== 0 && percent !== undefined)
    line.append(html("bdi", { class: "soft" }, format.signedPercent(percent)));
  if (isSmallSample)
    line.append(flag("small sample", "With so few visitors, a change may be due to chance."));
  return line;
}

function flag(text: string, reason: string): HTMLElement {
  return html("span", { class: "flag", title: reason }, text);
}

/** @param dimension As the contract names it: `utm_sources`. */
export function dimensionTitle(dimension: string): string {
  const words = dimension.replaceAll("_", " ").replace(/^utm\b/, "UTM");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A title, with a remark at the other end of the line. */
export function heading(title: string, remark: string): HTMLElement {
  return html("div", { class: "heading" }, html("h2", {}, title), html("p", { class: "remark" }, remark));
}

/**
 * Lists with comparable bars: all tracks have the same length, because the numbers next to them all get the width of
 * the longest.
 */
export function barLists(kind: string, sections: HTMLElement[]): HTMLElement {
  const lists = html("div", { class: `lists ${kind}` }, ...sections);
  const lengths = [...lists.querySelectorAll(".beside")].map((number) => number.textContent.length);
  // Most characters are as wide as a digit; the extra one is for the percent sign.
  lists.style.setProperty("--beside", `${1 + Math.max(0, ...lengths)}ch`);
  return lists;
}
