import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { topicNames } from "../../src/cli/help/topic-names.ts";
import { serveVariables } from "../../src/config/serve-settings.ts";
import { connectorEnvironment, environment } from "../../src/documents/environment.ts";
import { buildLlmsTxt } from "../../src/documents/llms.ts";
import { buildOpenApi } from "../../src/documents/openapi-document.ts";
import { operations } from "../../src/operations/index.ts";
import { queries } from "../../src/reports/queries.ts";
import { createTestApi } from "../support/api.ts";
import { execFileSync } from "../support/child-process.js";
import { startTestConnector } from "../support/connector.ts";

/** The pages beside llms.txt in the repository and in the package. */
const linkedDocuments = [
  ["README", "README.md", "first steps with an assistant, the shell and the connector"],
  ["Clients", "docs/clients.md", "what to paste into each MCP client"],
  ["Command line", "docs/command-line.md", "options, keys and profiles, exit codes, troubleshooting"],
  ["On a schedule", "docs/scheduled.md", "checks and reports that come to you, by cron or systemd"],
  ["Contract", "docs/contract.md", "the REST API's rules, for those who implement or call it"],
  ["Rules", "docs/conform.md", "how `analytics-mcp conform` checks a service against the contract"],
  ["Connector", "docs/connector.md", "how to run the tools as a remote server with sign-in"],
  ["Access logs", "docs/logs.md", "a web server's logs as the source, without a service"],
  [
    "How access logs are counted",
    "docs/log-rules.md",
    "what each line counts as, pages, channels, scanners, limits",
  ],
  [
    "The history of access logs",
    "docs/log-history.md",
    "what is kept, backup, damage, Parquet files for SQL",
  ],
  ["ClickHouse", "docs/clickhouse.md", "logs of several servers or years, in a table"],
  ["Matomo, Umami, Plausible", "docs/services.md", "how to set them up, and what maps to what"],
  ["A service of your own", "docs/your-service.md", "how its fields are found, and mapping files"],
  ["Reliability", "docs/reliability.md", "what is promised when something fails"],
].map(([title = "", path = "", about = ""]) => ({ title, path, about }));

it("llms.txt lists each page, except those about this package's code", () => {
  const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
  const listed = linkedDocuments.flatMap(({ path }) => (path.startsWith("docs/") ? path.slice(5) : []));
  expect([...listed, "architecture.md", "contributing.md"].sort()).toEqual(pages.sort());
});

it("the guide to the command line names all topics of the help", () => {
  expect(readFileSync("docs/command-line.md", "utf8")).toContain(`# a topic: ${topicNames.join(", ")}\n`);
});

describe("published documents match the operations (npx vitest run -u rewrites them)", () => {
  it("llms.txt", async () => {
    await expect(buildLlmsTxt(queries, linkedDocuments)).toMatchFileSnapshot("../../llms.txt");
  });

  it("the OpenAPI document", async () => {
    await expect(`${JSON.stringify(buildOpenApi(), null, 2)}\n`).toMatchFileSnapshot(
      "../snapshots/openapi.json",
    );
  });
});

describe("llms.txt", () => {
  it("names every endpoint, tool and environment variable", () => {
    const text = buildLlmsTxt(queries);
    for (const { path } of operations) expect(text).toContain(`\`GET /api/v1${path}\``);
    for (const { tool } of queries) expect(text).toContain(`\`${tool.name}\``);
    expect(Object.keys(connectorEnvironment)).toEqual(Object.values(serveVariables));
    for (const name of Object.keys({ ...environment, ...connectorEnvironment }))
      expect(text).toContain(`\`${name}\``);
  });

  it("follows llmstxt.org: a title, a summary, and only links under each heading", () => {
    for (const text of [buildLlmsTxt(queries), buildLlmsTxt(queries, linkedDocuments)]) {
      const [start = "", ...sections] = text.split(/^## .+\n+/m);
      expect(start).toMatch(/^# analytics-mcp\n\n> .+\n\n(?!#)/);
      expect(text.match(/^#+ .+$/gm)?.length).toBe(1 + sections.length);
      const lines = sections.flatMap((section) => section.trim().split("\n"));
      expect(lines.filter((line) => !/^- \[[^\]]+\]\([^)\s]+\): .+$/.test(line))).toEqual([]);
    }
  });

  const LINK = '</llms.txt>; rel="describedby"';

  it("is linked from every answer of the reference API, and its own links work", async () => {
    const { ask } = createTestApi();
    for (const path of ["/api/v1/sites", "/api/v1/stats", "/api/v1/openapi.json", "/elsewhere"]) {
      expect((await ask(path)).headers.get("link"), path).toBe(LINK);
    }
    const { text } = await ask("/llms.txt", { key: null });
    const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    expect(targets).toEqual(["/api/v1/openapi.json"]);
    for (const target of targets) expect((await ask(target)).status).toBe(200);
  });

  it("is linked from the connector's pages", async () => {
    const connector = await startTestConnector();
    try {
      for (const path of ["/", "/nothing"]) {
        expect((await fetch(connector.publicUrl + path)).headers.get("link"), path).toBe(LINK);
      }
      const served = await fetch(`${connector.publicUrl}/llms.txt`);
      expect(await served.text()).toBe(buildLlmsTxt(queries));
    } finally {
      await connector.close();
    }
  });
});

describe("the OpenAPI document", () => {
  it("lints clean", () => {
    const file = join(mkdtempSync(join(tmpdir(), "openapi-")), "openapi.json");
    writeFileSync(file, JSON.stringify(buildOpenApi()));
    const args = ["lint", "--config", "test/support/redocly.yaml", "--format=json", file];
    const env = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const output = execFileSync("node_modules/.bin/redocly", args, { encoding: "utf8", env, stdio: "pipe" });
    const { totals, problems } = JSON.parse(output.slice(output.indexOf("{")));
    expect(problems).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0, ignored: 0 });
  });
});
