import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The bytes of every file in a folder. Files that disappear meanwhile are left out. */
export function readFolder(folder: string): { name: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => ({ name: each.name, path: join(each.parentPath, each.name) }))
    .filter(({ path }) => existsSync(path))
    .map(({ name, path }) => ({ name, bytes: readFileSync(path) }));
}

type Form = [form: Buffer, text: string];

/** The texts that occur in the bytes, plain or encoded. None may be shorter than four bytes. */
export function searchFor(texts: Iterable<string>, places: readonly (Buffer | string)[]): string[] {
  const all = [...texts];
  const forms = all.flatMap((text) => listForms(text).map((form): Form => [form, text]));
  // Hundreds of texts in megabytes: one pass looks for all, by the four bytes that each form begins with.
  const byStart = new Map<number, Form[]>();
  for (const each of forms) {
    const start = each[0].readInt32BE(0);
    byStart.set(start, [...(byStart.get(start) ?? []), each]);
  }
  const found = new Set<string>();
  for (const place of places)
    findForms(byStart, typeof place === "string" ? Buffer.from(place) : place, found);
  return all.filter((text) => found.has(text));
}

function findForms(byStart: ReadonlyMap<number, Form[]>, bytes: Buffer, found: Set<string>): void {
  const mayStart = new Uint8Array(65_536);
  for (const start of byStart.keys()) mayStart[start & 65_535] = 1;
  let start = 0;
  for (let last = 0; last < bytes.length; last++) {
    start = (start << 8) | (bytes[last] ?? 0);
    if (mayStart[start & 65_535] === 0) continue;
    for (const [form, text] of byStart.get(start) ?? [])
      if (form.equals(bytes.subarray(Math.max(last - 3, 0), last - 3 + form.length))) found.add(text);
  }
}

/** A text in every encoding that is searched for. */
function listForms(text: string): Buffer[] {
  const raw = Buffer.from(text);
  const hex = raw.toString("hex");
  const written = [hex, hex.toUpperCase(), encodeURIComponent(text), hex.replace(/../g, "%$&")];
  // Within a longer text the letters of base64 depend on where it starts.
  const inBase64 = [0, 1, 2].flatMap((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), raw]).toString("base64");
    const inner = shifted.slice(shift === 0 ? 0 : 4, -4);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  // Many of them are the same.
  const texts = new Set([text, ...written, ...inBase64]);
  return [
    ...[...texts].map((each) => Buffer.from(each)),
    // A text that is base64 itself may occur as the bytes that it encodes.
    ...(/^[\w-]{32,}$/.test(text) ? [Buffer.from(text, "base64url")] : []),
  ];
}
