import { list } from "isbot";
import { readMember } from "../../member.ts";
import { BROWSER_PLACEHOLDER, BROWSER_WORDS } from "../bot-agents.ts";
import { columnsOf, type TextColumn } from "../hits.ts";
import { NO_PAGE_PATTERNS } from "../measure/path-kinds.ts";
import type { QueryParams } from "./answer.ts";
import type { HitRows } from "./hit-rows.ts";
import { type MappedColumns, quoteColumn } from "./mapped-columns.ts";
import type { Mapping } from "./mapping.ts";
import { all } from "./table-queries.ts";

/**
 * The patterns of isbot that have lookarounds, and near equivalents without: ClickHouse uses RE2, which has no lookarounds.
 */
const WITHOUT_LOOKAROUND: Readonly<Record<string, string>> = {
  "(?:^|[^g])news(?!sapphire)": "(?:^|[^g])news(?:$|[^s]|s(?:$|[^a]))",
  "(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))":
    "(?:^|[^/]|(?:^|[^el])/)google(?:$|[^wa/ ]|w(?:$|[^v])|a(?:$|[^p])|/(?:$|[^g])| (?:$|[^p]))",
  "(?<! cu)bots?(?:\\b|_)": "(?:^|[^u]|(?:^|[^c])u|(?:^|[^ ])cu)bots?(?:\\b|_)",
  "(?<!cam)scan": "(?:^|[^m]|(?:^|[^a])m|(?:^|[^c])am)scan",
  "(?<!lib)http": "(?:^|[^b]|(?:^|[^i])b|(?:^|[^l])ib)http",
  "java(?!;)": "java(?:$|[^;])",
};

/** User agents of bots. */
export const BOT_PATTERN = `(?i)${list.map((pattern) => readMember(WITHOUT_LOOKAROUND, pattern) ?? pattern).join("|")}`;

/** Paths that are not pages. */
export const NO_PAGE_PATTERN = `(?i)${NO_PAGE_PATTERNS.join("|")}`;

/** In characters. Visitors choose values, so longer ones are cut, as those of logs are. */
const MAX_PATH_LENGTH = 1_000;
const MAX_VALUE_LENGTH = 500;

const SCHEME = "^[a-z][a-z0-9+.-]*://";
/** Without port, final dot and `www.`. */
const HOST_OF_URL = `${SCHEME}(?:[^/?#@]*@)?(?:www[.])?([^/?#:@]+?)[.]?(?::[0-9]*)?(?:[/?#]|$)`;
const HOST = "^(?:www[.])?([^/?#:@ ]+?)[.]?(?::[0-9]*)?$";
/** A text without a scheme is a host if it has a dot: `Newsletter` is not. */
const HOST_WITH_DOT = "^(?:www[.])?([^/?#:@ ()$.]+(?:[.][^/?#:@ ()$.]+)+)[.]?(?::[0-9]*)?(?:[/?#]|$)";

/** SQL about the rows of a mapped table. */
export interface MappedRows extends HitRows {
  /** A DateTime; without meaning for a row that has no time. */
  time: string;
  /** The column as it is, so that an index can be used. */
  rawTime: string;
  day: string;
  /** The domain; absent if the whole table is about one site, or has ids. */
  site?: string;
  /** The id of the site as a text, and the domain that the row names. */
  id?: { text: string; domain: string };
  /** Whether a row is about the site of the question. */
  isSite: string;
  /** Whether it is within the span, too. */
  inSpan: string;
  /** A page view of a person meets all of these. The names are for people. */
  conditions: readonly { name: string; sql: string }[];
  isPageview: string;
  /** The visitors of rows, as one would count them by hand. */
  countVisitors: string;
  /** The values of the parameters in this SQL. */
  params: QueryParams;
}

/** Writes the SQL. The columns must have been checked. */
export function writeMappedRows(from: string, mapping: Mapping, columns: MappedColumns): MappedRows {
  const { values, method, status, agent, siteId, rule } = mapping;
  const rawTime = quoteColumn(mapping.time);
  const time = columns.isTimeNullable ? `assumeNotNull(toDateTime(${rawTime}))` : `toDateTime(${rawTime})`;
  const day = `toDate(${time}, {timezone:String})`;
  const text = (name: string) => `ifNull(toString(${quoteColumn(name)}), '')`;
  const path = `cutQueryStringAndFragment(${text(values.get("path") ?? "")})`;

  const readHost = (name: string) => `extract(lower(${text(name)}), '${HOST}')`;
  const site = mapping.site === undefined ? undefined : readHost(mapping.site);
  const hostname = values.get("hostname");
  const isSite = writeSiteCondition(site, siteId, columns.siteIdType);
  const inSpan = `${isSite} AND ${rawTime} >= toDateTime({start:UInt32}) AND ${rawTime} < toDateTime({end:UInt32})`;

  /** The empty text stands for none. */
  const readColumn = (column: TextColumn): string => {
    const name = values.get(column);
    if (name === undefined) return "''";
    if (column === "path") return cut(path, MAX_PATH_LENGTH);
    const value = (TRANSLATED[column] ?? ((own) => own))(text(name), hostname && text(hostname));
    // GeoNames has no city 0; `-` stands for none in logs.
    const none = column === "city" ? "('-', '0')" : "('-')";
    return cut(`if(${value} IN ${none}, '', ${value})`, MAX_VALUE_LENGTH);
  };

  const rules = [
    ...(method === undefined ? [] : [{ name: "the method is GET", sql: `upper(${text(method)}) = 'GET'` }]),
    ...(status === undefined
      ? []
      : [
          { name: "the status is 200 or 304", sql: `${text(status)} IN ('200', '304')` },
          { name: "the path is a page", sql: `NOT match(${path}, {files:String})` },
        ]),
    ...(agent === undefined
      ? []
      : [
          { name: "there is a user agent", sql: `${text(agent)} NOT IN ('', '-')` },
          {
            name: "the user agent is not a bot",
            sql: `NOT match(replaceRegexpAll(${text(agent)}, '(?i)${BROWSER_WORDS}', '${BROWSER_PLACEHOLDER}'), {bots:String})`,
          },
        ]),
  ];

  const [ofViews, ofEvents] = [
    columns.conditions.slice(0, mapping.conditions.length),
    all(columns.conditions.slice(mapping.conditions.length).map(({ sql }) => sql)),
  ];
  const conditions = [
    ...ofViews.map(({ sql }, index) => ({ name: mapping.conditions[index]?.text ?? "", sql })),
    ...rules,
  ];
  const isPageview = conditions.map(({ sql }) => sql).join(" AND ");
  const eventName = values.get("event");
  const hasEvents = eventName !== undefined;
  const isEvent = hasEvents ? `(${ofEvents} AND ${text(eventName)} NOT IN ('', '-'))` : "0";
  const isViewOrEvent = hasEvents ? `(${isPageview} OR ${isEvent})` : isPageview;
  const isHit = rule.hits === "all" ? "1" : isViewOrEvent;
  const known = new Map<string, string>([
    ...Object.values(columnsOf).map((column) => [column, readColumn(column)] as const),
    ["event", hasEvents ? `if(${isEvent}, ${readColumn("event")}, '')` : "''"],
    ["day", day],
    ["visitor", `sipHash64(toString(${day}), ${mapping.visitor.map(text).join(", ")})`],
    ["time", time],
    ["sequence", mapping.sequence === undefined ? "0" : quoteColumn(mapping.sequence)],
    ["kind", `multiIf(${isPageview}, 'pageview', ${isEvent}, 'event', '')`],
    ["kind_number", rule.hits === "all" ? `multiIf(${isPageview}, 0, ${isEvent}, 1, 2)` : isEvent],
  ]);
  const kinds = { pageview: isPageview, event: isEvent, hit: isHit, all: "1" };
  return {
    isExported: false,
    hasEvents,
    rule,
    // Two steps: in one, versions before 2024 would take a column of the table for the column of ours with its name.
    read: ({ kind, timeFilter, conditions: tested = [], columns: named }) => {
      const words = new Set([...named, ...tested].join(" ").match(/\w+/g));
      const selected = [...known].filter(([name]) => words.has(name));
      return `FROM (
        SELECT ${selected.map(([name]) => `hit_${name} AS ${name}`).join(", ")}
        FROM (
          SELECT
            ${selected.map(([name, sql]) => `${sql} AS hit_${name}`).join(",\n            ")}
          FROM ${from}
          WHERE ${all([inSpan, kinds[kind]])} ${timeFilter(time)}
        )
      )
      WHERE ${all(tested)}`;
    },
    time,
    rawTime,
    day,
    ...(site !== undefined && { site }),
    ...(siteId !== undefined && {
      id: { text: text(siteId), domain: hostname === undefined ? "''" : readHost(hostname) },
    }),
    isSite,
    inSpan,
    conditions,
    isPageview,
    countVisitors: `uniqExactIf(tuple(${mapping.visitor.map(quoteColumn).join(", ")}), ${rule.needsView ? isPageview : isHit})`,
    params: {
      bots: BOT_PATTERN,
      files: NO_PAGE_PATTERN,
      ...Object.fromEntries(columns.conditions.map(({ value }, index) => [`where${index}`, value])),
    },
  };
}

/** An id is compared by its own type, so that an index can be used. */
function writeSiteCondition(site: string | undefined, siteId: string | undefined, idType = ""): string {
  if (siteId !== undefined)
    return `${quoteColumn(siteId)} = {site_id:${/String|^Enum/.test(idType) ? "String" : idType}}`;
  return site === undefined ? "1" : `${site} = {site:String}`;
}

const cut = (text: string, length: number) => `substringUTF8(${text}, 1, ${length})`;

/** The columns whose values become those of the contract. */
const TRANSLATED: Partial<Record<TextColumn, (text: string, hostname?: string) => string>> = {
  referrer: writeReferrer,
  device: (text) => `replaceOne(lower(${text}), 'laptop', 'desktop')`,
};

/** The host of a referrer, which may be a URL or a host; another text stays. The site's own hosts are no referrers. */
function writeReferrer(text: string, hostname?: string): string {
  const lower = `lower(${text})`;
  const host = `multiIf(
          match(${lower}, '${SCHEME}'), extract(${lower}, '${HOST_OF_URL}'),
          match(${lower}, '${HOST_WITH_DOT}'), extract(${lower}, '${HOST_WITH_DOT}'),
          ${text} = '$direct', '',
          ${text})`;
  const own = [
    "{site:String}",
    ...(hostname === undefined ? [] : [`extract(lower(${hostname}), '${HOST}')`]),
  ];
  return `if(${host} IN (${own.join(", ")}), '', ${host})`;
}
