import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { sections } from "../../src/conform/rules/sections.ts";

/** The tables of rules in docs/conform.md. */
const buildTable = (): string =>
  sections
    .map(({ title, rules }) => {
      const lines = rules.map((rule) => `| \`${rule.id}\` | ${rule.severity} | ${rule.title} |`);
      return [`### ${title}`, "", "| rule | | |", "| --- | --- | --- |", ...lines].join("\n");
    })
    .join("\n\n");

describe("the rules", () => {
  it("are listed in docs/conform.md (update with npx vitest run test/conform/documents.test.ts -u)", async () => {
    const [head = ""] = readFileSync("docs/conform.md", "utf8").split("### ");
    await expect(`${head}${buildTable()}\n`).toMatchFileSnapshot("../../docs/conform.md");
  });

  it("are counted in the example of docs/conform.md", () => {
    const pattern = /^(\d+) of (\d+) rules kept, (\d+) failed .*, (\d+) could not be checked/m;
    const [, kept, ...rest] = (pattern.exec(readFileSync("docs/conform.md", "utf8")) ?? []).map(Number);
    const count = sections.flatMap(({ rules }) => rules).length;
    expect([kept, ...rest]).toEqual([count - 2, count, 1, 1]);
  });

  it("have unique ids with the name of their section, and say what to do", () => {
    const all = sections.flatMap(({ name, rules }) => rules.map((rule) => ({ name, ...rule })));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { name, id, title, fix } of all) {
      expect(id).toMatch(new RegExp(`^${name}\\.[a-z0-9]+(-[a-z0-9]+)*$`));
      expect(title).toMatch(/\.$/);
      expect(fix).toMatch(/[.)]$/);
    }
  });
});
