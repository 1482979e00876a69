import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import {
  type DayPart,
  parseParts,
  type ReadPart,
} from "../../../../src/sources/logs/store/journal-format.ts";
import type { Manifest } from "../../../../src/sources/logs/store/manifest.ts";

/** What a history has on disk, read and changed as another program would. */

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** The files below a folder, in the order of their paths. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .sort();

/** What a folder holds, for `restoreFolder`: the bytes of its files, and undefined for a folder. */
export type FolderContents = ReadonlyMap<string, Buffer | undefined>;

const listAll = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .sort();

export const readFolder = (folder: string): FolderContents =>
  new Map(listAll(folder).map((path) => [path, statSync(path).isFile() ? readFileSync(path) : undefined]));

/** Makes a folder hold what it held. What has not changed is left alone: deleting and copying take longest. */
export function restoreFolder(folder: string, contents: FolderContents): void {
  for (const path of listAll(folder)) if (!contents.has(path)) rmSync(path, { recursive: true, force: true });
  for (const [path, bytes] of contents) {
    if (bytes === undefined) mkdirSync(path, { recursive: true });
    else if (!existsSync(path) || !readFileSync(path).equals(bytes)) writeFileSync(path, bytes);
  }
}

/** The first line is a checksum of the rest. */
export const readManifest = (history: string): Manifest =>
  JSON.parse(readFileSync(join(history, "manifest"), "utf8").split("\n").slice(1).join("\n"));

export function changeManifest(history: string, change: (manifest: Manifest) => object): void {
  const json = `${JSON.stringify({ ...readManifest(history), ...change(readManifest(history)) })}\n`;
  writeFileSync(join(history, "manifest"), `${hash(json)}\n${json}`);
}

const readParts = (history: string, date: string) =>
  parseParts(readFileSync(join(history, "open", `${date}.journal`)));

/** What the journal of a date has of the sites' open days. */
export const readDayParts = (history: string, date: string): ReadPart<DayPart>[] =>
  readParts(history, date).flatMap((part) => ("site" in part ? part : []));

/** The marks of lines that the journal of a date has. */
export const readMarks = (history: string, date: string): Uint8Array[] =>
  readParts(history, date).flatMap((part) => ("site" in part ? [] : (part.columns.marks ?? [])));

/** Changes what the list of a site's closed days says about each. */
export function changeClosedDays(history: string, change: (day: object) => object): void {
  changeManifest(history, ({ sites }) => ({
    sites: sites.map((site) => {
      const path = (name: string | null) => join(history, "sites", site.domain, `days.${name}.json`);
      const list: { days: Record<string, object> } = JSON.parse(readFileSync(path(site.days), "utf8"));
      const changed = Object.fromEntries(Object.entries(list.days).map(([date, day]) => [date, change(day)]));
      const text = `${JSON.stringify({ ...list, days: changed })}\n`;
      rmSync(path(site.days));
      writeFileSync(path(hash(text)), text);
      return { ...site, days: hash(text) };
    }),
  }));
}

/** The dates of the closed days of all sites. */
export const listClosedDays = (history: string): string[] =>
  readManifest(history).sites.flatMap(({ domain, days }) =>
    days === null
      ? []
      : Object.keys(
          JSON.parse(readFileSync(join(history, "sites", domain, `days.${days}.json`), "utf8")).days,
        ),
  );

/** All bytes of a history, and what they say when they are decompressed and decoded. */
export async function readEverything(history: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const path of listFiles(history)) {
    const bytes = readFileSync(path);
    parts.push(Buffer.from(path), bytes);
    if (path.endsWith(".gz")) parts.push(gunzipSync(bytes));
    if (path.endsWith(".parquet")) {
      const rows = await parquetReadObjects({
        file: new Uint8Array(bytes).buffer,
        compressors: { GZIP: (part) => gunzipSync(part) },
      });
      parts.push(Buffer.from(rows.flatMap((row) => Object.values(row)).join("\n")));
    }
    for (const [text] of bytes.toString("latin1").matchAll(/[A-Za-z0-9+/]{16,}={0,2}/g)) {
      parts.push(Buffer.from(text, "base64"));
    }
  }
  return Buffer.concat(parts);
}
