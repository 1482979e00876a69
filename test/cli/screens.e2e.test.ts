import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { fakeNetwork } from "../support/network.ts";
import { isHelp, screens, show, WIDTHS } from "../support/screens.ts";
import { pick } from "../support/seed.ts";
import { openTerminal, TMUX } from "../support/terminal.ts";

// The data of --demo, from one reference API for all.
fakeNetwork();

// With all notes: how many fit into three lines depends on the proposal below.
const explain = (argv: string[]) =>
  isHelp(argv) || argv.includes("openapi") ? argv : [...argv, "--explain"];
const addDemo = (argv: string[]) => (isHelp(argv) ? argv : [...argv, "--demo"]);

const all = WIDTHS.flatMap((width) =>
  Object.entries(screens).map(([name, { argv }]) => ({ width, name, argv })),
);
/** Each takes a process. A run tries some; LONG=1 tries all. */
const tried = pick(all, 6);

describe.skipIf(TMUX === undefined)("in a real terminal (tmux)", () => {
  it.concurrent.each(WIDTHS)(
    "%i columns wide, the screens are the same",
    async (width) => {
      const terminal = openTerminal(width, 40);
      try {
        for (const { name, argv: brief } of tried.filter((screen) => screen.width === width)) {
          const argv = explain(brief);
          const text = stripVTControlCharacters(await show(argv, { isTTY: true, columns: width }));
          // A terminal breaks what is wider than it, which is what can be pasted alone.
          const expected = text
            .split("\n")
            .slice(0, -1)
            .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "gu")) ?? [""]);
          const screen = await terminal.run(["analytics-mcp", ...addDemo(argv)].join(" "));
          // The demo is known to have filters without another request, so it also proposes one.
          const [shown = ""] = screen.split("\nFor the first row alone: ");
          expect(shown.split("\n"), name).toEqual(expected.map((line) => line.trimEnd()));
        }
      } finally {
        terminal.close();
      }
    },
    120_000,
  );
});
