import { html, type Part, type Tree } from "../mcp/chart/elements.ts";
import { formatCount } from "../render/plural.ts";
import { type Address, change, DEFAULT_PERIOD, sitePages } from "./address.ts";

/** The address of a page, with the secret. */
export type Href = (address: Address) => string;

/** Periods with their keys, which are those of Plausible where it has one. */
const PERIODS: readonly [key: string, period: string, title: string][] = [
  ["d", "today", "Today"],
  ["e", "yesterday", "Yesterday"],
  ["w", "last_7_days", "7 days"],
  ["f", DEFAULT_PERIOD, "28 days"],
  ["n", "last_91_days", "91 days"],
  ["m", "this_month", "Month"],
  ["y", "this_year", "Year"],
  ["a", "all", "All"],
];

/** What other keys do. */
const KEYS: readonly [string, string][] = [
  ["x", "Compare with the days before"],
  ["/", "Search a list"],
  ["Esc", "Stop, or take the last filter away"],
  ["Click", "Only these; with Shift: not these"],
  ["Drag, or Shift+arrows and Enter", "These days"],
  ["?", "Show or hide the keys"],
];

/** The head of every page, from its address alone, so that it is there at once. */
export function drawBar(address: Address, href: Href): Tree[] {
  const { site, page, given } = address;
  const all: Address = { site: undefined, page: "", given: new Map() };
  const [period = given.has("days") ? "" : DEFAULT_PERIOD] = given.get("period") ?? [];
  const to = (target: Address, text: string, attributes: Record<string, string> = {}) =>
    html("a", { href: href(target), ...attributes }, text);
  const current = (is: boolean) => (is ? { "aria-current": "true" } : {});
  const periods = PERIODS.map(([key, name, title]) =>
    to(change(address, { period: [name], days: undefined }), title, {
      "data-key": key,
      ...current(name === period),
    }),
  );
  const shown = PERIODS.some(([, name]) => name === period)
    ? []
    : [html("b", period || formatCount(Number(given.get("days")), "day"))];
  const pages = Object.entries(sitePages).map(([name, title]) =>
    to({ ...change(address, { search: undefined, by: undefined, limit: undefined }), page: name }, title, {
      ...(name === (page === "compare" ? "" : "compare") && { "data-key": "x" }),
      ...current(name === page),
    }),
  );
  return [
    html(
      "nav",
      { class: "bar-top", "aria-label": "Site" },
      to(all, "All sites"),
      ...(site === undefined
        ? []
        : [html("span", { id: "now", "data-from": href({ ...address, page: "now" }) })]),
    ),
    html("nav", { class: "periods", "aria-label": "Period" }, ...periods, ...shown),
    ...(site === undefined ? [] : [html("nav", { class: "pages", "aria-label": "Pages" }, ...pages)]),
    ...drawChips(address, to),
  ];
}

/** The conditions of the filter, each with a link to the page without it. */
function drawChips(
  address: Address,
  to: (target: Address, text: string, attributes: Record<string, string>) => Tree,
) {
  const filter = address.given.get("filter") ?? [];
  if (filter.length === 0) return [];
  const chips = filter.map((condition, index) => {
    const rest = filter.filter((_, other) => other !== index);
    const less = change(address, { filter: rest });
    const label = {
      "aria-label": `Without ${condition}`,
      ...(index === filter.length - 1 && { "data-key": "Escape" }),
    };
    return html("li", html("bdi", condition), to(less, "×", label));
  });
  return [html("ul", { class: "chips", "aria-label": "Only" }, ...chips)];
}

/** What can be done with what is shown: other formats, the same in a shell or by an assistant. */
export function drawTools(address: Address, { command, report, prompt }: Tools, href: Href): Tree {
  const as = (format: string) =>
    html("a", { href: href(change(address, { format: [format] })) }, format.toUpperCase());
  const copy = (text: string, title: string) => html("button", { type: "button", "data-copy": text }, title);
  return html(
    "section",
    { class: "tools", "aria-label": "This view elsewhere" },
    ...spread([
      as("csv"),
      as("json"),
      as("md"),
      copy(command, "Copy the command"),
      copy(prompt, "Ask an assistant"),
      ...(report === undefined ? [] : [copy(report, "Save as report")]),
    ]),
    html("code", command),
    html(
      "details",
      { id: "keys" },
      html("summary", "Keys"),
      html(
        "dl",
        ...[
          ...PERIODS.map(([key, , title]): [string, string] => [key.toUpperCase(), title]),
          ...KEYS,
        ].flatMap(([key, does]) => [html("dt", html("kbd", key)), html("dd", does)]),
      ),
    ),
  );
}

export interface Tools {
  command: string;
  /** The command that writes it as a file, if there is one. */
  report: string | undefined;
  /** For an assistant that has the tools. */
  prompt: string;
}

const spread = (parts: Part[]): Part[] =>
  parts.flatMap((part, index) => (index === 0 ? [part] : [" ", part]));

export const showError = (text: string, home: string | undefined): Tree[] => [
  html("p", { class: "message failure", role: "alert" }, text),
  ...(home === undefined ? [] : [html("p", html("a", { href: home }, "Back to the start"))]),
];
