/** Breaks an example into lines of at most `width` columns if possible; pasted, it is still one command. */
export function breakExample(example: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of example.split(/ (?=--|[|>] )/)) {
    const line = lines.at(-1);
    // Leaves two columns for the backslash.
    if (line !== undefined && line.length + 1 + part.length <= width - 2)
      lines.push(`${lines.pop()} ${part}`);
    else lines.push(line === undefined ? part : `  ${part}`);
  }
  return example.length <= width
    ? [example]
    : lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}
