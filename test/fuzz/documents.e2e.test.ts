import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { formatYaml } from "../../src/setup/documents/entry-format.ts";
import { isWithin } from "../setup/printing.ts";
import { runShell } from "../support/shell.ts";
import { fuzz, TIMEOUT_MS } from "./fuzz.ts";
import { mutateText, mutateValue, oddText, printJson, writeOut } from "./mutations.ts";

interface Case {
  client: string;
  /** Bytes as Latin-1 has them. */
  text: string;
  force: boolean;
}

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "fuzz-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = {
  $schema: "https://x.example",
  mcpServers: { github: { command: "npx", args: ["-y"], env: { KEY: "${KEY}" } } },
  servers: { docs: { type: "http", url: "https://x.example/mcp" } },
  inputs: [{ id: "gh", type: "promptString", password: true }],
  theme: "dark",
};
const other = { command: "node", args: ["other.js"] };
const withOther = { ...config, mcpServers: { ...config.mcpServers, analytics: other } };

const jsonc = `// mine
{
\t"mcpServers": {
\t\t/* first */ "github": { "command": "npx", "args": ["-y", "// no comment"] },
\t},
\t"servers": {}, // "inputs": []
}
`;
const toml = `# mine
model = "gpt-5"
notify = [ "a", # ]
  "b",
]
when = 1979-05-27T07:32:00Z

[mcp_servers.docs]
command = 'docs'
note = """
[mcp_servers.analytics]
"""

[mcp_servers.docs.env]
"quoted key" = 0x1F

[[hooks]]
event = "stop"
`;
const tomlWithOther = `${toml}\n[mcp_servers.analytics]\ncommand = "node"\n\n[mcp_servers.analytics.env]\nA = "1"\n`;

const toBytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");
/** Its bytes changed: what was put in is bytes, too, and may be no UTF-8. */
const broken = (text: fc.Arbitrary<string>) =>
  mutateText(text.map(toBytes), 2).map((each) =>
    [...each].map((character) => (character > "\u00ff" ? toBytes(character) : character)).join(""),
  );

const indented = fc.constantFrom(undefined, 2, 4, "\t");
const json = fc
  .tuple(mutateValue(fc.constantFrom(config, withOther, {}, { mcpServers: null, servers: [] })), indented)
  .map(([value, indent]) => JSON.stringify(value, null, indent) ?? "");

const documents: fc.Arbitrary<Case> = fc.oneof(
  fc.record({
    client: fc.constantFrom("cursor", "vs-code", "claude-code", "claude-desktop"),
    text: fc.oneof(json.map(toBytes), broken(json), broken(fc.constant(jsonc))),
    force: fc.boolean(),
  }),
  fc.record({
    client: fc.constant("codex"),
    text: broken(fc.constantFrom(toml, tomlWithOther, "")),
    force: fc.boolean(),
  }),
);

/** What a parser makes of a client's file; undefined where it makes nothing of it. */
function read(client: string, text: string): Record<string, unknown> | undefined {
  try {
    if (client === "codex") return parseToml(text, { integersAsBigInt: "asNeeded" });
    return Object(parseJsonc(text, [], { allowTrailingComma: true, allowEmptyContent: true }) ?? {});
  } catch {
    return undefined;
  }
}

const MEMBERS: Record<string, string> = { codex: "mcp_servers", "vs-code": "servers" };

/** A document without this program's entry, and that entry. */
function part(client: string, text: string) {
  const at = MEMBERS[client] ?? "mcpServers";
  const { [at]: servers, inputs, ...rest } = read(client, text) ?? {};
  const { analytics, ...others } = Object(servers) as Record<string, unknown>;
  const isOwn = ({ id }: { id?: unknown }) => typeof id === "string" && id.startsWith("analytics-");
  const own = Array.isArray(inputs) ? inputs.filter((each) => !isOwn(Object(each))) : inputs;
  return { analytics, rest: { rest, others, ...(client !== "vs-code" && { inputs: own }) } };
}

describe("a client's file", () => {
  it(
    "is never corrupted by --write, and loses no byte unless another entry is replaced",
    { timeout: TIMEOUT_MS },
    () =>
      fuzz("documents", documents, async ({ client, text, force }) => {
        const file = join(folder, "config");
        for (const each of readdirSync(folder)) rmSync(join(folder, each));
        const bytes = Buffer.from(writeOut(text), "latin1");
        writeFileSync(file, bytes);
        const argv = ["config", client, "--write", "--demo", "--file", file, ...(force ? ["--force"] : [])];
        const { code, stdout, stderr } = await runShell(argv, { environment: { HOME: folder } });
        expect(stdout + stderr).not.toContain("this is a bug");
        const after = readFileSync(file);
        if (code !== 0) {
          expect([code, after.equals(bytes), readdirSync(folder)]).toEqual([2, true, ["config"]]);
          return;
        }
        const [was, is] = [bytes.toString("utf8"), after.toString("utf8")];
        const backups = readdirSync(folder).filter((each) => each !== "config");
        for (const each of backups) expect(readFileSync(join(folder, each)).equals(bytes)).toBe(true);
        expect([after.equals(bytes), backups.length]).toEqual([backups.length === 0, backups.length]);
        const [first, second] = [
          part(client, was.replace(/^\ufeff/, "")),
          part(client, is.replace(/^\ufeff/, "")),
        ];
        expect(second.rest).toEqual(first.rest);
        expect(second.analytics).toMatchObject({ args: expect.arrayContaining(["--demo"]) });
        // A file of blanks alone is begun anew.
        if (first.analytics === undefined) expect(isWithin(was.trim(), is)).toBe(true);
        // What is there already stays as it is.
        const again = await runShell(argv, { environment: { HOME: folder } });
        expect([again.code, readFileSync(file).equals(after)]).toEqual([0, true]);
      }),
  );

  it("is looked at by the doctor without a fault, whatever it holds", { timeout: TIMEOUT_MS }, () =>
    fuzz("documents", documents, async ({ client, text }) => {
      const home = mkdtempSync(join(tmpdir(), "fuzz-"));
      const path =
        client === "codex" ? ".codex/config.toml" : client === "cursor" ? ".cursor/mcp.json" : ".claude.json";
      const { mkdirSync } = await import("node:fs");
      mkdirSync(join(home, path, ".."), { recursive: true });
      writeFileSync(join(home, path), Buffer.from(`${writeOut(text)} analytics-mcp`, "latin1"));
      const { stdout, stderr } = await runShell(["doctor", "--demo", "--json"], {
        environment: { HOME: home },
      });
      rmSync(home, { recursive: true });
      expect(stderr).not.toContain("this is a bug");
      expect(JSON.parse(stdout)).toMatchObject({ checks: expect.any(Array) });
    }),
  );
});

const KEY = "canary-4f1c9a2e77d04b6f";
const profile = { baseUrl: "http://127.0.0.1:9", apiKey: KEY, site: "example.com" };
const profiles = fc.oneof(
  mutateValue(fc.constant(profile)).map(printJson),
  broken(fc.constant(printJson(profile))),
);

it("a profile's file is read or refused, whatever it holds, and never shown", { timeout: TIMEOUT_MS }, () =>
  fuzz("profiles", profiles, async (text) => {
    const { mkdirSync } = await import("node:fs");
    const at = join(folder, ".config", "analytics-mcp", "profiles");
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, "default.json"), Buffer.from(writeOut(text), "latin1"), { mode: 0o600 });
    for (const argv of [
      ["whoami"],
      ["whoami", "--all", "--json"],
      ["config", "cursor"],
      ["complete", "--", "stats", "--"],
    ]) {
      const { code, stdout, stderr } = await runShell(argv, { environment: { HOME: folder } });
      expect(Object.values(exitCodes)).toContain(code);
      expect(stdout + stderr).not.toContain("this is a bug");
      expect(stdout + stderr).not.toContain(KEY);
    }
  }),
);

const text = oddText.map((value) => value.slice(0, 200));
const members = fc.dictionary(
  fc.stringMatching(/^[a-zA-Z][\w-]{0,12}$/),
  fc.oneof(
    text,
    fc.boolean(),
    fc.integer(),
    fc.array(text, { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^[A-Z_]{1,12}$/), text),
  ),
  { maxKeys: 4 },
);

it("YAML that is printed reads as what it says", { timeout: TIMEOUT_MS }, () =>
  fuzz("yaml", members, (value) => {
    expect(parseYaml(formatYaml(value as Parameters<typeof formatYaml>[0])) ?? {}).toEqual(value);
  }),
);
