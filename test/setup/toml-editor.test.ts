import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/setup/documents/editor.ts";
import { formatTomlTable } from "../../src/setup/documents/entry-format.ts";
import { editToml } from "../../src/setup/documents/toml-editor.ts";

const value = { command: "npx", args: ["-y", "analytics-mcp"], env_vars: ["ANALYTICS_API_KEY"] };
const entry: Entry = { serversKey: "mcp_servers", name: "analytics", value, inputs: [] };
const table = `[mcp_servers.analytics]
command = "npx"
args = ["-y", "analytics-mcp"]
env_vars = ["ANALYTICS_API_KEY"]
`;

const config = `# Codex, as I like it
model = "gpt-5"   # the big one
approval_policy = 'on-request'

[mcp_servers.docs]
  command = "docs-server"
  args = [
    "--quiet", # not so loud
  ]

  [mcp_servers.docs.env]
  TOKEN = "x"

[profiles."my own"]
note = """
[mcp_servers.analytics]
command = "not a table, but a text"
"""
seen = 2026-11-21T04:05:06Z
most = 9007199254740993
`;

describe("TOML files get the table and keep every byte", () => {
  it.each([
    ["as it is", config],
    ["with CRLF", config.replaceAll("\n", "\r\n")],
    ["without a last line break", config.trimEnd()],
    ["empty", ""],
    ["a comment alone", "# nothing yet"],
  ])("%s", (_, before) => {
    const after = editToml(before, entry, false);
    expect(after.startsWith(before)).toBe(true);
    expect(parse(after, { integersAsBigInt: "asNeeded" }).mcp_servers).toMatchObject({ analytics: value });
    const lineEnd = before.includes("\r\n") ? "\r\n" : "\n";
    expect(after.endsWith(table.replaceAll("\n", lineEnd))).toBe(true);
    expect(editToml(after, entry, false)).toBe(after);
  });

  it.each([
    [
      "dotted keys",
      'mcp_servers.analytics.command = "npx"\nmcp_servers.analytics.args = ["-y", "analytics-mcp"]\nmcp_servers.analytics.env_vars = ["ANALYTICS_API_KEY"]\n',
    ],
    [
      "an inline table",
      '[mcp_servers]\nanalytics = { args = ["-y", "analytics-mcp"], command = "npx", env_vars = ["ANALYTICS_API_KEY"] }\n',
    ],
    ["a quoted name", table.replace("analytics]", '"analytics"]')],
  ])("finds it there, as %s", (_, before) => {
    expect(editToml(before, entry, false)).toBe(before);
  });

  it("with force, replaces all tables of the server and only those", () => {
    const [head, middle, tail] = [
      "# first\n[a]\nb = 1\n\n# the server\n",
      "\n# about c\n[c]\nd = '''\n[mcp_servers.analytics]\n'''\n\n",
      "\n# the end",
    ];
    const before = `${head}[mcp_servers.analytics]\ncommand = "node" # mine\nargs = [\n  "[x]",\n]\n${middle}[ mcp_servers . "analytics" . env ]\nA = """"x\\""""\n${tail}`;
    expect(() => editToml(before, entry, false)).toThrow(/already has another server/);
    expect(editToml(before, entry, true)).toBe(head + table + middle + tail);
  });
});

describe("refuses", () => {
  it.each([
    ["invalid TOML", "a = 1\nb = = 2\n", /cannot be read: line 2, column/],
    ["servers in one inline table", 'mcp_servers = { x = { command = "y" } }\n', /cannot be edited safely/],
    ["servers that are not a table", "mcp_servers = 3\n", /cannot be edited safely/],
  ])("%s", (_, before, message) => {
    expect(() => editToml(before, entry, false)).toThrow(message);
  });

  it.each([
    ["dotted keys", 'mcp_servers.analytics.command = "node"\n'],
    ["an inline table", '[mcp_servers]\nanalytics = { command = "node" }\n'],
  ])("to replace %s", (_, before) => {
    expect(() => editToml(before, entry, true)).toThrow(/inside another table/);
  });
});

describe("any document", () => {
  const names = fc.constantFrom("a", '"b.c"', "'d e'", "mcp_servers.x", "mcp_servers.analytics2", '"ü"');
  const texts = fc
    .string({ maxLength: 12 })
    .map((text) => JSON.stringify(text).replaceAll("\u007f", "\\u007f"));
  const values = fc.oneof(
    texts,
    fc.integer().map(String),
    fc.constantFrom(
      "'[mcp_servers.analytics]'",
      '"""\n[mcp_servers.analytics]\n"""',
      "'''\n# not one\n''''",
      '""""quoted"""""',
      "[\n  1, # ]\n  2,\n]",
      '{ x = "}", y = [ "#" ] }',
      "1979-05-27T07:32:00Z",
      "true",
      "[ [ 1 ], [ ] ]",
    ),
  );
  const comments = fc.constantFrom("", "\n", "# a comment\n", "\t# [mcp_servers.analytics]\n\n");
  const keys = fc
    .array(fc.tuple(values, comments), { maxLength: 3 })
    .map((list) => list.map(([item, comment], index) => `  k${index} = ${item} # end\n${comment}`).join(""));
  const tables = fc.uniqueArray(fc.record({ name: names, keys, comments }), {
    maxLength: 5,
    selector: ({ name }) => name,
  });
  const print = (list: { name: string; keys: string; comments: string }[]) =>
    list.map((table) => `${table.comments}[${table.name}]\n${table.keys}`);

  it("keeps every byte and gains the table", () => {
    fc.assert(
      fc.property(keys, tables, fc.boolean(), fc.boolean(), (top, list, windows, cut) => {
        const whole = [top, ...print(list)].join("");
        const before = (cut ? whole.trimEnd() : whole).replaceAll("\n", windows ? "\r\n" : "\n");
        const after = editToml(before, entry, false);
        expect(after.startsWith(before)).toBe(true);
        expect(editToml(after, entry, false)).toBe(after);
      }),
      { numRuns: 400 },
    );
  });

  it("with another table of that name is changed only inside that table, with force", () => {
    fc.assert(
      fc.property(keys, tables, fc.nat(5), keys, fc.boolean(), (top, list, position, old, windows) => {
        const lines = (text: string) => text.replaceAll("\n", windows ? "\r\n" : "\n");
        const parts = print(list);
        const at = Math.min(position, parts.length);
        const [head, tail] = [[top, ...parts.slice(0, at)].join(""), parts.slice(at).join("")];
        // Comments after the old table's last key belong to the next table.
        const keysAlone = old.replace(/(# end\n)(?:[\t ]*(?:#[^\n]*)?\n)*$/, "$1");
        const rest = old.slice(keysAlone.length);
        const before = lines(`${head}[mcp_servers.analytics]\n${keysAlone}${rest}${tail}`);
        expect(editToml(before, entry, true)).toBe(lines(`${head}${table}${rest}${tail}`));
      }),
      { numRuns: 400 },
    );
  });

  it("takes any text as a value", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(parse(formatTomlTable("a", "b", { text, list: [text] }))).toEqual({
          a: { b: { text, list: [text] } },
        });
      }),
    );
  });
});
