import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnalyticsError } from "../../../src/errors.ts";
import { checkFiles } from "../../../src/sources/logs/doctor.ts";
import { createHomeFolder } from "../../support/child-process.js";
import { createLogFolder, joinLines, LOG_NOW } from "../../support/logs.ts";

const NGINX = `
http {
  # log_format other '$remote_addr $status';
  log_format timing '$remote_addr $request_time';
  log_format broken '$remote_addr$status';
  log_format own '$time_iso8601|$remote_addr|'
                 '"$request"|$status';
  access_log /var/log/nginx/access.log own;
}
`;
const APACHE = `
LogFormat "%v %{%FT%T%z}t %h \\"%r\\" %>s" dated
CustomLog access.log dated
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "etc-"));
  mkdirSync(join(folder, "nginx", "conf.d"), { recursive: true });
  mkdirSync(join(folder, "apache2"));
  writeFileSync(join(folder, "nginx", "conf.d", "logs.conf"), NGINX);
  writeFileSync(join(folder, "apache2", "apache2.conf"), APACHE);
});
afterAll(() => rmSync(folder, { recursive: true }));

const folders = () => ["nginx", "apache2", "missing"].map((name) => join(folder, name));

/** What the doctor says about a log, with these options. */
async function check(lines: readonly string[], flags = {}, where = folders()) {
  const { path } = createLogFolder({ "access.log": joinLines(...lines) });
  const context = {
    flags: { logs: [path("access.log")], site: ["example.com"], timezone: "UTC", ...flags },
    environment: { HOME: createHomeFolder() },
    clock: () => LOG_NOW,
  };
  return checkFiles(context, where).catch((error: unknown) => {
    if (error instanceof AnalyticsError) return error.hint ?? "";
    throw error;
  });
}

const PIPED = [1, 2, 3].map((n) => `2026-11-21T05:05:0${n}+01:00|192.0.2.1|"GET /${n} HTTP/1.1"|200`);
const DATED = ['example.com 2026-11-21T05:05:01+0100 192.0.2.1 "GET / HTTP/1.1" 200'];

describe("the doctor looks into the configuration of nginx and Apache for a log in no known format", () => {
  it.each([
    ["nginx", PIPED, "nginx/conf.d/logs.conf", "'$time_iso8601|$remote_addr|\"$request\"|$status'"],
    ["Apache", DATED, "apache2/apache2.conf", "'%v %{%FT%T%z}t %h \"%r\" %>s'"],
  ])("%s, and proposes an option with which the log is read", async (_, lines, file, word) => {
    expect(await check(lines)).toBe(`${join(folder, file)} describes these lines. Add: --log-format ${word}`);
    expect(await check(lines, { logFormat: "json" })).toContain(`Add: --log-format ${word}`);
    expect(await check(lines, { logFormat: word.slice(1, -1) })).toBe(
      `${lines.length} ${lines.length === 1 ? "line" : "lines"}; 1 file present`,
    );
  });

  it("without one that fits, it names the known formats, and how to describe another", async () => {
    for (const where of [folders(), []]) {
      const told = await check(["Dear diary,"], {}, where);
      expect(told).toContain("Known formats: combined");
      expect(told).toContain(
        "give the server's own description with --log-format. The doctor found none in this machine's web server settings.",
      );
    }
  });
});
