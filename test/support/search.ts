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

/** The texts that occur in the bytes, plain or encoded. */
export function searchFor(texts: Iterable<string>, places: readonly (Buffer | string)[]): string[] {
  // Hundreds of texts in megabytes: one pass looks for all, by the four bytes that each form begins with.
  const byStart = new Map<number, [form: Buffer, text: string][]>();
  const mayStart = new Uint8Array(65_536);
  const found = new Set<string>();
  const all = [...texts];
  const searched = places.map((each) => (typeof each === "string" ? Buffer.from(each) : each));
  for (const text of all) {
    for (const form of listForms(text)) {
      if (form.length < 4) {
        if (searched.some((bytes) => bytes.includes(form))) found.add(text);
        continue;
      }
      const start = form.readInt32BE(0);
      const known = byStart.get(start) ?? [];
      known.push([form, text]);
      byStart.set(start, known);
      mayStart[start & 65_535] = 1;
    }
  }
  for (const bytes of searched) {
    let start = 0;
    for (let index = 0; index < bytes.length; index++) {
      start = (start << 8) | (bytes[index] ?? 0);
      const at = index - 3;
      if (mayStart[start & 65_535] === 0 || at < 0) continue;
      for (const [form, text] of byStart.get(start) ?? [])
        if (form.equals(bytes.subarray(at, at + form.length))) found.add(text);
    }
  }
  return all.filter((text) => found.has(text));
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
