import { resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import stringWidth from "fast-string-width";
import { describe, expect, it } from "vitest";
import { fakeNetwork } from "../support/network.ts";
import { screens, show, widthsOf } from "../support/screens.ts";

// The data of --demo, from one reference API for all.
fakeNetwork();

describe.each(Object.entries(screens))("%s", (name, argv) => {
  it("looks as it did", async () => {
    const parts = await Promise.all(
      widthsOf(argv).flatMap((columns) =>
        [{}, { NO_COLOR: "1" }].map(async (environment: Record<string, string>) => {
          const all = await show(argv, { isTTY: true, columns, environment });
          const title = `${columns} columns${environment.NO_COLOR ? "" : ", in colour"}`;
          return `=== ${title}\n${all.replaceAll("\u001b", "␛")}`;
        }),
      ),
    );
    const all = await show(argv, {});
    const text = [...parts, `=== in a pipe\n${all}`].join("\n");
    await expect(text).toMatchFileSnapshot(
      resolve(`test/snapshots/screens/${name.replaceAll(" ", "-")}.txt`),
    );
  });

  it.each(widthsOf(argv))("fits %i columns, with the same text in colour", async (columns) => {
    const [colored, plain] = await Promise.all(
      [{}, { NO_COLOR: "1" }].map((environment: Record<string, string>) =>
        show(argv, { isTTY: true, columns, environment }),
      ),
    );
    expect(stripVTControlCharacters(colored ?? "")).toBe(plain);
    // What can be pasted is not broken.
    const lines = (plain ?? "").split("\n").filter((line) => !line.startsWith("  analytics-mcp "));
    expect(lines.filter((line) => stringWidth(line) > columns)).toEqual([]);
  });
});
