import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { spawnSync } from "../../../support/child-process.js";
import { combined, createLogFolder, joinLines, openTestLogs } from "../../../support/logs.ts";
import { buildMmdb } from "../../../support/mmdb.ts";
import { countryDatabase } from "../../../support/tools.ts";

const COUNTRIES = {
  "8.8.8.0/24": { country: { iso_code: "US" } },
  "2a02:2e0::/32": { country: { iso_code: "DE" } },
};

/** Logs with a request of each address, and a database. */
function openWith(database: Buffer | string, addresses: string[]) {
  const { path, write } = createLogFolder({
    "access.log": joinLines(...addresses.map((address) => combined({ address }))),
  });
  if (typeof database !== "string") write("places.mmdb", database);
  const geoip = typeof database === "string" ? database : path("places.mmdb");
  return openTestLogs({ logs: [path("access.log")], geoip });
}

const BERLIN = {
  country: { iso_code: "DE", names: { en: "Germany" } },
  subdivisions: [{ iso_code: "BE" }],
  city: { names: { de: "Berlin", en: "Berlin" } },
};

describe("where visitors are", () => {
  it.each([
    ["MaxMind's and DB-IP's", { country: { iso_code: "FR" } }],
    ["MaxMind's, by registration alone", { registered_country: { iso_code: "FR" } }],
    ["ip-location-db's", { country_code: "FR" }],
    ["IPinfo's", { country: "FR" }],
    ["IPinfo's newer ones", { country: "France", country_code: "FR" }],
  ])("is read of %s records", async (_, record) => {
    const { rows } = openWith(buildMmdb({ "8.8.8.0/24": record }), ["8.8.8.8", "9.9.9.9"]);
    expect(await rows("countries")).toEqual([
      ["FR", 1, 1],
      [null, 1, 1],
    ]);
  });

  it("is a region and a city, where the database has them", async () => {
    const { rows } = openWith(
      buildMmdb({ "8.8.8.0/24": BERLIN, "9.0.0.0/8": { country_code: "US", city: "Ames" } }),
      ["8.8.8.8", "9.9.9.9", "1.1.1.1"],
    );
    expect(await rows("regions")).toEqual([
      [null, 2, 2],
      ["DE-BE", 1, 1],
    ]);
    expect(await rows("cities")).toEqual([
      ["Ames, US", 1, 1],
      ["Berlin, DE", 1, 1],
      [null, 1, 1],
    ]);
  });

  it.each([
    ["8.8.8.8", "US"],
    ["::ffff:8.8.8.8", "US"],
    ["::ffff:808:808", "US"],
    ["0:0:0:0:0:ffff:8.8.8.8", "US"],
    ["2a02:2e0:3fe:1001:302::", "DE"],
    ["2a03::1", null],
    ["9.9.9.9", null],
    ["dns.example.com", null],
    ["8.8.8", null],
    ["8.8.8.8:443", null],
  ])("of %s is %s", async (address, country) => {
    const { rows } = openWith(buildMmdb(COUNTRIES), [address, "8.8.8.9"]);
    const found = (await rows("countries")).flatMap(([value, visitors]) =>
      Array(Number(visitors)).fill(value),
    );
    expect(found.sort()).toEqual([country, "US"].sort());
  });

  it("is not looked up for an IPv6 address in a database of IPv4", async () => {
    const { rows } = openWith(buildMmdb({ "0.0.0.0/1": { country_code: "US" } }, { ipVersion: 4 }), [
      "8.8.8.8",
      "2a02:2e0:3fe:1001:302::",
      "::ffff:8.8.8.7",
    ]);
    expect(await rows("countries")).toEqual([
      ["US", 2, 2],
      [null, 1, 1],
    ]);
  });

  const SPECIAL = [
    "10.0.0.1",
    "127.0.0.1",
    "172.20.0.1",
    "192.168.1.1",
    "169.254.1.1",
    "100.64.0.1",
    "203.0.113.7",
    "::1",
    "fe80::1",
    "fd00::1",
    "2001:db8::1",
    "::ffff:192.168.1.1",
  ];
  it.each(SPECIAL)("is nowhere for %s, whatever a database says", async (address) => {
    const record = { country_code: "AU" };
    const everywhere = buildMmdb({
      "0.0.0.0/1": record,
      "128.0.0.0/1": record,
      "2000::/3": record,
      "e000::/3": record,
    });
    const { rows } = openWith(everywhere, [address, "8.8.8.8"]);
    expect(await rows("countries")).toContainEqual([null, 1, 1]);
  });
});

/** Gives the last record's text a type that there is none of. */
function spoil(database: Buffer): Buffer {
  const bytes = Buffer.from(database);
  bytes[bytes.lastIndexOf("iso_code") - 1] = 0;
  return bytes;
}

describe("a database that cannot be used", () => {
  const good = buildMmdb(COUNTRIES);
  it.each([
    ["empty", Buffer.alloc(0), "it is incomplete, or not in MaxMind's format"],
    ["a text", Buffer.from("network,country\n".repeat(99)), "it is incomplete, or not in MaxMind's format"],
    ["cut off at its end", good.subarray(0, -300), "it is incomplete, or not in MaxMind's format"],
    ["without its beginning", good.subarray(600), "it is damaged"],
    ["damaged in its records", spoil(good), "it is damaged"],
    ["compressed", gzipSync(good), "it is compressed: unpack it with gunzip"],
    [
      "one of providers",
      buildMmdb({ "8.8.8.0/24": { autonomous_system_number: 15169 }, "2a02::/16": { as_name: "x" } }),
      "it has no countries",
    ],
  ])("is refused if it is %s", async (_, bytes, reason) => {
    const { source } = openWith(bytes, ["8.8.8.8", "2a02:2e0::1"]);
    await expect(source.sites()).rejects.toThrow(`places.mmdb" cannot be used: ${reason}`);
    await expect(source.sites()).rejects.toMatchObject({ code: "usage" });
  });

  it("is refused if it is not there, a folder, or a pipe", async () => {
    const { path } = createLogFolder();
    mkdirSync(path("folder"));
    spawnSync("mkfifo", [path("pipe")]);
    const refusal = (file: string) => expect(openWith(file, ["8.8.8.8"]).source.sites()).rejects;
    await refusal(path("none")).toThrow("cannot be used: it does not exist.");
    await refusal(path("folder")).toThrow("cannot be used: it is a folder.");
    await refusal(path("pipe")).toThrow("cannot be used: it is not a regular file.");
  });

  it("counts no line twice after it was repaired", async () => {
    const record = { country: { iso_code: "US" } };
    const database = buildMmdb({ "8.8.0.0/24": record, "8.8.2.0/24": record });
    const { path, write } = createLogFolder({
      "access.log": joinLines(combined({ address: "8.8.0.1" }), combined({ address: "8.8.2.1" })),
      "places.mmdb": spoil(database),
    });
    const { count, source, rows } = openTestLogs({ logs: [path("access.log")], geoip: path("places.mmdb") });
    await expect(source.sites()).rejects.toThrow("it is damaged");
    write("places.mmdb", database);
    await expect(count()).resolves.toMatchObject({ visitors: 2, pageviews: 2 });
    expect(await rows("countries")).toEqual([["US", 2, 2]]);
  });
});

describe.skipIf(countryDatabase === undefined)("the real database of @ip-location-db", () => {
  it.each([
    ["130.149.4.20", "DE"],
    ["::ffff:130.149.4.20", "DE"],
    ["133.11.0.1", "JP"],
    ["200.160.2.3", "BR"],
    ["2a02:2e0:3fe:1001:302::", "DE"],
    ["240b:10::1", "JP"],
    // It says Australia, whose registry lists the ranges.
    ["192.168.1.1", null],
    ["172.20.0.1", null],
  ])("says of %s: %s", async (address, country) => {
    const { rows } = openWith(countryDatabase ?? "", [address, "193.0.6.139"]);
    const found = (await rows("countries")).map(([value]) => value);
    expect(found.sort()).toEqual([country, "NL"].sort());
  });

  it("can be copied, and cut short it is refused", async () => {
    const { path } = createLogFolder();
    copyFileSync(countryDatabase ?? "", path("copy.mmdb"));
    writeFileSync(path("cut.mmdb"), readFileSync(path("copy.mmdb")).subarray(0, 3_000_000));
    await expect(openWith(path("copy.mmdb"), ["8.8.8.8"]).rows("countries")).resolves.toEqual([["US", 1, 1]]);
    await expect(openWith(path("cut.mmdb"), ["8.8.8.8"]).source.sites()).rejects.toThrow("incomplete");
  });
});
