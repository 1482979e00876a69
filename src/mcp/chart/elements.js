// @ts-check
/** @import { Format } from "./format.js" */

/**
 * Elements are created only here and never from markup. Text from visitors becomes a text node or an attribute's value,
 * so it cannot inject markup.
 * @typedef {Record<string, string | number>} Attributes
 */

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function html(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} attributes
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * @template {Element} T
 * @param {T} element
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/**
 * Text that may come from a visitor. It is isolated, so that its direction does not affect the text around it. The style
 * sheet shortens long text; the tooltip has all of it.
 * @param {string} text
 */
export function foreignText(text) {
  return html("bdi", { class: "label", title: text }, text);
}

/**
 * A bar between two positions on its track, in percent.
 * @param {number} start
 * @param {number} end
 * @param {string} kind
 */
export function bar(start, end, kind = "") {
  const piece = html("span", { class: `bar ${kind}`.trim() });
  piece.style.insetInlineStart = `${start}%`;
  piece.style.inlineSize = `${end - start}%`;
  return piece;
}

/**
 * The change between complete days: direction, absolute and percent.
 * @param {{ absolute: number, percent: number | null }} change
 * @param {boolean} smallSample
 * @param {Format} format
 */
export function changeLine({ absolute, percent }, smallSample, format) {
  const line = html("span", { class: "change" });
  if (absolute === 0) line.append("no change");
  else {
    line.append(
      html("span", { class: "hidden" }, absolute > 0 ? "up " : "down "),
      html("span", { class: absolute > 0 ? "up" : "down", "aria-hidden": "true" }, absolute > 0 ? "▲" : "▼"),
      own(format.count(Math.abs(absolute))),
    );
  }
  if (percent === null)
    line.append(
      flag("no percentage", "The earlier days had none, or the site had no data yet on some of them."),
    );
  else if (absolute !== 0) line.append(html("bdi", { class: "soft" }, format.signedPercent(percent)));
  if (smallSample) line.append(flag("small sample", "With so few visitors, a change may be due to chance."));
  return line;
}

/** @param {string} text @param {string} reason */
function flag(text, reason) {
  return html("span", { class: "flag", title: reason }, text);
}

/** @param {string} dimension as the contract names it: `utm_sources` */
export function dimensionTitle(dimension) {
  const words = dimension.replaceAll("_", " ").replace(/^utm\b/, "UTM");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * A title, with a remark at the other end of the line.
 * @param {"div" | "figcaption"} tag
 * @param {string} title
 * @param {Node} remark
 */
export function heading(tag, title, remark) {
  return html(tag, { class: "heading" }, html("h2", {}, title), remark);
}

/**
 * Lists with comparable bars: all tracks have the same length, because the numbers next to them all get the width of
 * the longest.
 * @param {string} kind
 * @param {HTMLElement[]} sections
 */
export function barLists(kind, sections) {
  const lists = html("div", { class: `lists ${kind}` }, ...sections);
  const lengths = [...lists.querySelectorAll(".beside")].map((number) => number.textContent?.length ?? 0);
  // Most characters are as wide as a digit; the extra one is for the percent sign.
  lists.style.setProperty("--beside", `${1 + Math.max(0, ...lengths)}ch`);
  return lists;
}

/**
 * Isolates the direction of a number or day in any locale: Arabic digits would turn "5 → 7" around.
 * @param {string} text
 */
export function own(text) {
  return html("bdi", {}, text);
}

/** @param {string[]} parts @returns {(Node | string)[]} */
export function joinParts(parts) {
  return parts.flatMap((part, index) => (index === 0 ? [own(part)] : [" · ", own(part)]));
}
