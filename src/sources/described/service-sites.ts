import { AnalyticsError, quote } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { timestamp } from "../../operations/fields.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { type Cell, findTables, KEY, type Table } from "./answer-tables.ts";
import { type Found, keepFound, type Reading, type ServiceSite } from "./field-mapping.ts";
import { choose, createMissingError } from "./find-field.ts";
import { namesOf, type Pointer } from "./json-pointer.ts";
import { readRecord } from "./read-record.ts";
import {
  applyReading,
  cellsOf,
  findGiven,
  findOnly,
  findTable,
  isEmptyList,
  listColumns,
  type TableQuery,
} from "./read-table.ts";
import { rankName, splitName } from "./words.ts";

const MAX_NAME = 253;
/** Of a place that a hint can name. */
const MAX_PLACE = 60;

/** The sites of one page of a list. */
export function readSites(
  answer: unknown,
  query: TableQuery,
  known: Reading | undefined,
): { sites: ServiceSite[]; reading?: Reading } {
  const applied = known && applyReading(answer, known);
  if (applied === undefined && isEmptyList(answer) && findTables(answer).length === 0) return { sites: [] };
  const { table, reading } =
    applied && known
      ? { table: applied, reading: known }
      : findTable(answer, query, (each) => readSiteColumns(each, query));
  const sites = table.rows.flatMap((row): ServiceSite[] => {
    const text = (field: string) => {
      const at = readMember(reading, field)?.pointer;
      const cell = at === undefined ? undefined : row.get(at);
      return typeof cell === "string" || typeof cell === "number"
        ? String(cell).slice(0, MAX_NAME)
        : undefined;
    };
    const [id, domain, name] = [text("id"), text("domain"), text("name")];
    const [timezone, created] = [text("timezone"), text("created_at")];
    const any = domain ?? name ?? id;
    if (any === undefined) return [];
    const host =
      domain === undefined && name !== undefined && !looksLikeDomain(name) ? name : normalizeSite(any);
    return [
      {
        id: id ?? domain ?? any,
        domain: host,
        name: name ?? host,
        ...(timezone !== undefined && isTimezone(timezone) && { timezone }),
        // A date, or a time without its offset, is no instant.
        ...(timestamp.safeParse(created).success && { created_at: created }),
      },
    ];
  });
  return { sites, reading };
}

/** Last words of names that can identify a site where `id` does not. */
const OTHER_IDS: ReadonlySet<string> = new Set(
  "id, ref, reference, key, code, slug, handle, token, uid, uuid, guid, identifier, property, number".split(
    ", ",
  ),
);

/** Another place of a list of sites that may have what requests send; undefined if there is none, or more than one. */
export function findOtherId(answer: unknown, reading: Reading = {}): Pointer | undefined {
  const table = applyReading(answer, reading);
  const known = new Set(Object.values(reading).map(({ pointer }) => pointer));
  if (table === undefined) return undefined;
  return findOnly(
    table.columns.filter((column) => {
      const word = splitName(namesOf(column).at(-1) ?? "").at(-1) ?? "";
      const cells = cellsOf(table, column);
      const isText = cells.every((cell) => typeof cell === "string" || typeof cell === "number");
      const isId = OTHER_IDS.has(word) && isText && new Set(cells).size === cells.length;
      return !known.has(column) && isId && column.length <= MAX_PLACE;
    }),
  )?.pointer;
}

/** Whether a text names a zone that this program knows the clocks of. */
function isTimezone(name: string): boolean {
  // A fixed offset or an abbreviation does not say when clocks change.
  if (!/^[A-Za-z]+(\/[\w+-]+)+$|^(UTC|GMT)$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

/** The timezone that an answer names; undefined if it names none. */
export function findTimezone(answer: unknown): string | undefined {
  const zones = [...readRecord(answer)].flatMap(([pointer, cell]) => {
    const name = splitName(namesOf(pointer).at(-1) ?? "").join("");
    return ["timezone", "tz", "timezonename", "timezoneid"].includes(name) &&
      typeof cell === "string" &&
      isTimezone(cell)
      ? [cell]
      : [];
  });
  return new Set(zones).size === 1 ? zones[0] : undefined;
}

/** How the timezone of a site can be named; of all sites, if its domain would not stand in a command as it is. */
export const adviseOnTimezone = (login: string, { domain }: Pick<ServiceSite, "domain">): string =>
  ` If you know it: ${login} --site-timezones ${/^[\w-]+(\.[\w-]+)+$/.test(domain) ? `${domain}=` : ""}Europe/Berlin`;

/** The site that somebody means: by id, domain or name. Throws AnalyticsError if there is none, or if two have the name. */
export function findSite(sites: readonly ServiceSite[], asked: string): ServiceSite {
  const fold = (text: string) => text.trim().toLowerCase();
  const spellings = [fold(asked), fold(normalizeSite(asked))];
  for (const field of ["id", "domain", "name"] as const) {
    const found = sites.filter((site) => spellings.includes(fold(site[field])));
    const [site, other] = found;
    if (site !== undefined && other === undefined) return site;
    if (site !== undefined && other !== undefined) {
      throw new AnalyticsError("invalid_parameter", `Several of your sites are ${quote(asked)}.`, {
        hint: `Name one by its id: ${found.map(({ id }) => quote(id)).join(", ")}.`,
        parameters: [
          { parameter: "site", detail: "names several sites", allowed: found.map(({ id }) => id) },
        ],
      });
    }
  }
  throw new AnalyticsError("site_not_found", `You have no site ${quote(asked)}.`, {
    status: 404,
    hint: "List the key's sites: analytics-mcp sites (tool list_sites).",
    parameters: [{ parameter: "site", detail: "is unknown" }],
  });
}

/** A column whose texts are all domains or addresses, under whatever name; the name of the sites may be their domain. */
function findAddresses(table: Table, name: Found | undefined): Found | undefined {
  const columns = table.columns.filter((column) =>
    cellsOf(table, column).every((cell) => typeof cell === "string" && looksLikeDomain(cell)),
  );
  return findOnly(columns.filter((column) => column !== name?.pointer)) ?? findOnly(columns);
}

const MAX_DOMAIN = 300;

/** Whether a text is a domain, or the address of one. */
const looksLikeDomain = (text: string): boolean =>
  text.length <= MAX_DOMAIN && /^(https?:\/\/)?([\w-]+\.)+[a-z][\w-]*\.?(:\d+)?\/?$/i.test(text.trim());

/** Where a list of sites has what identifies them. */
function readSiteColumns(table: Table, query: TableQuery): Reading {
  const isInstant = (cell: Cell) => timestamp.safeParse(cell).success;
  const isName = (cell: Cell) => typeof cell === "string" || typeof cell === "number";
  const find = (field: "id" | "domain" | "name" | "timezone" | "created_at") => {
    const given = findGiven(table, field, query);
    if (given !== undefined) return given ?? undefined;
    // Of two names, the shorter way is the site's own.
    const rankOf = (names: readonly string[]) => {
      const rank = rankName(names.slice(-1), field);
      return rank === undefined ? undefined : rank + names.length;
    };
    // What was added may be a count.
    const fits = field === "created_at" ? isInstant : isName;
    const found = listColumns(table, rankOf, (cells) => cells.some(fits));
    const candidates = found.map(({ pointer, rank }) => ({ pointer, rank, sample: pointer }));
    return choose(candidates, { ...query, field });
  };
  if (table.columns.length === 1 && table.columns[0] === KEY) return { name: { pointer: KEY, by: "shape" } };
  const [id, name, timezone, created_at] = [find("id"), find("name"), find("timezone"), find("created_at")];
  const domain = find("domain") ?? (query.chosen.domain === null ? undefined : findAddresses(table, name));
  if (id === undefined && domain === undefined && name === undefined) {
    throw createMissingError({ ...query, field: "domain" }, { places: table.columns });
  }
  return keepFound({ id, domain, name, timezone, created_at });
}
