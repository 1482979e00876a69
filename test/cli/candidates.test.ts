import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpResponse, http } from "msw";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeProfile } from "../../src/config/profiles.ts";
import { dimensions } from "../../src/operations/dimensions.ts";
import { schemaNames } from "../../src/sources/clickhouse/schema-names.ts";
import { localKinds } from "../../src/sources/local-kinds.ts";
import { DEMO_KEY, GLOBEX_KEY, NOW } from "../support/api.ts";
import { execFileSync } from "../support/child-process.js";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

const { network, asked } = fakeNetwork();
let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "cache-"));
});
afterEach(() => rmSync(cache, { recursive: true }));

/** The lines that a shell's script gets for a line, whose last word the cursor is at. */
async function complete(line: string, environment: Record<string, string> = {}, now = NOW) {
  const result = await runShell(["complete", "--", ...line.split(" ")], {
    environment: { XDG_CACHE_HOME: cache, ...environment },
    clock: () => now,
  });
  expect([result.code, result.stderr]).toEqual([0, ""]);
  return result.stdout.split("\n").slice(0, -1);
}
const valuesOf = (lines: string[]) => lines.map((line) => line.split("\t")[0]);

const COMMANDS = [
  "sites",
  "stats",
  "timeseries",
  "breakdown",
  "crawlers",
  "not-found",
  "realtime",
  "openapi",
  "overview",
  "compare",
  "conversions",
  "view",
  "report",
  "check",
  "logs",
  "login",
  "logout",
  "whoami",
  "mapping",
  "doctor",
  "config",
  "schema",
  "serve",
  "grants",
  "clients",
  "keys",
  "reference",
  "conform",
  "completion",
  "help",
];
const GLOBAL = [
  "--version",
  ...localKinds.map(({ option }) => option.flag),
  "--base-url",
  "--service",
  "--mapping",
  "--profile",
  "--api-key-file",
  "--api-key-stdin",
  "--color",
  "--plain",
];
const OUTPUT = ["--output", "--json", "--csv", "--fields", "--quiet", "--no-pager", "--explain"];
const STATS = ["--site", "--days", "--period", "--filter", "--from", "--to", ...OUTPUT, "--help", ...GLOBAL];
const PROGRAM = ["--version", "--stdio", "--help", ...GLOBAL.slice(1)];
const without = (names: string[], ...taken: string[]) => names.filter((name) => !taken.includes(name));

describe("what may stand at the cursor", () => {
  it.each([
    ["", COMMANDS],
    ["st", COMMANDS],
    ["--demo ", COMMANDS],
    ["--base-url https://x --color never ", COMMANDS],
    ["--base-url=https://x ", COMMANDS],
    ["-- ", COMMANDS],
    ["--", PROGRAM],
    ["-", PROGRAM],
    ["--color ", ["auto", "always", "never"]],
    ["--color=", ["auto", "always", "never"]],
    ["--color=al", ["auto", "always", "never"]],
    ["stats --color ", ["auto", "always", "never"]],
    ["--base-url ", []],
    ["nonsense x", []],
    ["nonsense --", PROGRAM],
    ["stats ", STATS],
    ["stats --", STATS],
    ["stats x", []],
    ["stats -- --", []],
    ["stats -- ", []],
    ["stats --days ", []],
    ["stats --days 7 --", without(STATS, "--days")],
    ["stats --days=7 --json -", without(STATS, "--days", "--json")],
    ["--demo stats --", without(STATS, "--demo")],
    ["stats --nonsense --", STATS],
    ["stats --json=", []],
    ["stats --output ", ["table", "tsv", "csv", "json", "ndjson", "markdown"]],
    ["stats --output=", ["table", "tsv", "csv", "json", "ndjson", "markdown"]],
    ["stats --nonsense=", []],
    ["--demo stats --site example.com ", without(STATS, "--site", "--demo")],
    ["--demo stats example.com ", without(STATS, "--demo")],
    ["stats --nonsense ", STATS],
    ["breakdown --dimension ", [...dimensions]],
    ["breakdown --dimension=", [...dimensions]],
    ["breakdown --dimension utm", [...dimensions]],
    ["breakdown --site x --dimension=utm", [...dimensions]],
    ["breakdown --dimension sour", expect.arrayContaining(["source", "sources"])],
    ["logs /var/l", [":files"]],
    ["serve --registration ", ["on", "off"]],
    ["realtime --watch ", ["--site", "--filter", ...OUTPUT, "--help", ...GLOBAL]],
    ["realtime --watch 5 --", ["--site", "--filter", ...OUTPUT, "--help", ...GLOBAL]],
    ["grants ", ["list", "revoke", "help"]],
    ["grants list --", ["--store", "--secret-file", "--output", "--json", "--keys", "--help"]],
    ["keys ", ["add", "sites", "list", "remove", "help"]],
    ["keys add acme --", ["--sites", "--keys", "--help"]],
    ["keys list --", ["--keys", "--output", "--json", "--help"]],
    ["keys list --keys ", [":files"]],
    ["reference --keys ", [":files"]],
    ["schema ", [...schemaNames]],
    ["stats --clickhouse http://x --schema ", [...schemaNames]],
    ["completion ", ["bash", "zsh", "fish", "powershell"]],
    ["completion bash ", ["--help"]],
    [
      "help ",
      [
        ...without(COMMANDS, "help"),
        "environment",
        "exit-codes",
        "filters",
        "formatting",
        "options",
        "periods",
        "profiles",
      ],
    ],
    ["serve --secret-file ", [":files"]],
    ["serve --secret-file=./k", [":files"]],
    ["serve --store ", [":files"]],
    ["grants list --secret-file ", [":files"]],
  ])("analytics-mcp %s", async (line, expected) => {
    expect(valuesOf(await complete(line))).toEqual(expected);
  });

  it("has the first sentence that help has on it", async () => {
    expect(await complete("")).toContain("sites\tList your sites and their visitors");
    expect(await complete("stats --")).toContain("--site\tSite id or domain, such as example.com.");
    expect((await complete("breakdown --")).filter((line) => line.length > 100)).toEqual([]);
  });

  it("is asked for by scripts alone: no command has this name", async () => {
    const { code, stderr } = await runShell(["complete"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean completion?")]);
    expect((await runShell(["--help"])).stdout).not.toMatch(/^ *complete /m);
  });
});

describe("--profile", () => {
  it("is one that is saved", async () => {
    const environment = { XDG_CONFIG_HOME: cache };
    expect(await complete("stats --profile ", environment)).toEqual([]);
    for (const name of ["globex", "acme"]) {
      writeProfile(environment, name, { baseUrl: `${BASE}/api/v1`, apiKey: DEMO_KEY });
    }
    for (const line of ["stats --profile ", "--profile=", "logout --profile "]) {
      expect(await complete(line, environment)).toEqual(["acme\t", "globex\t"]);
    }
  });
});

describe("--goal", () => {
  it.each([
    ["conversions --goal ", ["events=", "pages=", "hostnames="]],
    ["conversions --goal=x", ["events=", "pages=", "hostnames="]],
    ["conversions --goal countries=", []],
    ["conversions --goal visit:events=", []],
    ["conversions --by ", dimensions.filter((name) => !["pages", "hostnames", "events"].includes(name))],
  ])("%s", async (line, expected) => {
    expect(valuesOf(await complete(line, service))).toEqual(expected);
  });

  it("is an event or a page that the site has", async () => {
    const events = await complete("conversions --site example.com --goal event=", service);
    expect(valuesOf(events)).toContain("event=signup");
    const pages = await complete("conversions --site docs.example.com --goal=pages=", service);
    expect(valuesOf(pages)).toContain("pages=/quickstart");
    expect(asked.map(({ url }) => new URL(url).searchParams.get("dimension"))).toContain("events");
  });
});

describe("--filter", () => {
  const ask = async (condition: string) =>
    complete(`stats --site docs.example.com --filter ${condition}`, service);

  it("continues with the values where one name is left, and with the name where it has none", async () => {
    expect(await ask("cou")).toContain("countries=DE\tGermany");
    expect(await ask("utm_ter")).toEqual(["utm_terms=\t"]);
    expect(valuesOf(await ask("utm_"))).toContain("utm_terms=");
    expect(valuesOf(await ask("sour"))).toContain("source=");
    expect(await complete("stats --filter cou", { ...service, ANALYTICS_API_KEY: "x" })).toEqual([
      "countries=\t",
    ]);
  });

  it("has names as they are typed, and values with spaces", async () => {
    expect(await ask("source=Goo")).toContain("source=Google\tgoogle.com");
    expect(await ask("source=goo")).toContain("source=google.com\tGoogle");
    expect(await ask("source=Sta")).toContain("source=Stack Overflow\tstackoverflow.com");
    expect(valuesOf(await ask("channel=Org"))).toContain("channel=Organic Search");
  });
});

describe("--period", () => {
  it("is spelled as it was begun", async () => {
    expect(valuesOf(await complete("stats --period "))).toContain("last_month");
    expect(valuesOf(await complete("stats --period=last-"))).toContain("last-7-days");
    expect(valuesOf(await complete("stats --period o"))).toContain("october");
    expect(valuesOf(await complete("compare --against "))).toContain("year_before");
    expect(valuesOf(await complete("compare --period "))).not.toContain("year_before");
  });
});

describe("conform --only", () => {
  it("is a section or a rule", async () => {
    const lines = await complete("conform --only ");
    expect(lines).toEqual(expect.arrayContaining(["headers\tHeaders", "rate-limit\tRate limit"]));
    const { stdout } = await runShell(["conform", "--list", "--only", valuesOf(lines).join()]);
    const rules = stdout.trim().split("\n").slice(1);
    expect(rules.length).toBeGreaterThan(100);
    expect(valuesOf(lines)).toEqual(expect.arrayContaining(valuesOf(rules)));
  });
});

describe("--site", () => {
  const SITES = [
    "docs.example.com\tExample Docs",
    "example.com\tExample",
    "news.example.org\tExample News",
    "parked.example\tParked",
    "shop.example.net\tExample Shop",
  ];
  const LISTS = dimensions.map((name) => `${name}\t`);
  const IDS = [
    "site_d0cs\tExample Docs",
    "site_7f3k\tExample",
    "site_n3ws\tExample News",
    "site_p4rk\tParked",
    "site_sh0p\tExample Shop",
  ];

  it.each([
    ["stats --site ", service],
    ["stats ", service],
    ["--demo overview ", {}],
    ["stats --site=", service],
    ["stats --json --site=ex", service],
    ["--plain compare --days 7 --site ", service],
    [`--base-url ${BASE} stats --site `, { ANALYTICS_API_KEY: DEMO_KEY }],
    [`stats --base-url=${BASE}/api/v1 --site `, { ANALYTICS_API_KEY: DEMO_KEY }],
    ["--demo stats --site ", {}],
    ["stats --site= --demo --site ", {}],
    ["stats s", service],
  ])("%s is a domain that the key has", async (line, environment) => {
    expect(await complete(line, environment)).toEqual(SITES);
  });

  it.each([
    ["breakdown cou", [...IDS, ...LISTS]],
    ["breakdown example.com cou", LISTS],
    ["compare --site example.com ", LISTS],
    ["breakdown countries ", SITES],
    ["breakdown --dimension pages ", SITES],
  ])("%s is a site or a list, whichever is not named", async (line, expected) => {
    expect(await complete(line, service)).toEqual(expected);
  });

  it.each(["stats --site si", "stats --site=site_7", "overview site_"])(
    "%s is an id: no domain begins so",
    async (line) => {
      expect(await complete(line, service)).toEqual(IDS);
    },
  );

  it("asks once in a few minutes, for each service and key", async () => {
    await complete("stats --site ", service);
    expect(await complete("breakdown --site=", service, NOW + 290_000)).toEqual(SITES);
    expect(asked).toHaveLength(1);
    const others = await complete("stats --site ", { ...service, ANALYTICS_API_KEY: GLOBEX_KEY });
    expect(valuesOf(others)).toEqual(["globex.example"]);
    expect(asked).toHaveLength(2);
    await complete("stats --site ", service, NOW + 310_000);
    expect(asked).toHaveLength(3);
    // A clock that was set back.
    await complete("stats --site ", service, NOW);
    expect(asked).toHaveLength(4);
  });

  it("keeps a file for its owner alone, without the key", async () => {
    await complete("stats --site ", service);
    const folder = join(cache, "analytics-mcp");
    const [name = "", ...more] = readdirSync(folder);
    expect([name, more]).toEqual([expect.stringMatching(/^sites-[0-9a-f]{32}\.json$/), []]);
    const file = join(folder, name);
    expect([statSync(folder).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain(DEMO_KEY);
    expect(text).not.toContain(BASE);
    for (const spoiled of ["", "{", "[]", '{"readAt":"x"}', text.replace('"id"', '"no"')]) {
      writeFileSync(file, spoiled);
      expect(await complete("stats --site ", service)).toEqual(SITES);
    }
  });

  it("waits for no key that comes through a pipe", async () => {
    const pipe = join(cache, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await complete(`stats --api-key-file ${pipe} --site `, service)).toEqual([]);
    expect(asked).toHaveLength(0);
  });

  it("is asked anew where there is no place to remember", async () => {
    writeFileSync(join(cache, "analytics-mcp"), "in the way");
    expect(await complete("stats --site ", service)).toEqual(SITES);
    expect(await complete("stats --site ", { ...service, XDG_CACHE_HOME: "relative" })).toEqual(SITES);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ["no key", {}],
    ["a wrong key", { ...service, ANALYTICS_API_KEY: "wrong" }],
    ["a key without a service", { ANALYTICS_API_KEY: "x" }],
    ["an address that is none", { ...service, ANALYTICS_BASE_URL: "nonsense" }],
    ["a closed port", { ...service, ANALYTICS_BASE_URL: "http://127.0.0.1:1" }],
  ])("has no candidates and no words with %s", async (_, environment) => {
    if ("ANALYTICS_BASE_URL" in environment && environment.ANALYTICS_BASE_URL.includes("127"))
      network.use(http.all("http://127.0.0.1:1/*", () => HttpResponse.error()));
    expect(await complete("stats --site ", environment)).toEqual([]);
    expect(await complete("stats --site=", environment)).toEqual([]);
  });

  it.each([
    ["an error", () => new HttpResponse(null, { status: 500 })],
    ["an error to be tried again", () => new HttpResponse(null, { status: 503 })],
    ["no JSON", () => new HttpResponse("<html>")],
    ["nothing, ever", () => new Promise<never>(() => {})],
  ])("has no candidates and no words where the service answers with %s", async (_, answer) => {
    network.use(http.all(`${BASE}/*`, answer));
    expect(await complete("stats --site ", service)).toEqual([]);
    expect(readdirSync(cache)).toEqual([]);
  });

  it("offers nothing of a service's that could be more than a word", async () => {
    const site = (domain: string, id: string, name: string) => ({
      id,
      domain,
      name,
      timezone: "Europe/Berlin",
      data_since: null,
      created_at: "2024-01-01T00:00:00Z",
    });
    const hostile = [
      "$(touch hacked)",
      "`touch hacked`",
      "a;touch hacked",
      "a b",
      "a\tb",
      "a\nb",
      "a'b",
      'a"b',
      "a\\b",
      "-rf",
      "--demo",
      ":files",
      "~root",
      "a*",
      "{a,b}",
      "a&b",
      "a|b",
      "a>b",
      "!!",
      "#a",
      "",
      "a\u001b[2Jb",
      "a\u202eb",
      "a\u200bb",
      "é.example",
      "=ls",
      "a".repeat(254),
      "a\r",
      "a\u0000",
    ];
    const named = site("plain.example", "id:with:colons", "x\u001b[31m\ty\nz:files\u202e $(touch hacked)");
    const sites = [...hostile.map((text) => site(text, text, text)), named];
    network.use(http.all(`${BASE}/*`, () => HttpResponse.json({ as_of: "2026-11-21T04:05:10Z", sites })));
    const description = "x[31myz:files $(touch hacked)";
    const ask = async () => [
      ...(await complete("stats --site ", service)),
      ...(await complete("stats --site i", service)),
    ];
    const expected = [`plain.example\t${description}`, `id:with:colons\t${description}`];
    expect(await ask()).toEqual(expected);
    // From memory too.
    expect(await ask()).toEqual(expected);
    expect(asked).toHaveLength(0);
  });
});
