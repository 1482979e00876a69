/** JSON as people may write it: `style` decides where comments, spaces, line ends and trailing commas go. */
export function printJsonc(value: unknown, style: readonly number[], lineEnd: string): string {
  let index = 0;
  const next = (count: number) => (style[index++ % style.length] ?? 0) % count;
  const blank = () =>
    [
      "",
      "",
      "",
      " ",
      "  ",
      lineEnd,
      `${lineEnd}\t`,
      `${lineEnd}    `,
      "/* , } */",
      ` // "mcpServers": {${lineEnd}`,
    ][next(10)];
  const list = (open: string, members: string[], close: string) => {
    const comma = members.length > 0 && next(3) === 0 ? `,${blank()}` : "";
    return open + blank() + members.join(`,${blank()}`) + blank() + comma + close;
  };
  const print = (inner: unknown): string => {
    if (Array.isArray(inner)) return list("[", inner.map(print), "]");
    if (typeof inner !== "object" || inner === null) return JSON.stringify(inner);
    const members = Object.entries(inner).map(
      ([name, member]) => `${JSON.stringify(name)}${blank()}:${blank()}${print(member)}`,
    );
    return list("{", members, "}");
  };
  return blank() + print(value) + blank();
}

/** Whether a text is part of another, in order and possibly with insertions: then nothing of it was lost. */
export function isWithin(part: string, whole: string): boolean {
  let index = 0;
  for (const character of whole) {
    if (part.startsWith(character, index)) index += character.length;
  }
  return index === part.length;
}
