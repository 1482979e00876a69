import fc from "fast-check";
import { findNodeAtLocation, type ParseError, parse as parseJsonc, parseTree } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/setup/documents/editor.ts";
import { editJson } from "../../src/setup/documents/json-editor.ts";
import { isWithin, printJsonc } from "./printing.ts";

const value = {
  command: "npx",
  args: ["-y", "analytics-mcp"],
  env: { ANALYTICS_API_KEY: "${ANALYTICS_API_KEY}" },
};
const entry: Entry = { serversKey: "mcpServers", name: "analytics", value, inputs: [] };
const input = { type: "promptString", id: "analytics-key", description: "API key", password: true };
const vsCode: Entry = { ...entry, serversKey: "servers", inputs: [input] };

function read(text: string) {
  const errors: ParseError[] = [];
  const document = parseJsonc(text, errors, { allowTrailingComma: true });
  expect(errors).toEqual([]);
  return document;
}

/** Realistic files, before and after. */
const samples: [string, Entry, string, string][] = [
  [
    "Claude Desktop with two spaces",
    entry,
    `{
  "globalShortcut": "Alt+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]
    }
  },
  "preferences": {"menuBarEnabled": false}
}
`,
    `{
  "globalShortcut": "Alt+Space",
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]
    },
    "analytics": {
      "command": "npx",
      "args": [
        "-y",
        "analytics-mcp"
      ],
      "env": {
        "ANALYTICS_API_KEY": "\${ANALYTICS_API_KEY}"
      }
    }
  },
  "preferences": {"menuBarEnabled": false}
}
`,
  ],
  [
    "Claude Desktop without servers, without a last line break",
    entry,
    `{\n\t"scale": 0,\n\t"locale": "de-DE"\n}`,
    `{\n\t"scale": 0,\n\t"locale": "de-DE",\n\t"mcpServers": {\n\t\t"analytics": {\n\t\t\t"command": "npx",\n\t\t\t"args": [\n\t\t\t\t"-y",\n\t\t\t\t"analytics-mcp"\n\t\t\t],\n\t\t\t"env": {\n\t\t\t\t"ANALYTICS_API_KEY": "\${ANALYTICS_API_KEY}"\n\t\t\t}\n\t\t}\n\t}\n}`,
  ],
  [
    "minified, on one line",
    entry,
    `{"a":1,"mcpServers":{"x":{"url":"https://x.example/mcp"}},"z":[1,2]}`,
    `{"a":1,"mcpServers":{"x":{"url":"https://x.example/mcp"}, "analytics": { "command": "npx", "args": [ "-y", "analytics-mcp" ], "env": { "ANALYTICS_API_KEY": "\${ANALYTICS_API_KEY}" } } },"z":[1,2]}`,
  ],
];

describe("JSON files get the entry and keep every byte", () => {
  it.each(samples)("%s", (_, wanted, before, after) => {
    expect(editJson(before, wanted, false)).toBe(after);
  });

  it("VS Code with comments, trailing commas, CRLF and odd indentation", () => {
    const before = [
      "// my servers",
      "{",
      '   "inputs": [',
      '      { "type": "promptString", "id": "gh", "description": "token", "password": true }, // GitHub',
      "   ],",
      '   "servers": {',
      '      /* the first */ "github": { "type": "http", "url": "https://api.example/mcp" }, // keep',
      "      // more to come",
      "   },",
      "}",
      "",
    ].join("\r\n");
    const after = editJson(before, vsCode, false);
    expect(after.split("\r\n").length).toBe(after.split("\n").length);
    expect(isWithin(before, after)).toBe(true);
    const document = read(after);
    expect(document.servers).toEqual({
      github: { type: "http", url: "https://api.example/mcp" },
      analytics: value,
    });
    expect(document.inputs.map(({ id }: { id: string }) => id)).toEqual(["analytics-key", "gh"]);
    expect(after).toContain('"servers": {\r\n      "analytics": {\r\n         "command": "npx",\r\n');
    expect(after).toContain(
      '"github": { "type": "http", "url": "https://api.example/mcp" }, // keep\r\n      // more',
    );
    expect(after).toContain('"password": true }, // GitHub\r\n   ],');
  });

  it("a comment after the last member stays with it", () => {
    const after = editJson('{\n  "mcpServers": {\n    "a": {} // mine\n  }\n}', entry, false);
    expect(after).toMatch(
      /"mcpServers": \{\n {4}"analytics": \{[\s\S]*\n {4}\},\n {4}"a": \{\} \/\/ mine\n {2}\}/,
    );
  });

  it.each([
    ["no file yet", ""],
    ["blank lines", "\n\n"],
    ["{}", "{}"],
    ["an empty object on two lines", "{\n}\n"],
    ["empty servers", '{"mcpServers": {}}'],
    ["comments alone", "// nothing here yet\n"],
    ["an object of comments", "{\n  // nothing here yet\n}\n"],
  ])("%s", (_, before) => {
    const after = editJson(before, entry, false);
    expect(read(after).mcpServers.analytics).toEqual(value);
    if (before.trim() !== "") expect(isWithin(before, after)).toBe(true);
    expect(editJson(after, entry, false)).toBe(after);
  });

  it("takes the indentation from the first member, and not from a comment", () => {
    const before = '/*\n * mine\n */\n{\n    "mcpServers": {\n        "a": {}\n    }\n}\n';
    const after = editJson(before, entry, false);
    expect(after).toContain('{},\n        "analytics": {\n            "command": "npx",\n');
  });

  it("inserts into a line that starts inside a comment with a quotation mark", () => {
    const before = '/* they\n say "hi */ {"mcpServers": {"a": "b c"}}';
    const after = editJson(before, entry, false);
    expect(read(after).mcpServers).toEqual({ a: "b c", analytics: value });
    expect(isWithin(before, after)).toBe(true);
  });

  it("changes nothing if the entry is there, in any order and style", () => {
    const before = `{"mcpServers":{"analytics":{"env":${JSON.stringify(value.env)},"args":["-y","analytics-mcp"],\n"command":"npx"}}}`;
    expect(editJson(before, entry, false)).toBe(before);
  });

  it("inputs that are not objects stay", () => {
    expect(read(editJson('{"inputs": [null, 1]}', vsCode, false)).inputs).toEqual([null, 1, input]);
  });

  it("an input of the same id stays as its owner has it", () => {
    const before =
      '{"inputs": [{"id": "analytics-key", "type": "promptString", "description": "mine"}], "servers": {}}';
    const after = editJson(before, vsCode, false);
    expect(read(after).inputs).toEqual(read(before).inputs);
  });
});

describe("refuses", () => {
  it.each([
    ["invalid JSON", '{\n  "a": 1\n  "b": 2\n}', /line 3, column 3: comma expected/],
    ["a file cut off", '{"mcpServers": {', /cannot be read: line 1, column 17/],
    ["a Windows path as it is", '{"a": "C:\\users"}', /write each backslash as \\\\/],
    ["a list", "[1]", /contains array instead of an object/],
    ["servers that are not an object", '{"mcpServers": []}', /not an object/],
    ["servers twice", '{"mcpServers": {}, "mcpServers": {}}', /twice/],
    [
      "any other name twice",
      '{\n  "theme": 1,\n  "a": [{"b": 1, "b": 2}]\n}',
      /"b" twice in one object, again at line 3, column 18/,
    ],
    ["the entry twice", '{"mcpServers": {"analytics": {}, "analytics": {}}}', /twice/],
    [
      "another entry of that name",
      '{"mcpServers": {"analytics": {"command": "node"}}}',
      /already has another server/,
    ],
  ])("%s", (_, before, message) => {
    expect(() => editJson(before, entry, false)).toThrow(message);
  });

  it("inputs that are not a list", () => {
    expect(() => editJson('{"inputs": {}, "servers": {}}', vsCode, false)).toThrow(/not a list/);
  });

  it("but with force replaces another entry, and only that value", () => {
    const [head, tail] = ['{ // mine\n  "mcpServers": {"a":1,\n    "analytics": ', ' /* old */, "b": 2}, }'];
    const after = editJson(`${head}{"command": "node", "disabled": true}${tail}`, entry, true);
    expect([after.startsWith(head), after.endsWith(tail)]).toEqual([true, true]);
    expect(read(after)).toEqual({ mcpServers: { a: 1, analytics: value, b: 2 } });
  });
});

describe("any document", () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const key = fc.string({ maxLength: 8 }).filter((name) => !["mcpServers", "analytics"].includes(name));
  const servers = fc.option(fc.dictionary(key, json, { maxKeys: 4 }), { nil: undefined });
  const documents = fc
    .record({ rest: fc.dictionary(key, json, { maxKeys: 4 }), servers, position: fc.nat(4) })
    .map(({ rest, servers: mcpServers, position }) => {
      const members = Object.entries(rest);
      if (mcpServers !== undefined) members.splice(position, 0, ["mcpServers", mcpServers]);
      return Object.fromEntries(members);
    });
  const styles = fc.array(fc.nat(255), { minLength: 1, maxLength: 64 });

  it("with comments, commas and spaces anywhere, keeps every byte and gains the entry", () => {
    fc.assert(
      fc.property(documents, styles, fc.constantFrom("\n", "\r\n"), (document, style, lineEnd) => {
        const before = printJsonc(document, style, lineEnd);
        const after = editJson(before, entry, false);
        expect(isWithin(before, after)).toBe(true);
        const { mcpServers, ...rest } = read(after);
        const { mcpServers: others, ...was } = read(before);
        expect(rest).toEqual(was);
        expect(mcpServers).toEqual({ ...others, analytics: value });
        expect(editJson(after, entry, false)).toBe(after);
      }),
      { numRuns: 400 },
    );
  });

  it("that is strict JSON stays strict JSON", () => {
    const indents = fc.constantFrom(undefined, 1, 2, 3, 4, 8, "\t");
    fc.assert(
      fc.property(documents, indents, (document, indent) => {
        const before = JSON.stringify(document, null, indent);
        const after = editJson(before, entry, false);
        const was = JSON.parse(before);
        expect(JSON.parse(after)).toEqual({ ...was, mcpServers: { ...was.mcpServers, analytics: value } });
        if (typeof indent === "number" && Object.keys(document).length > 0) {
          const whole = { ...was, mcpServers: { ...was.mcpServers, analytics: value } };
          expect(after).toBe(JSON.stringify(whole, null, indent));
        }
      }),
      { numRuns: 400 },
    );
  });

  it("with another entry of that name is changed only inside that entry, with force", () => {
    fc.assert(
      fc.property(documents, styles, json, (document, style, old) => {
        const servers = { ...(document.mcpServers as object | undefined), analytics: { old } };
        const before = printJsonc({ ...document, mcpServers: servers }, style, "\n");
        const after = editJson(before, entry, true);
        const was = read(before);
        expect(read(after)).toEqual({ ...was, mcpServers: { ...was.mcpServers, analytics: value } });
        const tree = parseTree(before, [], { allowTrailingComma: true });
        const node = tree && findNodeAtLocation(tree, ["mcpServers", "analytics"]);
        const [start, end] = [node?.offset ?? 0, (node?.offset ?? 0) + (node?.length ?? 0)];
        expect(after.startsWith(before.slice(0, start))).toBe(true);
        expect(after.endsWith(before.slice(end))).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});
