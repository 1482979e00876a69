import { describe, expect, it } from "vitest";
import { completionShells } from "../../src/cli/completion-scripts.ts";
import { runShell } from "../support/shell.ts";

describe("the scripts", () => {
  it.each(completionShells)(
    "of %s says in its first lines how to install it, as --help does",
    async (shell) => {
      const { code, stdout, stderr } = await runShell(["completion", shell]);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.split("\n").slice(0, 3).join("\n")).toContain(`analytics-mcp completion ${shell}`);
      const help = (await runShell(["completion", "--help"])).stdout;
      for (const line of stdout.slice(0, stdout.indexOf("\n\n")).split("\n"))
        expect(`#compdef analytics-mcp\n${help}`).toContain(line.replace(/^# /, ""));
    },
  );

  it.each(completionShells)("of %s evaluates nothing that it is given", async (shell) => {
    const { stdout } = await runShell(["completion", shell]);
    const code = stdout.replace(/^\s*#.*$/gm, "");
    expect(code).not.toMatch(/\b(eval|source|compgen -W|Invoke-Expression|iex)\b/i);
  });

  it("of PowerShell passes an empty word on, and the end of options as a word of its own", async () => {
    const { stdout } = await runShell(["completion", "powershell"]);
    expect(stdout).toContain("Register-ArgumentCompleter -Native -CommandName analytics-mcp,");
    // As elements of an array: PowerShell takes a bare `--` away from a script, as npm installs one.
    expect(stdout).toMatch(/\$argv = @\('complete', '--'\)[\s\S]*& analytics-mcp @argv/);
    expect(stdout).toMatch(/\$current -eq '' -and \$isLegacy\) \{ '""' \}/);
    for (const [open = "", close = ""] of ["{}", "()", "[]"]) {
      // Without comments and what is quoted.
      const code = stdout.replace(/^\s*#.*$/gm, "").replace(/'(?:[^']|'')*'|"[^"]*"/g, "");
      expect(code.split(open)).toHaveLength(code.split(close).length);
    }
  });

  it("there is none for another shell", async () => {
    const { code, stderr } = await runShell(["completion", "tcsh"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("bash, zsh, fish and powershell")]);
  });
});
