import { readCount } from "./find-field.ts";
import { namesOf, type Pointer } from "./json-pointer.ts";
import { readRecord } from "./read-record.ts";
import { splitName } from "./words.ts";

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
