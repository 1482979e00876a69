import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDifference } from "../../src/setup/config-writing.ts";
import { execFileSync } from "../support/child-process.js";

describe("a unified diff", () => {
  it("has three lines of context", () => {
    const before = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"].join("\n");
    const after = before.replace("two", "2").replace("ten", "ten\neleven\n");
    expect(formatDifference("a.json", before, after)).toBe(`--- a.json
+++ a.json
@@ -1,5 +1,5 @@
 one
-two
+2
 three
 four
 five
@@ -7,4 +7,5 @@
 seven
 eight
 nine
-ten
\\ No newline at end of file
+ten
+eleven
`);
  });

  it("without changes is empty", () => {
    expect(formatDifference("a", "x\n", "x\n")).toBe("");
  });

  it("of a new file starts from /dev/null", () => {
    expect(formatDifference("a", "", "x\n")).toBe("--- /dev/null\n+++ a\n@@ -0,0 +1,1 @@\n+x\n");
  });

  it("can be applied by git", () => {
    const folder = mkdtempSync(join(tmpdir(), "difference-"));
    const file = join(folder, "a.txt");
    const texts = fc
      .array(fc.constantFrom("a", "b", "c", "{", "}", "x\r", ""), { minLength: 1, maxLength: 30 })
      .chain((lines) => fc.constantFrom(`${lines.join("\n")}\n`, `${lines.join("\n")}z`));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        fc.pre(before !== after);
        writeFileSync(file, before);
        execFileSync("git", ["apply", "-p0", "--whitespace=nowarn", "-"], {
          cwd: folder,
          input: formatDifference("a.txt", before, after),
        });
        expect(readFileSync(file, "utf8")).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});
