import { describe, expect, it } from "vitest";
import { findProgram } from "../support/processes.ts";
import { openTerminal, TMUX } from "../support/terminal.ts";

const LONG = "analytics-mcp timeseries example.com --demo --days 90";
const LESS = findProgram("less");

/** What a terminal shows of a command line, and what happens meanwhile. */
async function show(line: string, meanwhile?: (terminal: ReturnType<typeof openTerminal>) => Promise<void>) {
  const terminal = openTerminal(80, 24);
  try {
    const run = terminal.run(`${line}; echo exit $?`);
    await meanwhile?.(terminal);
    return await run;
  } finally {
    terminal.close();
  }
}

describe.skipIf(TMUX === undefined)("a pager (tmux)", () => {
  it.skipIf(LESS === undefined)("shows a long answer, survives Ctrl-C, and ends with q (less)", async () => {
    let first = "";
    const shown = await show(`PAGER=less ${LONG}`, async ({ read, tmux }) => {
      await expect.poll(read).toMatch(/^example\.com, [\s\S]*\n:$/m);
      first = read();
      tmux("send-keys", "C-c");
      // less drops what is typed while it is interrupted.
      const readEnd = () => {
        tmux("send-keys", "G");
        return read();
      };
      await expect.poll(readEnd).toMatch(/Today, .* is incomplete[\s\S]*\(END\)/);
      tmux("send-keys", "q");
    });
    // One screen, of a table that is longer.
    expect(first).not.toContain("\n2026-11-21 ");
    expect(shown).toMatch(/exit 0$/);
  });

  it.each([
    ["that stops reading", "PAGER='head -n 3'", /^example\.com, .*\n\ndate +visitors +page views\nexit 0$/],
    ["that reads nothing", "PAGER=true", /^exit 0$/],
    [
      "that is missing",
      "PAGER=no-such-pager",
      /^warning: PAGER names .*: no-such-pager\nexample\.com, [\s\S]*\nexit 0$/,
    ],
    ["cat", "PAGER=cat", /^example\.com, [\s\S]*\n2026-11-21 [\s\S]*\nexit 0$/],
    ["before PAGER", "PAGER=less ANALYTICS_PAGER='tail -n 2'", /^.*\n.* counts twice\.\nexit 0$/],
  ])("%s: %s", async (_, environment, form) => {
    expect(await show(`${environment} ${LONG}`)).toMatch(form);
  });

  it("is not started in a pipe", async () => {
    expect(await show(`PAGER='head -n 1' ${LONG} 2>/dev/null | tail -n 1`)).toMatch(
      /^2026-11-21 .*\nexit 0$/,
    );
  });
});
