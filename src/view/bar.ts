import { html, type Tree } from "../mcp/chart/elements.ts";
import { formatCount } from "../render/plural.ts";
import { type Address, change, DEFAULT_PERIOD, isCompared, PERIODS, START, sitePages } from "./address.ts";
import type { Dates } from "./dates.ts";

/** The address of a page, with the secret. */
export type Href = (address: Address) => string;

/** What is known before the answer. */
export interface Known {
  /** The latest day that can be asked for. */
  latest: string;
  /** The pages that the source has. */
  offered: readonly string[];
  /** Whether there is no other site. */
  isOnly: boolean;
}

/** What other keys do. */
const KEYS: readonly [string, string][] = [
  ["c", "Dates of your own"],
  ["x", "Compare with the days before"],
  ["/", "Search a list"],
  ["Esc", "Stop, or take the last filter away"],
  ["Click", "Only these; with Shift: not these"],
  ["Drag, or Shift+arrows and Enter", "These days"],
  ["?", "Show or hide the keys"],
];

/**
 * The head of every page. It takes no answer of the source, so that it is there at once.
 */
export function drawBar(dates: Dates, { latest, offered, isOnly }: Known, href: Href): Tree[] {
  const { address, fault } = dates;
  const { site, page, given } = address;
  const [period = given.has("days") ? "" : DEFAULT_PERIOD] = given.get("period") ?? [];
  const to = (target: Address, text: string, attributes: Record<string, string> = {}) =>
    html("a", { href: href(target), ...attributes }, text);
  const current = (is: boolean) => (is ? { "aria-current": "true" } : {});
  const periods = PERIODS.filter(([, name]) => page !== "compare" || isCompared(name)).map(
    ([key, name, title]) =>
      to(change(address, { period: [name], days: undefined }), title, {
        "data-key": key,
        ...current(name === period),
      }),
  );
  const title = PERIODS.find(([, name]) => name === period)?.[2];
  const name = title ?? (nameWord(period) || formatCount(Number(given.get("days")), "day"));
  const isDated = fault === undefined && dates.from !== "";
  const shown = title !== undefined || isDated ? [] : [html("b", name)];
  const listed = Object.entries(sitePages).filter(([name]) => name === page || offered.includes(name));
  const pages = listed.map(([name, title]) => {
    const isDropped = name === "compare" && page !== name && !isCompared(period);
    const dropped = isDropped ? { period: undefined } : {};
    const kept = change(address, { search: undefined, by: undefined, limit: undefined, ...dropped });
    return to({ ...kept, page: name }, isDropped ? `${title} 28 days` : title, {
      ...(name === (page === "compare" ? "" : "compare") && { "data-key": "x" }),
      ...current(name === page),
    });
  });
  return [
    html(
      "nav",
      { class: "bar-top", "aria-label": "Site" },
      ...(isOnly ? [] : [to(START, "All sites")]),
      ...(site === undefined
        ? []
        : [html("span", { id: "now", "data-from": href({ ...address, page: "now" }) })]),
    ),
    html(
      "nav",
      { class: "periods", "aria-label": "Period" },
      ...periods,
      ...shown,
      drawDates(dates, latest, isDated),
    ),
    ...(fault === undefined
      ? []
      : [html("p", { class: "failure", role: "alert", id: "fault" }, `${fault} Shown instead: ${name}.`)]),
    ...(site === undefined ? [] : [html("nav", { class: "pages", "aria-label": "Pages" }, ...pages)]),
    ...drawChips(address, to),
  ];
}

/** A period as a title: `Last week` of `last_week` and `last-week`. */
function nameWord(period: string): string {
  const words = period.replaceAll(/_|(?<=[a-z])-/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The fields for a first and a last day. */
function drawDates({ address, from, to, wrong }: Dates, latest: string, isShown: boolean): Tree {
  const field = (name: "from" | "to", title: string, value: string) =>
    html(
      "label",
      `${title} `,
      html("input", {
        type: "date",
        name,
        value,
        max: latest,
        required: "",
        ...(name === "from" && { "data-key": "c" }),
        ...(name === wrong && { "aria-invalid": "true", "aria-describedby": "fault", autofocus: "" }),
      }),
    );
  return html(
    "form",
    { class: "dates", "aria-label": "Dates of your own", ...(isShown && { "aria-current": "true" }) },
    ...keepGiven(address),
    field("from", "From", from),
    field("to", "To", to),
    html("button", "Show"),
  );
}

/** Keeps the rest of the address when a form is sent. */
export const keepGiven = ({ given }: Address, except?: string): Tree[] =>
  [...given]
    .filter(([name]) => name !== except && name !== "format")
    .flatMap(([name, values]) => values.map((value) => html("input", { type: "hidden", name, value })));

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
    as("csv"),
    as("json"),
    as("md"),
    copy(command, "Copy the command"),
    copy(prompt, "Copy a question for an assistant"),
    ...(report === undefined ? [] : [copy(report, "Copy the report command")]),
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

/** @param links What can be asked instead. */
export const showError = (text: string, home: string | undefined, links: Tree[] = []): Tree[] => [
  html(
    "p",
    { class: "message failure", role: "alert" },
    text,
    ...links.flatMap((link, index) => [index === 0 ? " " : " · ", link]),
  ),
  ...(home === undefined ? [] : [html("p", html("a", { href: home }, "Back to the start"))]),
];
