import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import { formatDuration } from "../../src/render/duration.ts";
import { fakeNetwork } from "../support/network.ts";
import { isHelp, screens, show, WIDTHS, widthsOf } from "../support/screens.ts";

// The data of --demo, from one reference API for all.
fakeNetwork();

const showPlain = (argv: string[], columns: number) =>
  show(argv, { isTTY: true, columns, environment: { NO_COLOR: "1" } });

const joinWords = (text: string) => text.replace(/[\s\\]+/g, " ");
/** The numbers and dates of a text, but those that are cut. */
const findNumbers = (text: string) =>
  (text.match(/\d[\d,.:-]*…?/g) ?? []).filter((number) => !number.endsWith("…"));

describe.each(Object.entries(screens))("%s", (name, { columns: kept, argv }) => {
  it("looks as it did", async () => {
    const colored = await show(argv, { isTTY: true, columns: kept });
    const parts = [`=== ${kept} columns\n${colored.replaceAll("\u001b", "␛")}`];
    if (!isHelp(argv)) parts.push(`=== in a pipe\n${await show(argv, {})}`);
    await expect(parts.join("\n")).toMatchFileSnapshot(
      resolve(`test/snapshots/screens/${name.replaceAll(" ", "-")}.txt`),
    );
  });

  it.each(widthsOf(argv))("fits %i columns, with the same text in colour", async (columns) => {
    const plain = await showPlain(argv, columns);
    expect(stripVTControlCharacters(await show(argv, { isTTY: true, columns }))).toBe(plain);
    // What can be pasted is not broken.
    const lines = plain.split("\n").filter((line) => !line.startsWith("  analytics-mcp "));
    expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
  });

  it.each(isHelp(argv) ? WIDTHS : [])("says the same in %i columns and in a pipe", async (columns) => {
    expect(joinWords(await showPlain(argv, columns))).toBe(joinWords(await show(argv, {})));
  });

  it.each(isHelp(argv) ? [] : widthsOf(argv))("has the same numbers in %i columns", async (columns) => {
    const explained = argv.includes("openapi") ? argv : [...argv, "--explain"];
    const shown = await showPlain(explained, columns);
    const parts = (number: string) => [number, number.slice(5), `${Number(number.slice(8))}`];
    // A sparkline may name its last day without the year, and an axis has days of the month.
    const widest = findNumbers((await showPlain(explained, 120)) + (await show(argv, {}))).flatMap(parts);
    expect(findNumbers(shown).filter((number) => !widest.includes(number))).toEqual([]);
    // Columns may be left out, but not the first number of a row, nor a note.
    const lines = (await show(argv, {})).trimEnd().split("\n");
    for (const line of lines) {
      const cells = line.split("\t");
      if (cells.length === 1) expect(joinWords(shown)).toContain(joinWords(line));
      const first = cells.find((cell) => /^\d+(\.\d+)?$/.test(cell));
      const format = cells.includes("seconds/visit")
        ? formatDuration
        : (value: number) => value.toLocaleString("en-US");
      if (first !== undefined) expect(shown).toContain(format(Number(first)));
    }
  });
});
