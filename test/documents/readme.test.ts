import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { access } from "../../src/cli/commands/command.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { serveVariables } from "../../src/config/serve-settings.ts";
import { queries } from "../../src/reports/queries.ts";
import { clients } from "../../src/setup/clients/index.ts";
import { buildEntry } from "../../src/setup/setup-instructions.ts";
import { combined, createLogFolder, joinLines } from "../support/logs.ts";
import { buildBlocks, fillBlocks, listBlocks, readOptions, saved } from "../support/readme.ts";
import { runShell } from "../support/shell.ts";

const docs = readdirSync("docs").filter((name) => name.endsWith(".md"));
const pages = ["README.md", "CHANGELOG.md", "SECURITY.md", "bench/RESULTS.md", "bench/RELIABILITY.md"]
  .concat(docs.map((name) => `docs/${name}`))
  .concat("fixtures/README.md", "llms.txt");
const read = (path: string) => readFileSync(path, "utf8");
const blocks = await buildBlocks();

describe("blocks generated from the program (npm run readme)", () => {
  const marked = pages.filter((path) => listBlocks(read(path)).length > 0);

  it.each(marked)("%s is up to date", async (path) => {
    await expect(fillBlocks(read(path), blocks)).toMatchFileSnapshot(resolve(path));
  });

  it("each is in exactly one page", () => {
    const names = marked.flatMap((path) => listBlocks(read(path)));
    expect(names.sort()).toEqual(Object.keys(blocks).sort());
  });
});

const parsers: Record<string, (text: string) => unknown> = {
  json: JSON.parse,
  toml: parseToml,
  yaml: parseYaml,
};
const fencesIn = (text: string) => [...text.matchAll(/^```(json|toml|yaml)\n([\s\S]*?)\n```$/gm)];

describe("README.md", () => {
  const page = read("README.md");

  it("has at most 250 lines", () => {
    expect(page.trimEnd().split("\n").length).toBeLessThanOrEqual(250);
  });

  it("shows on its first screen a command, what it prints, the standard block and two install links", () => {
    const [firstScreen = ""] = page.split("\n## What to ask");
    expect(firstScreen.split("\n").length).toBeLessThan(60);
    const order = [
      "npx -y analytics-mcp overview --logs",
      "docs/images/terminal.svg",
      '"mcpServers"',
      "| Cursor | [add][cursor-logs] |",
    ];
    const places = order.map((text) => firstScreen.indexOf(text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("has the address of each link that adds it to an editor", () => {
    const links = [...page.matchAll(/\[add\]\[([^\]]+)\]/g)].map(([, name]) => name);
    const addresses = [...page.matchAll(/^\[([^\]]+)\]: https:\/\/\S+$/gm)].map(([, name]) => name);
    expect(links.length).toBeGreaterThan(10);
    expect(addresses).toEqual(links);
  });

  it("shows how to set up a clone", () => {
    expect(page).toContain("npm ci && npm run demo");
    expect(page).toContain("npm run test:unit");
  });
});

describe("configuration blocks", () => {
  const page = read("docs/clients.md");
  const blockOf = (title: string) =>
    page.match(new RegExp(`<summary>${title}</summary>[\\s\\S]*?</details>`))?.[0] ?? "";

  it.each(clients.map((client) => [client.title, client] as const))(
    "docs/clients.md, %s: the block parses, and is that client's entry",
    (title, client) => {
      const block = blockOf(title);
      const isStandard = block.includes(" the block above ");
      const [[, format = "", text = ""] = []] = fencesIn(isStandard ? page : block);
      const { serversKey, name, value } = buildEntry(client, saved);
      const servers = client.isList ? [{ name, ...value }] : { [name]: value };
      expect(parsers[format]?.(text)).toMatchObject({ [serversKey]: servers });
    },
  );

  it("all fenced documents parse", () => {
    const fenced = pages.map(read).flatMap(fencesIn);
    expect(fenced.length).toBeGreaterThan(10);
    for (const [, format = "", text = ""] of fenced) parsers[format]?.(text);
  });
});

describe("commands of the queries", () => {
  const asset = combined({ target: "/style.css", referrer: "https://example.com/" });
  const { path: find } = createLogFolder({ "access.log": joinLines(combined(), ...Array(5).fill(asset)) });
  const log = find("access.log");
  const words = [...queries.map(({ name }) => name), "check"].join("|");
  const pattern = new RegExp(`^(?:npx -y )?analytics-mcp (?:${words}) [^\\n#|>]*`, "gm");
  const examples = ["README.md", "docs/command-line.md", "docs/scheduled.md"]
    .flatMap((path) => [...read(path).matchAll(pattern)])
    .map(([line]) => line.trim());

  it("are there", () => expect(examples.length).toBeGreaterThan(6));

  it.each([...new Set(examples)])("%s answers", async (line) => {
    const [, ...argv] = (line.replace(/^npx -y /, "").match(/'[^']*'|\S+/g) ?? []).map((word) =>
      word.replace(/^'(.*)'$/, "$1"),
    );
    // A log from the tests takes the place of the reader's.
    const words = argv.map((word) => (word.startsWith("/var/log/") ? log : word));
    const hasSource = words.includes("--logs") || words.includes("--demo");
    const { code, stderr } = await runShell([...words, ...(hasSource ? [] : ["--demo"])]);
    // A check has found something.
    const codes: number[] = argv[0] === "check" ? [exitCodes.ok, exitCodes.found] : [exitCodes.ok];
    expect([codes.includes(code), stderr]).toEqual([true, expect.not.stringMatching(/error|Not checked/)]);
  });
});

describe("paths in code, such as `src/main.ts`", () => {
  const pattern = /`((?:src|test|bench|docs|deploy|fixtures|plugin|bin|\.ci|\.github)\/[\w./-]*)`/g;
  const pathsIn = (page: string) => [...read(page).matchAll(pattern)].map(([, path = ""]) => path);

  it.each(pages)("%s: each exists", (page) => {
    expect(pathsIn(page).filter((path) => !existsSync(path))).toEqual([]);
  });

  it("are found", () => expect(pages.flatMap(pathsIn).length).toBeGreaterThan(40));
});

it("docs/connector.md has every setting of serve, with its variable", async () => {
  const rows = [...read("docs/connector.md").matchAll(/^\| `(--[\w-]+)` \| `(ANALYTICS_SERVE_\w+)/gm)];
  const options = (await readOptions("serve")).map(({ flags }) => flags.replace(/ .*/, ""));
  // `--keys` and its variable also belong to `reference` and `keys`.
  expect(rows.map(([, option]) => option)).toEqual(options.filter((option) => option !== "--keys"));
  expect(rows.map(([, , variable]) => variable)).toEqual(Object.values(serveVariables));
  const sources = [...access.service, "--site", "--keys"].filter((option) => option !== "--demo");
  expect(sources.filter((option) => !read("docs/connector.md").includes(`\n| \`${option}\` |`))).toEqual([]);
});

describe("links", () => {
  /** The anchor that GitHub gives a heading. */
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

  it.each(pages)("%s: each link within the repository leads somewhere", (path) => {
    const lost = linksOf(path)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? path : join(dirname(path), file);
        return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
      });
    expect(lost).toEqual([]);
  });

  it("are found", () => {
    expect(pages.flatMap(linksOf).filter((link) => !/^[a-z]+:/.test(link)).length).toBeGreaterThan(25);
  });
});
