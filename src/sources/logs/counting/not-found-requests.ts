import { copyText } from "../copy-text.ts";
import { type Column, createColumn } from "./columns.ts";
import { createNumbered, type Numbered } from "./numbered.ts";

/** The requests of a day for what is not there, as long as lines can come (not-found.ts). */
export interface NotFoundRequests {
  links: Numbered<Link>;
  /** By row: the sender, the number of the link, and how many requests. */
  sender: Column;
  link: Column;
  requests: Column;
  /** The rows by sender and link; those of an earlier process are added when they are needed. */
  rows: Map<number, number>;
  /** Requests of bots. */
  bots: number;
}

/** A path that is not there, and the page that led to it. Both are `OTHER` for what is beyond the limits. */
export interface Link {
  path: string;
  /** The path of one of the site's own pages, which begins with a slash, else a host; null if the line names none. */
  referrer: string | null;
}

export const createNotFoundRequests = (): NotFoundRequests => ({
  links: createNumbered(),
  sender: createColumn(),
  link: createColumn(),
  requests: createColumn(),
  rows: new Map(),
  bots: 0,
});

/** What tells a link from others, whatever its texts are. */
const keyOf = ({ path, referrer }: Link) =>
  `${path.length} ${path}${referrer === null ? "" : ` ${referrer}`}`;

/** The number of a link; undefined if it has none yet. */
export const findNumber = ({ links }: NotFoundRequests, link: Link): number | undefined =>
  links.find(keyOf(link));

/** The number of a link, which is added if it is new. */
export const numberOf = ({ links }: NotFoundRequests, link: Link): number =>
  links.number(keyOf(link), () => ({
    path: copyText(link.path),
    referrer: link.referrer && copyText(link.referrer),
  }));
