import { describe, expect, it } from "vitest";
import { SHELLS } from "../support/completing-shell.ts";
import { runShell } from "../support/shell.ts";

describe("the scripts", () => {
  it.each(SHELLS)("of %s says in its first lines how to install it, as --help does", async (shell) => {
    const { code, stdout, stderr } = await runShell(["completion", shell]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout.split("\n").slice(0, 3).join("\n")).toContain(`analytics-mcp completion ${shell}`);
    const help = (await runShell(["completion", "--help"])).stdout;
    for (const line of stdout.slice(0, stdout.indexOf("\n\n")).split("\n"))
      expect(`#compdef analytics-mcp\n${help}`).toContain(line.replace(/^# /, ""));
  });

  it.each(SHELLS)("of %s evaluates nothing that it is given", async (shell) => {
    const { stdout } = await runShell(["completion", shell]);
    const code = stdout.replace(/^\s*#.*$/gm, "");
    expect(code).not.toMatch(/\b(eval|source|compgen -W)\b/);
  });

  it("there is none for another shell", async () => {
    const { code, stderr } = await runShell(["completion", "tcsh"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh and fish")]);
  });
});
