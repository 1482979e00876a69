import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { iconUrl } from "../render/icon.ts";

/**
 * The pages of `chart/`: each is one document with its script and styles inside. This module runs in tests and during the
 * build, which ships the pages in its place (`.ci/build/computed.ts`), so the package needs no esbuild.
 */
export const chartPage = buildPage("chart");
/** With places for a title and an answer; see `report-page.ts`. */
export const reportPage = buildPage("report");
/** With places for a title, a locale, what is shown, and a trend; see `../view/view-server.ts`. */
export const viewPage = buildPage("live");

function buildPage(name: "chart" | "report" | "live"): string {
  const style = bundle(`${name}.css`);
  const script = bundle(`${name}.ts`);
  const policy = [
    "default-src 'none'",
    `script-src '${hash(script)}'`,
    `style-src '${hash(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    ...(name === "live" ? ["connect-src 'self'", "form-action 'self'"] : ["form-action 'none'"]),
  ].join("; ");
  return readFileSync(locate(`${name}.html`), "utf8")
    .replace("{{policy}}", policy)
    .replace("{{icon}}", iconUrl)
    .replace(`<link rel="stylesheet" href="./${name}.css">`, () => `<style>${style}</style>`)
    .replace(
      `<script type="module" src="./${name}.ts"></script>`,
      () => `<script type="module">${script}</script>`,
    );
}

function bundle(file: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [locate(file)],
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2023",
    charset: "utf8",
  });
  return outputFiles.map(({ text }) => text.trim()).join("");
}

function locate(file: string): string {
  return fileURLToPath(new URL(`./chart/${file}`, import.meta.url));
}

/** The source expression of Content-Security-Policy for an inline element with that text. */
function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
