import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { clients } from "../../src/setup/clients/index.ts";
import { readMachine } from "../../src/setup/machine.ts";
import { findClient, type McpClient } from "../../src/setup/mcp-client.ts";
import { buildInstructions } from "../../src/setup/setup-instructions.ts";
import { stranger } from "../support/manifests.ts";
import { buildBlocks } from "../support/readme.ts";
import { runShell } from "../support/shell.ts";

// The only thing that a new client changes is the list of clients.
vi.mock("../../src/setup/clients/index.ts", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../src/setup/clients/index.ts")>();
  const { underHome } = await import("../../src/setup/machine.ts");
  const define = (id: string, format: "json" | "toml"): McpClient => ({
    id,
    title: `The ${id} editor`,
    aliases: [`${id}-editor`],
    format,
    serversKey: "tools",
    file: underHome(`.${id}/settings.${format}`),
    isWritable: true,
    notes: ["Start the editor again."],
  });
  const added: McpClient[] = [define("ed", "json"), define("vi", "toml")];
  return { ...original, clients: [...original.clients, ...added] };
});

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "new-client-"));
});
const shell = (...argv: string[]) => runShell(argv, { environment: { HOME: home, NO_COLOR: "1" } });

describe("a client is one entry in the list", () => {
  it("is in the list of config, in its completion, and found by its other names", async () => {
    expect((await shell("config")).stdout).toContain(
      "\ned\tThe ed editor\tyes\tby mcp-remote\t~/.ed/settings.json\n",
    );
    expect((await shell("complete", "--", "config", "")).stdout).toMatch(/\ned\t\nvi\t\n$/);
    expect((await shell("config", "vi-editor", "--demo")).stderr).toContain("The vi editor: paste it into");
    expect((await shell("config", "emacs")).stderr).toMatch(/The clients are .*, ed, vi\./);
  });

  it("is printed in its own format", async () => {
    const ed = await shell("config", "ed", "--demo");
    expect(JSON.parse(ed.stdout)).toEqual({
      tools: { analytics: { command: "npx", args: ["-y", "analytics-mcp", "--demo"] } },
    });
    expect(ed.stderr).toContain("- Start the editor again.");
    expect((await shell("config", "vi", "--demo")).stdout).toBe(
      '[tools.analytics]\ncommand = "npx"\nargs = ["-y", "analytics-mcp", "--demo"]\n',
    );
  });

  it("is written in its own format, beside what its file already has", async () => {
    for (const [id, format, before] of [
      ["ed", "json", '{ "tabs": 2 }\n'],
      ["vi", "toml", "tabs = 2 # two\n"],
    ] as const) {
      const file = join(home, `.${id}/settings.${format}`);
      mkdirSync(join(home, `.${id}`));
      writeFileSync(file, before);
      const { code, stderr } = await shell("config", id, "--demo", "--write");
      expect([code, stderr]).toEqual([0, expect.stringContaining("- Start the editor again.")]);
      const pasted = (await shell("config", id, "--demo")).stdout;
      const after = readFileSync(file, "utf8");
      if (format === "json") expect(JSON.parse(after)).toEqual({ tabs: 2, ...JSON.parse(pasted) });
      else expect(after).toBe(`${before}\n${pasted}`);
    }
  });

  it("is in the documentation", async () => {
    const { clients: shown, keys } = await buildBlocks();
    expect(shown).toContain("<summary>The ed editor</summary>");
    expect(keys).toContain("| The vi editor | the settings file | through mcp-remote | yes |");
  });

  it("takes its note on the key and the reference in its file from one place", () => {
    const zed = findClient("zed", clients);
    const refer = (variable: string) => `<<${variable}>>`;
    const client: McpClient = { ...zed, key: { from: "its secrets", refer } };
    const { content, notes } = buildInstructions(client, stranger, readMachine({}));
    expect(content).toContain('"ANALYTICS_API_KEY": "<<ANALYTICS_API_KEY>>"');
    expect(notes[0]).toMatch(/^It contains no key: .* from its secrets\.$/);
    // @ts-expect-error: the reference is missing.
    const key: McpClient["key"] = { from: "its secrets" };
    expect(key).not.toHaveProperty("refer");
  });

  it("cannot be written in a format that has no editor", async () => {
    const { id, ...facts } = findClient("goose", clients);
    // @ts-expect-error: --write cannot edit YAML.
    const writable: McpClient = { ...facts, id, format: "yaml", isWritable: true };
    expect(await shell("config", writable.id, "--demo", "--write")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Goose"),
    });
  });
});
