import { expect, it } from "vitest";
import { openTerminal, TMUX } from "../support/terminal.ts";

it.skipIf(TMUX === undefined)("realtime --watch ends cleanly with Ctrl-C (tmux)", async () => {
  const terminal = openTerminal(80, 24);
  try {
    const run = terminal.run("analytics-mcp realtime --demo --site example.com --watch; echo exit $?");
    await expect.poll(() => terminal.read()).toContain("while watching");
    terminal.tmux("send-keys", "C-c");
    expect(await run).toMatch(/while watching[\s\S]*exit 0$/);
  } finally {
    terminal.close();
  }
});
