import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findLogs, proposeLogs } from "../../src/config/found-logs.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "root-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe("access logs in the usual places", () => {
  it("are found with their rotated files and the sites of their names; those that nobody wrote to where there are no others", () => {
    write("/var/log/nginx/access.log", "");
    write("/var/log/nginx/access.log.1", "a line\n");
    write("/var/log/nginx/access.log.2.gz", "…");
    write("/var/log/nginx/shop.example.com-ssl-access.log", "a line\n");
    write("/var/log/nginx/error.log", "no access\n");
    write("/var/log/apache2/access.log", "");
    write("/var/log/httpd/access_log-20261101", "a line\n");
    write("/var/log/caddy/access-2026-11-01T00-00-00.000.log.gz", "{}\n");
    const folder = `${root}/var/log`;
    expect(findLogs("linux", root)).toEqual([
      {
        server: "nginx",
        patterns: [
          `${folder}/nginx/access.log*`,
          `shop.example.com=${folder}/nginx/shop.example.com-ssl-access.log*`,
        ],
        isReadable: true,
      },
      { server: "Apache", patterns: [`${folder}/apache2/access.log*`], isReadable: true, isEmpty: true },
      { server: "Apache", patterns: [`${folder}/httpd/access_log*`], isReadable: true },
      { server: "Caddy", patterns: [`${folder}/caddy/access*.log*`], isReadable: true },
    ]);
    expect(findLogs("darwin", root)).toMatchObject([{ server: "Apache", isEmpty: true }]);
  });
});

const nginx = { server: "nginx", patterns: ["/var/log/nginx/access.log*"], isReadable: true };
const COMMAND = "analytics-mcp overview --logs '/var/log/nginx/access.log*'";

describe("what is proposed", () => {
  it.each([
    ["logs that can be read", [{ ...nginx, isReadable: false }, nginx], COMMAND],
    [
      "the logs of several sites",
      [{ ...nginx, patterns: ["a.example=/a*", "b.example=/b*", "c.example=/c*", "d.example=/d*"] }],
      "analytics-mcp sites --logs 'a.example=/a*' --logs 'b.example=/b*' --logs 'c.example=/c*' (and 1 more)",
    ],
    ["a group to join", [{ ...nginx, isReadable: false, group: "adm" }], 'sudo usermod -aG adm "$USER"'],
    ["another user", [{ ...nginx, isReadable: false }], "run as a user who may"],
  ])("%s", (_, found, words) => expect(proposeLogs(found)).toContain(words));

  it.each([
    ["without logs", []],
    ["with empty ones", [{ ...nginx, isEmpty: true as const }]],
  ])("is nothing %s", (_, found) => expect(proposeLogs(found)).toBeUndefined());
});

describe("a person without a set-up", () => {
  const ask = (argv: string[], isTTY = false) =>
    runShell(argv, { environment: createHome(), foundLogs: [nginx], isTTY, isTyped: isTTY, columns: 200 });

  it("sees the command from a question", async () => {
    const { code, stderr } = await ask(["stats"]);
    expect([code, stderr]).toEqual([4, expect.stringContaining(COMMAND)]);
  });

  it("sees the command from the program alone", async () => {
    const { code, stderr } = await ask([], true);
    expect([code, stderr]).toEqual([0, expect.stringContaining(COMMAND)]);
  });

  it("sees the command from doctor, and no row about a service", async () => {
    const { code, stdout } = await ask(["doctor", "--json"]);
    const { checks } = JSON.parse(stdout);
    expect([code, JSON.stringify(checks)]).toEqual([4, expect.stringContaining(COMMAND)]);
    const names = checks.map(({ check }: { check: string }) => check);
    expect(names).toContain("source");
    expect(names).not.toContain("base URL");
  });
});
