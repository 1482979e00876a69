import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { runShell } from "../support/shell.ts";
import { drawTerminal } from "./terminal-picture.ts";

/** A Thursday afternoon in Berlin. */
const MOMENT = Date.parse("2026-11-19T13:40:22Z");

it.each([
  ["terminal", ["overview", "--demo"]],
  ["tables", ["compare", "--demo", "--dimension", "referrers"]],
])("the picture %s shows what the demo prints (npm run pictures)", async (name, argv) => {
  const { code, stdout, stderr } = await runShell(argv, { isTTY: true, columns: 80, clock: () => MOMENT });
  expect(code).toBe(0);
  const picture = drawTerminal(["analytics-mcp", ...argv].join(" "), stdout + stderr, 80);
  await expect(picture).toMatchFileSnapshot(resolve(`docs/images/${name}.svg`));
});

it("pictures are small, and each is used in a page", () => {
  const pages = ["README.md", ...readdirSync("docs").map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith(".md"))
    .map((path) => readFileSync(path, "utf8"));
  for (const name of readdirSync("docs/images")) {
    expect(readFileSync(`docs/images/${name}`).length, name).toBeLessThan(135_000);
    expect(pages.filter((page) => page.includes(`images/${name}`)).length, name).toBeGreaterThan(0);
  }
});

/** Screenshots depend on the machine's fonts, so they are only taken on request; look at them before committing. */
const themes = process.env.PICTURES ? (["light", "dark"] as const) : [];

it.each(themes)("screenshots, %s", async (theme) => {
  const [{ launch }, taker, { shrink }] = await Promise.all([
    import("../support/browser.ts"),
    import("./screenshots.ts"),
    import("./small-png.ts"),
  ]);
  const browser = await launch();
  try {
    const taken = {
      chart: await taker.photographChart(browser, theme, MOMENT),
      consent: await taker.photographConsent(browser, theme),
    };
    for (const [name, screenshot] of Object.entries(taken)) {
      writeFileSync(`docs/images/${name}-${theme}.png`, await shrink(browser, screenshot));
    }
    if (theme === "light") {
      const mail = await taker.photographMail(browser, MOMENT);
      writeFileSync("docs/images/mail.png", await shrink(browser, mail));
      const report = await taker.photographReport(browser, MOMENT);
      writeFileSync("docs/images/report.png", await shrink(browser, report));
      const view = await taker.photographView(browser, MOMENT);
      writeFileSync("docs/images/view.png", await shrink(browser, view));
    }
  } finally {
    await browser.close();
  }
});
