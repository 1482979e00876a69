import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { combined, joinLines } from "../support/logs.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

fakeNetwork();

const home = mkdtempSync(join(tmpdir(), "home-"));
let server: Server;
let taken = 0;
beforeAll(async () => {
  mkdirSync(join(home, ".cursor"));
  mkdirSync(join(home, ".codex"));
  writeFileSync(join(home, ".cursor", "mcp.json"), '{\n  "theme": "dark",\n  "theme": "light"\n}\n');
  writeFileSync(join(home, ".codex", "config.toml"), "[mcp_servers.analytics]\ncommand = 'node'\n");
  writeFileSync(join(home, "empty"), "");
  writeFileSync(join(home, "notes.md"), "# Notes\n");
  writeFileSync(join(home, "closed"), "key", { mode: 0o600 });
  mkdirSync(join(home, "other"));
  for (const name of ["access.log", "access.log.1", "other/access.log"])
    writeFileSync(join(home, name), joinLines(combined()));
  chmodSync(join(home, "empty"), 0o600);
  server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  taken = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.close();
  rmSync(home, { recursive: true });
});

/** What people type by mistake; HOME and TAKEN stand for a folder and for a port in use. */
const lines = [
  // Commands
  "overveiw",
  "stast",
  "export",
  "top",
  "yesterday",
  "visitors",
  "404",
  "deadlinks",
  "hours",
  "serie",
  "setup",
  "mcp",
  "top-pages",
  "foo",
  "example.com",
  "version",
  "-x",
  "--site example.com stats",
  "--period yesterday --demo",
  "--period=sk-canary",
  "--no-pager",
  "--dimension pages",
  "help overveiw",
  "--stdio stats",
  // Sites
  "stats",
  "stats exmple.com",
  "stats --site",
  "stats --site --days 7",
  "stats shop",
  "stats example.com docs.example.com",
  "sites example.com",
  "sites --days 7",
  "sites --against last_month",
  "funnel / /thanks",
  "when",
  // Periods and numbers
  "stats yesterday",
  "stats last week",
  "stats example.com last week",
  "stats for last 7 days example.com --csv",
  "stats example.com last week please",
  "stats --site example.com today",
  "stats sk-canary last week",
  "compare example.com this week vs last week",
  "compare example.com --clickhouse http://user:canary@localhost/web yesterday",
  "stats example.com --yesterday",
  "timeseries example.com --hourly",
  "stats example.com --weekly",
  "stats example.com -d 7",
  "stats example.com -n 7",
  "stats -s example.com",
  "stats -s sk-canary",
  "stats example.com -o out.csv",
  "stats example.com --day=7 --csv",
  "stats sk-canary -d 7",
  "stats example.com --range sk-canary",
  "breakdown example.com --by channel",
  "breakdown example.com --top 5 --foo",
  "stats --period 2026-11-20 2026-11-22",
  "stats example.com --days 9999",
  "stats example.com --days 7d",
  "stats example.com --from 2029-01-01",
  "stats example.com --days -7",
  "stats example.com --days 7 --days 30",
  "stats example.com --days 7 --period yesterday",
  "stats example.com --period lastwek",
  "stats example.com --from yesterdy",
  "stats example.com --from 2026-11-20 --to 2026-11-10",
  "stats example.com --to 2026-11-10",
  "overview example.com --days 365",
  "timeseries example.com --by year",
  "stats example.com --by week",
  "timeseries example.com --by pages",
  "stats example.com --from 2026-02-30",
  "stats example.com --period 2026-13-01",
  "stats example.com --period tomorrow",
  // Options
  "stats example.com --dayz 7",
  "stats example.com --tz UTC",
  "stats example.com --with visits",
  "stats example.com --format json",
  "stats example.com --country DE",
  "stats example.com --filter contry=DE",
  "stats example.com --filter page==/blog",
  "breakdown example.com --dimension hours",
  "breakdown example.com --dimension 404",
  "breakdown example.com --sort pageviews",
  "breakdown pags",
  "breakdown pages",
  "breakdown pages /blog/",
  "breakdown pages last-week",
  "not-found example.com --filter page=/a",
  "not-found example.com --status 500",
  "conversions example.com --dimension channels",
  "grants list --csv",
  "breakdown example.com --dimension pags",
  "breakdown example.com --dimension pages --limit 0",
  "conversions example.com",
  "conversions example.com --goal signup",
  "conversions example.com --goal country=DE",
  "conversions example.com --goal event!=signup",
  "conversions example.com --goal event=",
  "conversions example.com --goal visit:event=signup",
  "conversions example.com --goal event=signup --by pages",
  "conversions example.com --goal event=signup --by chanels",
  "conversions example.com --goal event=signup --filter page=/pricing",
  "stats example.com --json --csv",
  "stats example.com --csv --output json",
  "stats example.com --output csv --output tsv",
  "stats example.com --output jsn",
  "stats example.com --output yaml",
  "stats example.com --output",
  "stats example.com --output --days 7",
  "compare example.com --period 2026-10 --fields changes",
  "stats example.com --no-pagr",
  "stats example.com --fields visitor",
  "stats example.com --color red",
  "realtime example.com --watch 0",
  // Reports
  "report exmple.com",
  "report example.com --days 365",
  "report example.com -o report.pdf",
  "report example.com -o HOME/empty.md --period lastwek",
  "report example.com -o HOME/notes.md",
  "report example.com -o HOME/missing/report.html",
  "report example.com -o - --open",
  // Checks
  "check example.com",
  "check --drop 20",
  "check --rise=5%",
  "check example.com --below ten",
  "check example.com --below -5",
  "check example.com --change 0",
  "check example.com --above 5 --metric visitor",
  "check example.com --below 5 --period today",
  "check example.com --below 5 --period all",
  "check example.com --unusual --period last_month",
  "check example.com --below 5 --against last_week",
  "check example.com --dead-links 5 --filter country=DE",
  "check example.com --dead-links 5 --metric visits",
  "check exmple.com --below 5",
  "check yesterday --above 5",
  // Keys and addresses
  "stats --api-key sk-1234567890",
  "stats --api-key-file HOME/missing",
  "stats --api-key-file HOME",
  "stats --api-key-file HOME/empty",
  "stats --base-url stats.example.com",
  "stats --profile acme",
  "stats --demo --base-url https://stats.example.com",
  "login --site example.com",
  "login --service matomo",
  "login --base-ur https://stats.example.com",
  "stats --profil acme",
  "doctor --csv",
  "breakdown contries example.com",
  "login --logs - --site example.com",
  // Setup
  "config curser",
  "config cursor --logs -",
  "--stdio --logs -",
  "config cursor --write",
  "config codex --write",
  "config vscode --write",
  "config vscode --write --file HOME/new/mcp.json",
  "config claude-desktop --with-key",
  "config cursor --remote mcp.example.com",
  "completion powershel",
  "doctor --connector",
  "doctor --connector http://mcp.example.com/mcp",
  "doctor --connector https://mcp.example.com/mcp?key=1",
  "doctor --connector mcp.example.com --demo",
  "doctor --connector mcp.example.com --base-url https://stats.example.com",
  // Access logs
  "overview HOME/access.log",
  "overview --demo example.com HOME/access.log.1",
  "stats --demo page=/pricing",
  "stats --demo example.com page=/pricing",
  "stats --demo example.com --where page=/pricing",
  "stats --demo example.com --filter page=/pricing,source=Google",
  "stats --demo example.com --site-timezones example.com=UTC",
  "stats --logs HOME/access.log HOME/access.log.1",
  "overview --logs HOME/access.log HOME/access.log.1 HOME/access.log.2 --site example.com",
  "--logs HOME/access.log HOME/access.log.1",
  "stats --logs HOME/access.log HOME/other/access.log",
  "stats --logs --site example.com",
  "stats --logs --api-key=sk-123 --site example.com",
  "stats --clickhouse --site example.com",
  "stats --clickhouse https://%zz@localhost/web --site example.com",
  "stats --clickhouse http://localhost:8123 --schema plausable --site example.com",
  "stats --schema plausible --site example.com",
  "stats --clickhouse http://localhost:8123 --site example.com=7",
  "stats --clickhouse http://localhost:8123 --schema otel --map site=host --site example.com=7",
  "stats --clickhouse http://localhost:8123 --schema rybbit --map utm_term=url[it's] --site example.com",
  "schema plausibel",
  "login --service plausibel",
  "login --service piwik",
  "login --service google-analytics",
  "stats --demo example.com --days 400",
  "stats --demo example.com --period 03/11/2026",
  "stats --logs HOME/access.log --site example.com --log-format json",
  "stats --logs HOME/access.log --site example.com --log-format xml",
  "stats --logs HOME/access.log --site example.com --log-format $remote_addr|$status",
  "stats --logs HOME/access.log --site example.com --exclude-path admin/**",
  "stats --logs HOME/access.log --site example.com --trust-forwarded yes",
  "stats --logs HOME/access.log --site example.com --geoip HOME/missing.mmdb",
  "breakdown --logs HOME/other/access.log --site example.com --dimension countries",
  "breakdown --logs HOME/other/access.log --site example.com --dimension cities",
  "stats --logs HOME/other/access.log --site example.com --filter country=US",
  "logs --geoip countries HOME/access.log",
  "stats --logs HOME/empty --site example.com",
  "conversions --logs HOME/other/access.log --site example.com --goal pages=/ --by countries",
  // Servers
  "serve --demo --port 99999",
  "serve --demo --port TAKEN",
  "serve --demo --host 0.0.0.0",
  "serve --demo --admin-listen 9090",
  "serve --demo --log-level loud",
  "serve --demo --secret-file HOME",
  "reference --port TAKEN",
  "reference --logs HOME/access.log",
  "reference --logs -",
  "reference --demo --keys HOME/keys.json",
  "reference --site example.com",
  "reference --logs HOME/access.log --site example.com --keys HOME/keys.json",
  "serve --logs HOME/access.log",
  "serve --logs example.com=-",
  "serve --logs HOME/access.log --site example.com --keys HOME/empty",
  "serve --keys HOME/keys.json",
  "serve --demo --site example.com",
  // Keys of organizations
  "keys add",
  "keys add acme",
  "keys add Acme --sites acme.example",
  "keys add acme --sites *.com",
  "keys add acme --sites *.acme.*",
  "keys add acme --sites acme.example --keys HOME",
  "keys add acme --sites acme.example --keys ~/keys.json",
  "keys add amcp_sk-1234567890abcdefghijklmnopqrstuvwxyzABCDEFGH --sites acme.example",
  "keys remove acme",
  "keys list --keys HOME/missing",
  "keys lst",
  "conform --only nope",
];

it("each gets an answer that helps", async () => {
  const parts: string[] = [];
  for (const line of lines) {
    const argv = line.replaceAll("HOME", home).replaceAll("TAKEN", String(taken)).split(" ");
    const isKeyless = /--api-key|--demo|--profile|login/.test(line);
    const environment = { HOME: home, ...(isKeyless ? { ANALYTICS_BASE_URL: BASE } : service) };
    const { code, stdout, stderr } = await runShell(argv, { environment });
    expect.soft([line, stdout]).toEqual([line, ""]);
    expect.soft(code, line).toBeGreaterThan(1);
    const isJson = /--json|--output json/.test(line);
    if (!isJson) expect.soft(stderr, line).toMatch(/^error: .+[.?…]\nhint: .+\n$/);
    // Neither the system's codes nor a key, and a suggestion comes first.
    expect.soft(stderr, line).not.toMatch(/\bE[A-Z]{4,}\b|this is a bug|sk-123/);
    expect.soft(stderr, line).not.toContain("sk-canary");
    if (stderr.includes("Did you mean")) expect.soft(stderr, line).toMatch(/\nhint: Did you mean/);
    const shown = stderr.replaceAll(home, "HOME").replaceAll(String(taken), "TAKEN");
    parts.push(`$ analytics-mcp ${line}\n${shown}exit ${code}\n`);
  }
  expect(parts.length).toBeGreaterThanOrEqual(40);
  await expect(parts.join("\n")).toMatchFileSnapshot(
    resolve("test/snapshots/screens/wrong-command-lines.txt"),
  );
});
