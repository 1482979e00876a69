import { parse, type TomlValue } from "smol-toml";

export interface Table {
  path: string[];
  /** The offset at which its header line starts. */
  start: number;
  /** The offset of the line after its last key. Comments and blank lines after that belong to the next table. */
  end: number;
}

/** The tables of a valid document in order, including those of arrays of tables. */
export function findTables(text: string): Table[] {
  const tables: Table[] = [];
  for (let start = 0; start < text.length; ) {
    const rest = /^[ \t]*/.exec(text.slice(start))?.[0].length ?? 0;
    const character = text[start + rest];
    const end = findStatementEnd(text, start + rest);
    if (character === "[") tables.push({ path: readPath(text.slice(start, end)), start, end });
    else if (character !== undefined && !"#\r\n".includes(character)) {
      const table = tables.at(-1);
      if (table !== undefined) table.end = end;
    }
    start = end;
  }
  return tables;
}

/** The names in a header, read by the parser: a header alone is a document with one path. */
function readPath(header: string): string[] {
  const walk = (value: TomlValue): string[] => {
    const table = Array.isArray(value) ? value[0] : value;
    return Object.entries(table ?? {}).flatMap(([name, inner]) => [name, ...walk(inner)]);
  };
  return walk(parse(header));
}

/** The start of the line after a statement. Strings, lists and inline tables may contain line breaks. */
function findStatementEnd(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; ) {
    const character = text[index] ?? "";
    if (character === "\n" && depth === 0) return index + 1;
    if (character === "#") {
      const lineEnd = text.indexOf("\n", index);
      index = lineEnd === -1 ? text.length : lineEnd;
    } else if (character === '"' || character === "'") index = findStringEnd(text, index);
    else {
      if ("[{".includes(character)) depth += 1;
      if ("]}".includes(character)) depth -= 1;
      index += 1;
    }
  }
  return text.length;
}

function findStringEnd(text: string, start: number): number {
  const quote = text[start] ?? "";
  const isLong = text.startsWith(quote.repeat(3), start);
  const mark = isLong ? quote.repeat(3) : quote;
  let index = start + mark.length;
  while (index < text.length && !text.startsWith(mark, index))
    index += quote === '"' && text[index] === "\\" ? 2 : 1;
  index += mark.length;
  // `""""` ends a long string whose last character is a quotation mark; there may be two of them.
  while (isLong && text[index] === quote) index += 1;
  return index;
}
