import { describe, expect, it } from "vitest";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const ask = async (...argv: string[]) => {
  const { code, stdout, stderr } = await runShell([...argv, "--demo", "--json"]);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  const { site, dimension, by } = JSON.parse(stdout);
  return [site.domain, dimension ?? by];
};

describe("what to rank by, as people type it", () => {
  it.each([
    [
      ["breakdown", "pages"],
      ["example.com", "pages"],
    ],
    [
      ["breakdown", "docs.example.com", "country"],
      ["docs.example.com", "countries"],
    ],
    [
      ["breakdown", "referrer", "docs.example.com"],
      ["docs.example.com", "referrers"],
    ],
    [
      ["breakdown", "--dimension", "OS"],
      ["example.com", "operating_systems"],
    ],
    [
      ["breakdown", "--dimension", "utm-source"],
      ["example.com", "utm_sources"],
    ],
    [
      ["conversions", "--goal", "page=/pricing", "--by", "country"],
      ["example.com", "countries"],
    ],
    [["breakdown"], ["example.com", "pages"]],
    [["pages"], ["example.com", "pages"]],
    [
      ["referrers", "docs.example.com"],
      ["docs.example.com", "referrers"],
    ],
    [
      ["entry_page", "--site", "docs.example.com"],
      ["docs.example.com", "entry_pages"],
    ],
  ])("%j", async (argv, expected) => {
    expect(await ask(...argv)).toEqual(expected);
  });

  it.each([
    [["--demo", "pages"], "Did you mean analytics-mcp breakdown pages?"],
    [["breakdown", "--demo", "pages", "countries"], 'You have no site "countries"'],
    [["breakdown", "--demo", "contries"], "Did you mean countries?"],
    [["contries", "--demo"], "Did you mean analytics-mcp breakdown countries?"],
    [["breakdown", "--demo", "contry"], "Did you mean country?"],
    [["breakdown", "--demo", "example.com", "pags"], 'no list "pags".\nhint: Did you mean pages?'],
    [["breakdown", "--demo", "contry", "example.com"], 'no list "contry".\nhint: Did you mean country?'],
    [["breakdown", "--demo", "--dimension", "contry"], "Did you mean country?"],
    [["conversions", "--demo", "--goal", "events=signup", "--by", "contry"], "Did you mean country?"],
    [["breakdown", "--demo", "--dimension", "nope"], '--dimension cannot be "nope".'],
    [["stats", "--demo", "pages"], 'You have no site "pages"'],
  ])("%j is refused", async (argv, message) => {
    const { code, stderr } = await runShell(argv);
    expect([code > 1, stderr]).toEqual([true, expect.stringContaining(message)]);
  });
});

it("breakdown without a list is of pages, and says how to choose another", async () => {
  const { stderr } = await runShell(["breakdown", "--demo"]);
  expect(stderr).toContain(
    "For another list (all: --help): analytics-mcp breakdown --site example.com --dimension referrers --demo",
  );
  expect((await runShell(["breakdown", "pages", "--demo"])).stderr).not.toContain("another list");
  expect((await runShell(["breakdown", "--help"])).stdout).toMatch(
    /alone\s+also\s+does:\s+breakdown\s+countries/,
  );
});

it("commands to ask next repeat the site, the filter and the source, to be pasted", async () => {
  const { stderr } = await runShell(
    "compare docs.example.com --days 5 --filter countries=DE --demo --explain".split(" "),
  );
  expect(stderr).toContain(
    "To list more of them: analytics-mcp compare --site docs.example.com --filter countries=DE --days 5 --dimension pages --demo",
  );
});

it("keys list before the first key says how to make one, and is no error", async () => {
  const { code, stdout, stderr } = await runShell(["keys", "list"], { environment: createHome() });
  expect([code, stdout.trim()]).toEqual([0, expect.not.stringContaining("error")]);
  expect(stderr).toContain(
    "No keys yet: analytics-mcp keys add acme --sites acme.example creates the first.",
  );
});

it("breakdown --with visits says which rows have none", async () => {
  const ask = async (dimension: string) =>
    (await runShell(["breakdown", dimension, "--with", "visits", "--demo", "-q"])).stderr;
  expect(await ask("pages")).toContain("Rows of pages have no visits, because a visit can have several.");
  expect(await ask("countries")).not.toContain("visits");
});
