const CONTEXT = 3;
/** The table of common parts grows with the square of the lines: beyond 64 MB all counts as changed. */
const MOST_CELLS = 16_000_000;

interface Step {
  kind: " " | "-" | "+";
  line: string;
}

/** Two texts' unified diff, as patch and git apply take it; empty where they are the same. */
export function formatDifference(name: string, before: string, after: string): string {
  if (before === after) return "";
  const steps = compare(splitLines(before), splitLines(after));
  const changed = steps.flatMap(({ kind }, index) => (kind === " " ? [] : [index]));
  const hunks: { from: number; to: number }[] = [];
  for (const index of changed) {
    const [from, to] = [Math.max(0, index - CONTEXT), Math.min(steps.length, index + CONTEXT + 1)];
    const last = hunks.at(-1);
    if (last !== undefined && from <= last.to) last.to = to;
    else hunks.push({ from, to });
  }
  const old = before === "" ? "/dev/null" : name;
  return [`--- ${old}\n`, `+++ ${name}\n`, ...hunks.map(({ from, to }) => formatHunk(steps, from, to))].join(
    "",
  );
}

function formatHunk(steps: Step[], from: number, to: number): string {
  const count = (part: Step[], other: "+" | "-") => part.filter(({ kind }) => kind !== other).length;
  const [head, hunk] = [steps.slice(0, from), steps.slice(from, to)];
  const range = (other: "+" | "-") => {
    const length = count(hunk, other);
    return `${count(head, other) + (length === 0 ? 0 : 1)},${length}`;
  };
  const lines = hunk.map(({ kind, line }) =>
    line.endsWith("\n") ? kind + line : `${kind}${line}\n\\ No newline at end of file\n`,
  );
  return `@@ -${range("+")} +${range("-")} @@\n${lines.join("")}`;
}

/** Lines with their ends: a changed end of line is a change. */
function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The shortest way from one list to the other, by their longest common part; what both begin and end with is put aside first. */
function compare(before: string[], after: string[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const same = (lines: string[]) => lines.map((line): Step => ({ kind: " ", line }));
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return [
    ...same(before.slice(0, start)),
    ...compareMiddle(old, fresh),
    ...same(before.slice(before.length - end)),
  ];
}

function compareMiddle(old: string[], fresh: string[]): Step[] {
  if (old.length * fresh.length > MOST_CELLS) {
    const all = (kind: "-" | "+", lines: string[]) => lines.map((line): Step => ({ kind, line }));
    return [...all("-", old), ...all("+", fresh)];
  }
  const width = fresh.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === fresh[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const steps: Step[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    const [line, other] = [old[row], fresh[column]];
    if (line !== undefined && line === other) {
      steps.push({ kind: " ", line });
      [row, column] = [row + 1, column + 1];
    } else if (line !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      steps.push({ kind: "-", line });
      row += 1;
    } else {
      steps.push({ kind: "+", line: other ?? "" });
      column += 1;
    }
  }
  return steps;
}
