import type { KnownFormat, LineParser, LogLine } from "../log-line.ts";
import { readTime } from "./timestamp.ts";

/**
 * W3C Extended Log File Format (w3.org/TR/WD-logfile), as IIS and CloudFront write it. The line `#Fields:` names the
 * columns, and may come again with other columns. Times are UTC.
 */
export const w3c: KnownFormat = { name: "w3c", title: "W3C (IIS, CloudFront)", createParser };

/** Whether a comment names the columns of the lines after it. */
export const isHeader = (line: string): boolean => /^#Fields:/i.test(line);

function createParser(): LineParser {
  let columns: readonly string[] = [];
  let isUrlEncoded = false;
  return (line) => {
    if (line.startsWith("#")) {
      const [, fields] = /^#Fields:\s*(.*)$/i.exec(line.trimEnd()) ?? [];
      if (fields !== undefined) {
        columns = fields.toLowerCase().split(/\s+/);
        // CloudFront percent-encodes agent and referrer; IIS writes + for a space.
        isUrlEncoded = columns.includes("x-edge-location");
      }
      return "comment";
    }
    const cells = line.trimEnd().split(isUrlEncoded ? /\t| +/ : " ");
    return cells.length === columns.length ? readCells(columns, cells, isUrlEncoded) : undefined;
  };
}

function readCells(
  columns: readonly string[],
  cells: readonly string[],
  isUrlEncoded: boolean,
): LogLine | undefined {
  const cell = (...names: string[]) => {
    const name = names.find((candidate) => columns.includes(candidate));
    return name === undefined ? undefined : cells[columns.indexOf(name)];
  };
  const value = (...names: string[]) => {
    const found = cell(...names);
    return found === "-" ? undefined : found;
  };
  const header = (name: string) => {
    const found = cell(name);
    if (found === undefined) return undefined;
    if (found === "-") return "";
    return isUrlEncoded ? decode(found) : found.replaceAll("+", " ");
  };
  const time = readTime(`${cell("date")}T${cell("time")}`);
  const [address, method, stem] = [value("c-ip"), value("cs-method"), value("cs-uri-stem", "cs-uri")];
  const status = Number(cell("sc-status"));
  if (Number.isNaN(time) || address === undefined || method === undefined || stem === undefined)
    return undefined;
  if (!Number.isInteger(status)) return undefined;
  const query = value("cs-uri-query");
  return {
    time,
    address,
    method,
    status,
    target: query === undefined ? stem : `${stem}?${query}`,
    host: value("x-host-header", "cs-host", "cs(host)"),
    forwarded: value("x-forwarded-for", "cs(x-forwarded-for)"),
    referrer: header("cs(referer)"),
    agent: header("cs(user-agent)"),
    language: header("cs(accept-language)"),
    contentType: value("sc-content-type"),
  };
}

/** CloudFront encodes some characters twice. */
function decode(text: string): string {
  try {
    const once = decodeURIComponent(text);
    return once.includes("%20") ? decodeURIComponent(once) : once;
  } catch {
    return text;
  }
}
