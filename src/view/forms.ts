import { html, type Tree } from "../mcp/chart/elements.ts";
import type { Address } from "./address.ts";
import { keepGiven } from "./bar.ts";

interface Field {
  name: string;
  title: string;
  button: string;
  placeholder: string;
}

export const SEARCH: Field = { name: "search", title: "Search this list", button: "Search", placeholder: "" };
export const GOAL: Field = {
  name: "goal",
  title: "Goal: what a visit did",
  button: "Show conversions",
  placeholder: "such as /thanks",
};

/** A form whose field is a part of the address. */
export function drawForm(address: Address, { name, title, button, placeholder }: Field): Tree {
  const [value = ""] = address.given.get(name) ?? [];
  return html(
    "form",
    { role: "search" },
    ...keepGiven(address, name),
    html("input", { type: "search", name, value, placeholder, "aria-label": title, "data-key": "/" }),
    html("button", button),
  );
}
