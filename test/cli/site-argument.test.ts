import { describe, expect, it } from "vitest";
import { runShell } from "../support/shell.ts";

const ask = async (line: string) => runShell([...line.split(" "), "--demo"]);

describe("the site", () => {
  it.each(["overview", "stats", "timeseries", "compare", "realtime", "breakdown --dimension pages"])(
    "of %s may be an argument, and is example.com by default with --demo",
    async (command) => {
      const named = await ask(`${command} --site example.com`);
      expect(named.code).toBe(0);
      expect(await ask(`${command} example.com`)).toEqual(named);
      expect(await ask(`${command} https://www.example.com/pricing`)).toEqual(named);
      expect(await ask(command)).toEqual(named);
      expect((await ask(`${command} docs.example.com`)).stdout).not.toBe(named.stdout);
    },
  );
});

describe("a word that is not a site", () => {
  it.each([
    ["stats yesterday", 6, "Did you mean --period yesterday?"],
    ["stats yesterday", 6, "shop.example.net. analytics-mcp stats --demo --period yesterday\n"],
    ["stats 7", 6, "Did you mean --days 7?"],
    ["stats 2026-10", 6, "Did you mean --period 2026-10?"],
    ["stats 7 --days 7", 6, "Your sites are"],
    ["breakdown example.com pages countries", 2, "Ask about one site at a time."],
    ["breakdown pages example.com --dimension channels", 2, "Ask about one site at a time."],
    ["stats example.com docs.example.com", 2, "Ask about one site at a time."],
    ["stats example.com --site example.com", 2, "Ask about one site at a time."],
    ["sites example.com", 2, "sites takes only options"],
  ])("%s", async (line, code, words) => {
    const result = await ask(line);
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toContain(words);
  });
});
