import type { Part } from "./elements.ts";

const SVG = "http://www.w3.org/2000/svg";

/** Drawn elements as nodes of this page. Text becomes text nodes and values of attributes, so it cannot inject markup. */
export function toNode(part: Part, isWithinSvg = false): Node {
  if (typeof part === "string") return document.createTextNode(part);
  const { tag, attributes, children } = part;
  const isSvg = isWithinSvg || tag === "svg";
  const element = isSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children.map((child) => toNode(child, isSvg)));
  return element;
}
