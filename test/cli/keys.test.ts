import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NOW } from "../support/api.ts";
import { writeHostLog } from "../support/host-log.ts";
import { runShell, type ShellOptions } from "../support/shell.ts";

const KEY = /^amcp_[\w-]{43}\n$/;
const ACME = ["--sites", "acme.example,*.acme.example"];

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "keys-"));
  file = join(folder, "keys.json");
});
afterEach(() => rmSync(folder, { recursive: true }));

const keys = (argv: string[], options: ShellOptions = {}) =>
  runShell(["keys", ...argv, "--keys", file], options);
const read = () => JSON.parse(readFileSync(file, "utf8"));
const list = async () => JSON.parse((await keys(["list", "--json"])).stdout).keys;

describe("keys add", () => {
  it("prints the key alone on stdout, and stores only its hash, for its owner only", async () => {
    const { code, stdout, stderr } = await keys(["add", "acme", ...ACME]);
    expect(code).toBe(0);
    expect(stdout).toMatch(KEY);
    const sha256 = createHash("sha256").update(stdout.trim()).digest("hex");
    expect(read()).toEqual({
      version: 1,
      organizations: [
        {
          name: "acme",
          sites: ["acme.example", "*.acme.example"],
          keys: [{ sha256, created: new Date(NOW).toISOString().replace(".000", "") }],
        },
      ],
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stderr).toContain(`key_${sha256.slice(0, 12)}`);
    for (const text of [stderr, readFileSync(file, "utf8")]) expect(text).not.toContain(stdout.trim());
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("adds a second key to the same organization, for rotation", async () => {
    const first = (await keys(["add", "acme", ...ACME])).stdout;
    const second = (await keys(["add", "acme"])).stdout;
    const same = (await keys(["add", "acme", "--sites", "*.ACME.example., www.acme.example"])).stdout;
    expect(new Set([first, second, same]).size).toBe(3);
    const rows: { organization: string; key: string }[] = await list();
    expect(rows.map(({ organization }) => organization)).toEqual(["acme", "acme", "acme"]);
    await keys(["remove", rows[0]?.key ?? ""]);
    expect(await list()).toEqual(rows.slice(1));
  });

  it.each([
    ["acme.example", "acme.example"],
    ["WWW.Acme.Example.", "acme.example"],
    ["https://acme.example/prices?x", "acme.example"],
    ["acme.example:8443", "acme.example"],
    ["münchen.example", "xn--mnchen-3ya.example"],
    ["*.MÜNCHEN.example.", "*.xn--mnchen-3ya.example"],
    ["*.www.acme.example", "*.www.acme.example"],
    ["*", "*"],
    ["localhost", "localhost"],
    [" a.example ,, a.example", "a.example"],
  ])("takes the site %j as %j", async (given, expected) => {
    expect((await keys(["add", "acme", "--sites", given])).code).toBe(0);
    expect(read().organizations[0].sites).toEqual([expected]);
  });

  it.each([
    "*.com",
    "**.acme.example",
    "a.*.example",
    "acme*.example",
    "*.acme.example/path",
    "*.acme.example:80",
    "*.user@acme.example",
    "*.",
    "*..example",
    ".acme.example",
    "acme..example",
    "acme example",
    "203.0.113.7",
    "[2001:db8::1]",
    "site_0123456789ab",
    "a,/etc/passwd",
    ",",
    "",
    `${"a".repeat(64)}.example`,
    "evil.example\u202e.acme.example",
  ])("refuses the site %j and writes nothing", async (given) => {
    const { code, stdout, stderr } = await keys(["add", "acme", "--sites", given]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: .+\nhint: .+\n$/);
    expect(existsSync(file)).toBe(false);
  });

  it.each(["Acme", "acme inc", "", "../acme", "key_acme", "ácme", "__proto__", "a\nb", "a".repeat(51), "*"])(
    "refuses the organization %j",
    async (name) => {
      const { code, stdout } = await keys(["add", name, ...ACME]);
      expect([code, stdout, existsSync(file)]).toEqual([2, "", false]);
    },
  );

  it("warns of sites that the data does not have, as far as it was read, and names the nearest", async () => {
    const environment = { HOME: folder, ANALYTICS_LOGS: join(folder, "access.log") };
    writeFileSync(
      environment.ANALYTICS_LOGS,
      writeHostLog(
        NOW,
        ["news.test", "shop.acme.example"].map((host) => ({ host, visitors: 9 })),
      ),
    );
    const add = async (name: string, sites: string) =>
      (await keys(["add", name, "--sites", sites], { environment })).stderr.split("\n")[2];
    expect(await add("unread", "shop.amce.example")).toBe("");
    await runShell(["sites"], { environment });
    expect(await add("one", "shop.amce.example,x.test")).toBe(
      "warning: Organization one: the data has no visit to shop.amce.example, x.test. Did you mean shop.acme.example, x.test? To change its sites: analytics-mcp keys sites one --sites shop.acme.example,x.test",
    );
    expect(await add("two", "*.far.test")).toBe(
      "warning: Organization two: the data has no visit to *.far.test. The data has news.test, shop.acme.example. To change its sites: analytics-mcp keys sites two --sites <sites>",
    );
    // Only the endings agree: another organization's site is no guess.
    expect(await add("six", "view.test")).toContain(
      "to view.test. The data has news.test, shop.acme.example.",
    );
    expect(await add("five", "shop.acme.example,nwes.test,x.test")).toBe(
      "warning: Organization five: the data has no visit to nwes.test, x.test. Did you mean shop.acme.example, news.test, x.test? To change its sites: analytics-mcp keys sites five --sites shop.acme.example,news.test,x.test",
    );
    expect([await add("three", "x.test,*.acme.example"), await add("four", "*")]).toEqual(["", ""]);
    const changed = await keys(["sites", "one", "--sites", "x.test"], { environment });
    expect(changed.stderr).toContain("\nwarning: Organization one: the data has no visit to x.test.");
  });

  it("does not change the sites of other keys, nor guess those of a new organization", async () => {
    await keys(["add", "acme", ...ACME]);
    const before = read();
    for (const argv of [
      ["add", "acme", "--sites", "*"],
      ["add", "beta"],
    ]) {
      expect(await keys(argv)).toMatchObject({ code: 2, stdout: "" });
    }
    expect((await keys(["add", "acme", "--sites", "*"])).stderr).toContain(
      "analytics-mcp keys sites acme --sites '*'",
    );
    expect(read()).toEqual(before);
  });

  it("never repeats a key that stands where a name belongs", async () => {
    const key = (await keys(["add", "acme", ...ACME])).stdout.trim();
    const [{ key: id }] = await list();
    for (const argv of [["add"], ["remove"], ["sites", ...ACME]]) {
      const { code, stdout, stderr } = await keys([...argv, key]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).not.toContain(key.slice(5));
      expect(stderr).toContain(id);
    }
  });

  it("loses no key when many are added at once", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `o${index}`);
    const all = await Promise.all(names.map((name) => keys(["add", name, "--sites", `${name}.example`])));
    expect(all.map(({ code }) => code)).toEqual(names.map(() => 0));
    expect((await list()).map(({ organization }: { organization: string }) => organization).sort()).toEqual(
      names.sort(),
    );
  });

  it("says which lock a killed process left", async () => {
    writeFileSync(`${file}.lock`, "");
    const { code, stderr } = await keys(["add", "acme", ...ACME]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`remove ${file}.lock`)]);
  });

  it("replaces the file that a link leads to, and keeps the link", async () => {
    const target = join(folder, "real.json");
    await keys(["add", "acme", ...ACME]);
    writeFileSync(target, readFileSync(file), { mode: 0o600 });
    rmSync(file);
    symlinkSync(target, file);
    await keys(["add", "beta", "--sites", "beta.example"]);
    expect([lstatSync(file).isSymbolicLink(), readlinkSync(file)]).toEqual([true, target]);
    expect(await list()).toHaveLength(2);
  });
});

describe("keys sites", () => {
  it("changes the sites of all keys of an organization, and nothing else", async () => {
    for (const name of ["acme", "acme", "beta"]) await keys(["add", name, "--sites", `${name}.example`]);
    const [acme, beta] = read().organizations;
    const { code, stderr } = await keys(["sites", "acme", "--sites", "*.Acme.example, acme.example"]);
    expect([code, stderr]).toEqual([
      0,
      `Changed the sites of 2 keys of acme: *.acme.example, acme.example. Servers that use ${file} notice within a second.\n`,
    ]);
    expect(read().organizations).toEqual([{ ...acme, sites: ["*.acme.example", "acme.example"] }, beta]);
  });

  it("refuses an unknown organization, and sites that are none", async () => {
    expect(await keys(["sites", "acme", ...ACME])).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(file)).toBe(false);
    await keys(["add", "acme", ...ACME]);
    const before = read();
    for (const argv of [["acm", ...ACME], ["acme"], ["acme", "--sites", ","], ["acme", "--sites", "*.com"]])
      expect(await keys(["sites", ...argv])).toMatchObject({ code: 2, stdout: "" });
    expect(read()).toEqual(before);
  });
});

describe("keys remove", () => {
  it("removes an organization with all its keys, or one key", async () => {
    for (const name of ["acme", "acme", "beta"]) await keys(["add", name, "--sites", `${name}.example`]);
    expect((await keys(["remove", "acme"])).stderr).toContain("Removed 2 keys of acme.");
    const [{ key, organization }] = await list();
    expect(organization).toBe("beta");
    expect((await keys(["remove", key])).stderr).toContain(
      "of beta. That was its last key, so the organization is removed, too.",
    );
    expect(await list()).toEqual([]);
  });

  it("refuses what is not there, and does not make a file", async () => {
    expect(await keys(["remove", "acme"])).toMatchObject({ code: 2, stdout: "" });
    expect(existsSync(file)).toBe(false);
    await keys(["add", "acme", ...ACME]);
    for (const name of ["acm", "key_", "key_000000000000", "*"]) {
      expect((await keys(["remove", name])).code).toBe(2);
    }
    expect(await list()).toHaveLength(1);
  });
});

describe("the keys file", () => {
  const hash = "a".repeat(64);
  const created = "2026-11-21T04:05:10Z";
  const good = { name: "acme", sites: ["acme.example"], keys: [{ sha256: hash, created }] };
  const file1 = (...organizations: object[]) => ({ version: 1, organizations });

  it.each<[string, unknown, RegExp]>([
    ["is not JSON", '{"version": 1,', /is damaged: it is not JSON/],
    ["is empty", "", /is damaged/],
    ["is a list", [], /is damaged/],
    ["has no version", { organizations: [] }, /is damaged at version/],
    ["has a newer version", { version: 2, teams: [] }, /has version 2, which a newer/],
    ["has an unknown member", { ...file1(), extra: 1 }, /is damaged.*extra/],
    [
      "has an unknown member in a key",
      file1({ ...good, keys: [{ sha256: hash, created, admin: true }] }),
      /keys\.0/,
    ],
    [
      "has a key in place of a hash",
      file1({ ...good, keys: [{ sha256: "amcp_secret", created }] }),
      /sha256/,
    ],
    ["has a bad site", file1({ ...good, sites: ["*.com"] }), /sites\.0/],
    ["has no site", file1({ ...good, sites: [] }), /sites/],
    ["has a bad name", file1({ ...good, name: "Acme Inc" }), /name/],
    ["has an organization twice", file1(good, { ...good, keys: [] }), /has acme twice/],
    ["has a key twice", file1(good, { ...good, name: "beta" }), /has a+ twice/],
  ])("that %s is refused by each command, and stays as it is", async (_, content, reason) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(file, text, { mode: 0o600 });
    for (const argv of [["list"], ["add", "acme", ...ACME], ["remove", "acme"]]) {
      const { code, stdout, stderr } = await keys(argv);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(reason);
      expect(stderr).not.toContain("amcp_secret");
    }
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it.each([0o602, 0o620, 0o666])("that others can write to (%i) is refused", async (mode) => {
    await keys(["add", "acme", ...ACME]);
    chmodSync(file, mode);
    for (const argv of [["list"], ["add", "acme"], ["remove", "acme"]]) {
      expect((await keys(argv)).stderr).toContain("Other users could add keys");
    }
  });

  it("that others can read is named, and closed by the next change", async () => {
    await keys(["add", "acme", ...ACME]);
    chmodSync(file, 0o644);
    expect((await keys(["list"])).stderr).toContain("can be read by other users");
    await keys(["add", "acme"]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("is named by --keys, else ANALYTICS_KEYS_FILE, else it is among the settings", async () => {
    const home = join(folder, "home");
    const other = join(folder, "other.json");
    const environment = { HOME: home, ANALYTICS_KEYS_FILE: other };
    await keys(["add", "one", "--sites", "a.example"], { environment });
    await runShell(["keys", "add", "two", "--sites", "a.example"], { environment });
    await runShell(["keys", "add", "three", "--sites", "a.example"], { environment: { HOME: home } });
    const places = [file, other, join(home, ".config", "analytics-mcp", "keys.json")];
    const names = places.map((place) => JSON.parse(readFileSync(place, "utf8")).organizations[0].name);
    expect(names).toEqual(["one", "two", "three"]);
    expect(statSync(join(home, ".config", "analytics-mcp")).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["a folder", () => mkdirSync(file), /is not a file/],
    ["missing", () => {}, /it does not exist/],
  ])("that is %s is refused", async (_, make, reason) => {
    make();
    expect((await keys(["list"])).stderr).toMatch(reason);
  });

  it("completes organizations, and the ids of keys to remove", async () => {
    await keys(["add", "acme", ...ACME]);
    const [{ key }] = await list();
    const complete = async (...words: string[]) =>
      (await runShell(["complete", "--", "keys", ...words], { environment: { ANALYTICS_KEYS_FILE: file } }))
        .stdout;
    expect(await complete("add", "")).toBe("acme\tacme.example, *.acme.example\n");
    expect(await complete("remove", "")).toBe(`acme\tacme.example, *.acme.example\n${key}\tacme\n`);
    expect(await complete("add", "--keys", "")).toBe(":files\n");
  });
});
