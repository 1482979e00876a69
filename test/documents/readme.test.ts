import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { serveVariables } from "../../src/config/serve-settings.ts";
import { questions } from "../../src/insights/question.ts";
import { clients } from "../../src/setup/clients/index.ts";
import { buildEntry } from "../../src/setup/description.ts";
import { stranger } from "../support/manifests.ts";
import { buildBlocks, fillBlocks, listBlocks, readOptions } from "../support/readme.ts";
import { runShell } from "../support/shell.ts";

const docs = readdirSync("docs").filter((name) => name.endsWith(".md"));
const pages = ["README.md", "CHANGELOG.md", "SECURITY.md", "bench/RESULTS.md", "fixtures/README.md"]
  .concat(docs.map((name) => `docs/${name}`))
  .concat("llms.txt");
const read = (path: string) => readFileSync(path, "utf8");
const blocks = await buildBlocks();

describe("blocks that are written from the program (npm run readme)", () => {
  const marked = pages.filter((path) => listBlocks(read(path)).length > 0);

  it.each(marked)("%s has them as they are", async (path) => {
    await expect(fillBlocks(read(path), blocks)).toMatchFileSnapshot(resolve(path));
  });

  it("each stands in one page", () => {
    const names = marked.flatMap((path) => listBlocks(read(path)));
    expect(names.sort()).toEqual(Object.keys(blocks).sort());
  });
});

describe("README.md", () => {
  const page = read("README.md");
  const blockOf = (title: string) =>
    page.match(new RegExp(`<summary>${title}</summary>[\\s\\S]*?</details>`))?.[0] ?? "";
  const parsers: Record<string, (text: string) => unknown> = {
    json: JSON.parse,
    toml: parseToml,
    yaml: parseYaml,
  };

  it.each(clients.map((client) => [client.title, client] as const))(
    "%s: what is folded there parses, and is its server",
    (title, client) => {
      const [, format = "", text = ""] = /```(json|toml|yaml)\n([\s\S]*?)\n```/.exec(blockOf(title)) ?? [];
      const { at, name, value } = buildEntry(client, stranger);
      expect(parsers[format]?.(text)).toMatchObject({ [at]: { [name]: value } });
    },
  );

  it("every fenced document in it parses", () => {
    const fenced = [...page.matchAll(/^```(json|toml|yaml)\n([\s\S]*?)\n```$/gm)];
    expect(fenced.length).toBeGreaterThan(clients.length);
    for (const [, format = "", text = ""] of fenced) parsers[format]?.(text);
  });

  const words = questions.map(({ name }) => name).join("|");
  const examples = [...page.matchAll(new RegExp(`^(?:npx -y )?analytics-mcp (?:${words}) [^\\n#|>]*`, "gm"))];

  it.each(examples.map(([line]) => line.trim()))("%s answers", async (line) => {
    const [, ...argv] = line.replace(/^npx -y /, "").split(" ");
    const { code, stderr } = await runShell([...new Set([...argv, "--demo"])]);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  });

  it("has the two set-up commands near its top", () => {
    const start = page.slice(0, page.indexOf("## Connect"));
    expect(start).toContain("npm ci && npm run demo");
    expect(start).toContain("npm ci && npm test");
  });
});

it("docs/connector.md has every setting of serve, with its variable", async () => {
  const rows = [...read("docs/connector.md").matchAll(/^\| `(--[\w-]+)` \| `(ANALYTICS_SERVE_\w+)/gm)];
  const options = (await readOptions("serve")).map(({ flags }) => flags.replace(/ .*/, ""));
  expect(rows.map(([, option]) => option)).toEqual(options);
  expect(rows.map(([, , variable]) => variable)).toEqual(Object.values(serveVariables));
});

describe("links", () => {
  /** As GitHub names a heading. */
  const anchorOf = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-");
  const anchorsOf = (path: string) =>
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
  const linksOf = (path: string) => {
    const text = read(path).replace(/^```[\s\S]*?^```$/gm, "");
    const found = text.matchAll(/\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g);
    return [...found].map(([, link, attribute]) => link ?? attribute ?? "");
  };

  it.each(pages)("%s: each within the repository leads somewhere", (path) => {
    const lost = linksOf(path)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? path : join(dirname(path), file);
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      });
    expect(lost).toEqual([]);
  });

  it("looks at all of them", () => {
    expect(pages.flatMap(linksOf).filter((link) => !/^[a-z]+:/.test(link)).length).toBeGreaterThan(25);
  });
});
