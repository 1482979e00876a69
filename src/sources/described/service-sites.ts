import { AnalyticsError, quote } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { timestamp } from "../../operations/fields.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import { findTables } from "./answer-tables.ts";
import type { Reading, ServiceSite } from "./field-mapping.ts";
import { readCount } from "./find-field.ts";
import { namesOf, type Pointer } from "./json-pointer.ts";
import { readRecord } from "./read-record.ts";
import {
  applyReading,
  findTable,
  isEmptyList,
  looksLikeDomain,
  readSiteColumns,
  type TableQuery,
} from "./read-table.ts";
import { splitName } from "./words.ts";

const MAX_NAME = 253;

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

/**
 * The parameters that lead to the next page of a list; undefined if it is the last, empty if parameters do not lead there. A link is only read for its query: the next
 * page is asked for where the first one was.
 */
export function findNextPage(answer: unknown, link: string | null): Record<string, string> | undefined {
  const header = (link ?? "")
    .slice(0, MAX_LINK)
    .split(",")
    .find((part) => /;\s*rel="?next"?/i.test(part));
  const target = header === undefined ? undefined : /<([^<>]{1,2000})>/.exec(header)?.[1];
  if (target !== undefined) return readQuery(target);
  const cells = new Map([...readRecord(answer)].map(([pointer, cell]) => [fold(pointer), cell]));
  const first = (...names: string[]) =>
    names.map((name) => cells.get(name)).find((cell) => cell !== undefined && cell !== null && cell !== "");
  const url = first("next", "nexturl", "nextlink", "nextpageurl");
  if (typeof url === "string" && /[/?=]/.test(url)) return readQuery(url);
  const cursor = first("nextcursor", "cursornext", "endcursor", "nextpagetoken", "nexttoken");
  if (typeof cursor === "string" || typeof cursor === "number") {
    return { [first("nextpagetoken") === cursor ? "page_token" : "cursor"]: String(cursor) };
  }
  const next = first("nextpage", "next");
  if (readCount(next) !== undefined) return { page: String(next) };
  const [page, pages] = [
    readCount(first("page", "currentpage", "pagenumber")),
    readCount(first("totalpage", "lastpage", "pagetotal", "pagecount")),
  ];
  return page !== undefined && pages !== undefined && page < pages ? { page: String(page + 1) } : undefined;
}

const MAX_LINK = 4_000;
/** The last name of a pointer, so that the member may be anywhere in the envelope. */
const fold = (pointer: Pointer) => splitName(namesOf(pointer).at(-1) ?? "").join("");

function readQuery(target: string): Record<string, string> | undefined {
  if (!URL.canParse(target, "http://localhost")) return undefined;
  const { searchParams } = new URL(target, "http://localhost");
  return Object.fromEntries([...searchParams].slice(0, 10));
}

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
