import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environment } from "../../src/documents/environment.ts";
import { buildLlmsTxt } from "../../src/documents/llms.ts";
import { buildOpenApi } from "../../src/documents/openapi.ts";
import { questions } from "../../src/insights/question.ts";
import { operations } from "../../src/operations/index.ts";

describe("published documents are those of the operations (npx vitest run -u writes them anew)", () => {
  it("llms.txt", async () => {
    await expect(buildLlmsTxt(questions)).toMatchFileSnapshot("../../llms.txt");
  });

  it("the OpenAPI document", async () => {
    await expect(`${JSON.stringify(buildOpenApi(), null, 2)}\n`).toMatchFileSnapshot(
      "../snapshots/openapi.json",
    );
  });
});

describe("llms.txt", () => {
  it("names every endpoint, tool and environment variable", () => {
    const text = buildLlmsTxt(questions);
    for (const { path } of operations) expect(text).toContain(`GET /api/v1${path}`);
    for (const { tool } of questions) expect(text).toContain(`\`${tool.name}\``);
    for (const name of Object.keys(environment)) expect(text).toContain(name);
  });
});

describe("the OpenAPI document", () => {
  it("lints clean", () => {
    const file = join(mkdtempSync(join(tmpdir(), "openapi-")), "openapi.json");
    writeFileSync(file, JSON.stringify(buildOpenApi()));
    const args = ["lint", "--config", "test/support/redocly.yaml", "--format=json", file];
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const output = execFileSync("node_modules/.bin/redocly", args, { encoding: "utf8", env, stdio: "pipe" });
    const { totals, problems } = JSON.parse(output.slice(output.indexOf("{")));
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 });
  });
});
