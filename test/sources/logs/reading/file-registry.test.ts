import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import * as zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import type { AnalyticsError } from "../../../../src/errors.ts";
import { createUnreadableError } from "../../../../src/sources/logs/reading/find-files.ts";
import { createReplay } from "../../../../src/sources/logs/reading/replay.ts";
import {
  asNobody,
  combined,
  createLogFolder,
  joinLines,
  LOG_NOW,
  openTestLogs,
} from "../../../support/logs.ts";

/** Page views of different paths and visitors, a minute apart. */
const lines = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => {
    const n = from + index;
    return combined({
      at: LOG_NOW - 3_600_000 + n * 1000,
      address: `192.0.${n >> 8}.${n & 255}`,
      target: `/${n}`,
    });
  });
const text = (count: number, from = 0) => joinLines(...lines(count, from));

function openFolder(files: Record<string, string | Buffer>, glob = "*") {
  const made = createLogFolder(files);
  return { ...made, logs: openTestLogs({ logs: [made.path(glob)] }) };
}

const pageviews = async (logs: ReturnType<typeof openTestLogs>) => (await logs.count()).pageviews;

/** The lines of all files, and those that were read as each kind: they add up. */
function addUp({ contents, outcomes }: ReturnType<typeof openTestLogs>) {
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
  const read = sum(Object.values(outcomes()));
  const files = contents();
  return {
    lines: sum(files.map((file) => file.lines)),
    kinds: read + sum(files.map(({ comments, unreadable, tooLong }) => comments + unreadable + tooLong)),
  };
}

/** `text(50)`, by zstd -19: Node 20 cannot compress so. */
const ZSTD = Buffer.from(
  [
    "KLUv/QRohQsAZpQ1G0BXOp8t45yTW6zn0Y9FGJFSpiQjyyeaomJMDjUANwAiAJYElk1ZC4ejGXkc0pII0rpzmX1JnlxIJMJY1hVJ",
    "LKRFMTMbLPMh7XB2oG5vyPOoPyEsm25whqqqCoUCRVGZiYh39982QLIp0RV5MpiPRrFsNrO9ns0Fs1gCmxJ9CH0WAqkKVYmWCNTR",
    "NBbCAe/9vb/39/7e3/t7f+/v/b27t3u7t3u7t3u7t3u7t3sbDAHYRGwiNhGbiE3EJmITsYnYRGziFe+Kd8W74l3xrnhXvCveFe+K",
    "F4CWqBHg9rL/b7CDMqoDIhAEFASOFfyo4X/FD55omJvDxrlBbN6NdAPYmDbgjbRBb5obw6a5UWzajXID2hg28Ia0SW+Ym8LmuUFs",
    "zo16A2iznI5ys0kuAzm+OU5iXNoUxyJOb4bTCTc3wb0ARza/5XyLm95MvInNbj3ddpNbJ9wWhmIq8EVUcIVZFoqzwILSCBVTGDA1",
    "tWr4fiS4",
  ].join(""),
  "base64",
);
/** `text(20)` and `text(30, 20)`, each by itself. */
const ZSTD_FRAMES = Buffer.from(
  [
    "KLUv/QRodQcAAg0nHkBzMwZvbClPyI9PURzxMIGbqIkIkSlApttyDIguCPEYh0N4dBT9fm+3c7dbm83Y++7vrz3GCCGMoui955xr",
    "rTHGdvcHPItTVSgZ6pDrquuuyjKhIFKgkGtLm0wW2os8yEmOBkMpsvCOQCrkluRyoTrV4smH8OTuUnXzGXo1pimRunIyIJ6EqKoO",
    "UpecSkylt7prUzHW+yCkQhsPPagRwPay/2fAg0phDSEIQpAQbgqI8F3xv/IBfbsMqTC0xLlAKwtYaC/hZbmEiLqlmtwKcHMRKEwl",
    "ppDLSGEuMYVcRoWs7IDvg9UCotamBsqivN0otS/9BGi9CAA20C8dQFVzDw0NGNBo+BAHoQvrpSVbyiTpqlwtHAPJzQEnACwAJAA+",
    "QhmlajgcCfQVOgwICCO2PUCrtCypJXZfdSaGykOQgAT0I0eO/jJpp68mDKWCQIGjtSl1NlhYJmHOgx6O5qLAQuYjgI6WmmQyl8+0",
    "gBAiQPhc6Kuq+j8zrV7re+/OubfWzhj7Wuu7e1X9/2cmAFKeyVLZXA6YDu+9dc5ta20ZY7vW2t1dVd3/m5nr9fK+99Q5p601ZYzp",
    "Wkt3A1moEbD6/v8G8DXGEkgQUBAYwin4iDP8r/gBzS6WJaHsKJIloWyWEUvw4mJebJeEslkilsIFsQQM2Iw1Vd5FrZSVzxKxBBeK",
    "JaAAlpD3LmmaNgJAVgFdZBvo",
  ].join(""),
  "base64",
);

describe("compressed files", () => {
  it.each([
    ["gzip", zlib.gzipSync(text(50))],
    ["several gzip members", Buffer.concat([zlib.gzipSync(text(20)), zlib.gzipSync(text(30, 20))])],
    ["gzip, whatever its name", zlib.gzipSync(text(50))],
    ["zstd", ZSTD],
    ["several zstd frames", ZSTD_FRAMES],
  ])("%s", async (_, content) => {
    const { logs } = openFolder({ "access.log.2": content });
    expect(await pageviews(logs)).toBe(50);
  });

  it("that are cut off are read up to there, and said to be damaged", async () => {
    const whole = zlib.gzipSync(Array.from({ length: 40 }, (_, n) => text(100, n * 100)).join(""));
    const { logs } = openFolder({ "access.log.gz": whole.subarray(0, whole.length / 2) });
    const read = await pageviews(logs);
    expect(read).toBeGreaterThan(100);
    expect(read).toBeLessThan(4_000);
    expect(logs.contents()).toMatchObject([
      { damage: { reason: "The file is damaged or incomplete." }, lines: read },
    ]);
  });

  it("that are broken from the beginning leave the others as they are", async () => {
    const { logs } = openFolder({
      "access.log": text(3),
      "a.gz": zlib.gzipSync(text(50)).subarray(0, 40),
      "b.gz": Buffer.from([0x1f, 0x8b, 1, 2, 3]),
      "c.zst": ZSTD.subarray(0, 30),
    });
    expect(await pageviews(logs)).toBe(3);
    expect(logs.registry.leftOut.size).toBe(3);
  });

  it("of Zstandard that only swell are refused as well", async () => {
    // A frame of 8,192 blocks that each repeat one byte 131,072 times (RFC 8878, 3.1.1).
    const block = [(131_072 << 3) | 2, (131_072 << 3) >> 8, (131_072 << 3) >> 16, 0x78].map(
      (byte) => byte & 255,
    );
    const bomb = Buffer.from([
      0x28,
      0xb5,
      0x2f,
      0xfd,
      0,
      0x50,
      ...Array.from({ length: 8_192 }, () => block).flat(),
    ]);
    const { logs } = openFolder({ "access.log": text(3), "old.zst": Buffer.concat([ZSTD, bomb]) });
    expect(await pageviews(logs)).toBe(3);
    expect([...logs.registry.leftOut.values()]).toMatchObject([
      { reason: expect.stringMatching(/^cannot be read: .* 400 times/) },
    ]);
  });

  it.each([
    [
      "of 2 GB",
      [0xa8],
      /^cannot be read: The file asks for 2048 MB of memory to be decompressed, more than 128/,
    ],
    ["a little over 128 MB", [0x89], /^cannot be read: The file asks for 144 MB/],
    ["of a single segment of 3 GB", [0, 0, 0, 0xc0], /^cannot be read: The file asks for 3072 MB/],
  ])("of Zstandard with a window %s are refused, in any frame", async (_, window, expected) => {
    const descriptor = window.length === 1 ? 0 : 0xa0;
    // A block of one byte, which is the last one.
    const greedy = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor, ...window, 9, 0, 0, 0x78]);
    const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    for (const before of [[], [ZSTD], [ZSTD_FRAMES, skippable, ZSTD]]) {
      const { logs } = openFolder({ "access.log": text(3), "old.zst": Buffer.concat([...before, greedy]) });
      expect(await pageviews(logs)).toBe(3);
      expect([...logs.registry.leftOut.values()]).toMatchObject([
        { reason: expect.stringMatching(expected) },
      ]);
    }
  });

  it("of Zstandard with a window of 128 MB are read", async () => {
    const content = Buffer.from(text(2));
    const header = (content.length << 3) | 1;
    const block = [header & 255, (header >> 8) & 255, header >> 16];
    const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x88, ...block]);
    const { logs } = openFolder({ "access.log": Buffer.concat([frame, content]) });
    expect(await pageviews(logs)).toBe(2);
  });

  it("that only swell are refused before they fill the memory", async () => {
    // More than a hundred megabytes, a hundredth of them compressed and repeated.
    const part = zlib.gzipSync(Buffer.alloc(1_050_000, "x"));
    const bomb = Buffer.concat([zlib.gzipSync(text(60)), ...Array.from({ length: 100 }, () => part)]);
    const { logs } = openFolder({ "access.log.gz": bomb });
    expect(await pageviews(logs)).toBe(60);
    const [content] = logs.contents();
    expect(content?.damage?.reason).toMatch(/grows to more than 400 times its size/);
  });
});

describe("lines that are hard to read", () => {
  it("are counted, with the first three, cleaned", async () => {
    const strange = ["garbage", "two\u001b[31m", "three\u202e", "four"];
    const { logs } = openFolder({ "access.log": joinLines(...lines(5), ...strange) });
    expect(await pageviews(logs)).toBe(5);
    expect(logs.contents()).toMatchObject([
      { lines: 9, unreadable: 4, examples: ["garbage", "two[31m", "three"] },
    ]);
  });

  it("carriage returns, a byte order mark, empty lines, NUL and broken UTF-8 lose nothing", async () => {
    const first = combined();
    const { logs } = openFolder({
      "access.log": Buffer.concat([
        Buffer.from(`\ufeff${first}\r\n\r\n\n${first}\r\n`),
        Buffer.from(combined({ target: "/a\u0000b" })),
        Buffer.from("\n"),
        Buffer.from(combined({ target: "/XX" })).map((byte) => (byte === 0x58 ? 0xff : byte)),
        Buffer.from("\n"),
      ]),
    });
    // The mark is no part of the address.
    expect(await logs.count()).toEqual({ visitors: 2, pageviews: 4, events: 0 });
    expect(addUp(logs)).toEqual({ lines: 4, kinds: 4 });
  });

  it.each([65_536, 65_537, 200_000, 700_000])("a line of %i bytes", async (length) => {
    const long = (size: number) => combined({ referrer: "" }).replace('""', `"${"x".repeat(size)}"`);
    const spare = length - long(0).length;
    const { logs } = openFolder({ "access.log": joinLines(...lines(3), long(spare), ...lines(2, 3)) });
    const isTooLong = length > 65_536;
    expect(await pageviews(logs)).toBe(isTooLong ? 5 : 6);
    expect(logs.contents()).toMatchObject([{ lines: 6, tooLong: isTooLong ? 1 : 0, unreadable: 0 }]);
  });

  it("a line that is too long already while it is being written is one line", async () => {
    const { logs, path } = openFolder({ "access.log": `${text(3)}${"x".repeat(300_000)}` });
    expect(await pageviews(logs)).toBe(3);
    appendFileSync(path("access.log"), `${"x".repeat(300_000)}\n${text(2, 3)}`);
    expect(await pageviews(logs)).toBe(5);
    expect(logs.contents()).toMatchObject([{ lines: 6, tooLong: 1, unreadable: 0 }]);
  });
});

describe("a log that grows", () => {
  it("is read on, and its last line once it is complete", async () => {
    const [a = "", b = ""] = lines(2);
    const { logs, path } = openFolder({ "access.log": `${a}\n${b.slice(0, 90)}` });
    expect(await pageviews(logs)).toBe(1);
    appendFileSync(path("access.log"), b.slice(90));
    expect(await pageviews(logs)).toBe(1);
    appendFileSync(path("access.log"), `\n${text(3, 2)}`);
    expect(await pageviews(logs)).toBe(5);
    expect(addUp(logs)).toEqual({ lines: 5, kinds: 5 });
  });

  it("has no request before its first line is complete", async () => {
    const { logs } = openFolder({ "access.log": lines(1).join("") });
    await expect(logs.source.sites()).rejects.toThrow("The logs are empty.");
  });

  it("whose first line is incomplete is read once it is complete", async () => {
    const [a = ""] = lines(1);
    const { logs, path } = openFolder({ "access.log": a.slice(0, -20), "access.log.1": text(2, 1) });
    expect(await pageviews(logs)).toBe(2);
    appendFileSync(path("access.log"), `${a.slice(-20)}\n`);
    expect(await pageviews(logs)).toBe(3);
  });

  it("with columns that changed is read on by the last", async () => {
    const { logs, path } = openFolder({
      "u_ex.log": joinLines(
        "#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent)",
        "2026-11-21 03:00:00 192.0.2.1 GET /a 200 Mozilla/5.0+(X11)+Firefox/145.0",
        "#Fields: date time cs-uri-stem cs-method c-ip sc-status cs(User-Agent)",
        "2026-11-21 03:01:00 /b GET 192.0.2.1 200 Mozilla/5.0+(X11)+Firefox/145.0",
      ),
    });
    expect(await pageviews(logs)).toBe(2);
    appendFileSync(
      path("u_ex.log"),
      "2026-11-21 03:02:00 /c GET 192.0.2.1 200 Mozilla/5.0+(X11)+Firefox/145.0\n",
    );
    expect((await logs.rows("pages")).map(([value]) => value)).toEqual(["/a", "/b", "/c"]);
    expect(logs.contents()).toMatchObject([{ comments: 2, unreadable: 0 }]);
  });
});

describe("rotation", () => {
  it("by renaming", async () => {
    const { logs, path } = openFolder({ "access.log": text(5) });
    expect(await pageviews(logs)).toBe(5);
    appendFileSync(path("access.log"), text(2, 5));
    renameSync(path("access.log"), path("access.log.1"));
    writeFileSync(path("access.log"), text(3, 7));
    expect(await pageviews(logs)).toBe(10);
    // The old writer still had some lines.
    appendFileSync(path("access.log.1"), text(1, 20));
    expect(await pageviews(logs)).toBe(11);
    expect(logs.contents().map((content) => content.path.split("/").at(-1))).toEqual([
      "access.log.1",
      "access.log",
    ]);
  });

  it("by copying and truncating", async () => {
    const { logs, path } = openFolder({ "access.log": text(5) });
    expect(await pageviews(logs)).toBe(5);
    appendFileSync(path("access.log"), text(2, 5));
    copyFileSync(path("access.log"), path("access.log.1"));
    truncateSync(path("access.log"), 0);
    expect(await pageviews(logs)).toBe(7);
    appendFileSync(path("access.log"), text(3, 7));
    expect(await pageviews(logs)).toBe(10);
  });

  it("with compression afterwards", async () => {
    const { logs, path } = openFolder({ "access.log": text(200) });
    expect(await pageviews(logs)).toBe(200);
    renameSync(path("access.log"), path("access.log.1"));
    writeFileSync(path("access.log"), text(1, 300));
    expect(await pageviews(logs)).toBe(201);
    writeFileSync(path("access.log.2.gz"), zlib.gzipSync(text(203)));
    rmSync(path("access.log.1"));
    expect(await pageviews(logs)).toBe(204);
  });
});

describe("the same lines in several files", () => {
  it.each([
    ["a copy", text(5)],
    ["a compressed copy", zlib.gzipSync(text(5))],
    ["the beginning", text(2)],
    ["the compressed beginning", zlib.gzipSync(text(2))],
  ])("count once: %s", async (_, second) => {
    for (const names of [
      ["a.log", "b.log"],
      ["b.log", "a.log"],
    ] as const) {
      const { logs } = openFolder({ [names[0]]: text(5), [names[1]]: second });
      expect(await pageviews(logs)).toBe(5);
      expect(addUp(logs)).toEqual({ lines: 5, kinds: 5 });
    }
  });

  it("count once also in long files", async () => {
    const { logs } = openFolder({ "a.log": text(300), "b.log": text(100), "c.log": text(299) });
    expect(await pageviews(logs)).toBe(300);
  });

  it("a link is the file that it names", async () => {
    const { folder, path } = createLogFolder({ "access.log": text(5) });
    symlinkSync(path("access.log"), path("current.log"));
    const logs = openTestLogs({ logs: [folder, path("current.log")] });
    expect(await pageviews(logs)).toBe(5);
    expect([...logs.registry.leftOut]).toEqual([]);
  });
});

describe("files that begin alike and go on differently", () => {
  const first = lines(1).join("");
  const one = joinLines(first, ...lines(100, 1));
  const other = (count: number) => joinLines(first, ...lines(count, 200));

  it.each([1, 3, 300])("count both: %i other lines", async (count) => {
    const { logs } = openFolder({ "a.log": one, "b.log": other(count) });
    expect(await pageviews(logs)).toBe(101 + 1 + count);
    expect(addUp(logs).lines).toBe(102 + count);
  });

  it("are both read on, also under other names", async () => {
    const { logs, path } = openFolder({ "a.log": one, "b.log": other(3) });
    expect(await pageviews(logs)).toBe(105);
    appendFileSync(path("b.log"), text(2, 400));
    expect(await pageviews(logs)).toBe(107);
    renameSync(path("b.log"), path("b.log.1"));
    appendFileSync(path("b.log.1"), text(1, 500));
    appendFileSync(path("a.log"), text(1, 600));
    expect(await pageviews(logs)).toBe(109);
  });
});

describe("what is no access log", () => {
  it("is left out, with the reason", async () => {
    const { logs, path } = openFolder({
      "access.log": text(3),
      "error.log": "2026/11/21 05:05:10 [error] 7#7: *1 open() failed\n",
      "notes.txt": 'Dear "diary",\n',
      "empty.log": "",
    });
    expect(await pageviews(logs)).toBe(3);
    expect([...logs.registry.leftOut]).toEqual([
      [path("error.log"), { reason: "is an error log" }],
      [path("notes.txt"), { reason: "is in no known format; its first line is 'Dear \"diary\",'" }],
    ]);
  });

  it.each([
    ["only empty files", { "access.log": "" }, "The logs are empty."],
    ["only an error log", { "error.log": "2026/11/21 05:05:10 [error] x\n" }, "is an error log"],
  ])("alone is an error: %s", async (_, files, message) => {
    const { logs } = openFolder(files);
    await expect(pageviews(logs)).rejects.toThrow(message);
  });

  it.each([
    [
      "web.log",
      ["web.log.1", "web.log.2"],
      /^Beside web.log, 2 older files .* too: --logs '\S*\/web\.log\*'$/,
    ],
    ["web.log", ["web.log.1"], /^Beside web.log, 1 older file of the same log is not read\. /],
    ["web.log", ["other.log", "web.logs"], /^If the site is new/],
    ["web.log*", ["web.log.1"], /^If the site is new/],
    ["", ["web.log.1"], /^If the site is new/],
  ])("advises on a pattern with earlier files where %j is none beside %j", async (glob, others, hint) => {
    const files = Object.fromEntries(["web.log", ...others].map((name) => [name, ""]));
    const { logs } = openFolder(files, glob);
    await expect(pageviews(logs)).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
  });

  it("becomes one when its first line is written", async () => {
    const { logs, path } = openFolder({ "access.log": "" });
    await expect(pageviews(logs)).rejects.toThrow("empty");
    appendFileSync(path("access.log"), text(1));
    expect(await pageviews(logs)).toBe(1);
  });
});

describe("a log that begins with lines that cannot be read", () => {
  const strange = joinLines(...Array.from({ length: 60 }, (_, index) => `%% ${index} was not a request %%`));
  const explain = async (log: string, logFormat?: string) => {
    const { path } = createLogFolder({ "access.log": log });
    const said = await openTestLogs({ logs: [path("access.log")], logFormat })
      .count()
      .catch((refusal: AnalyticsError) => `${refusal.message} ${refusal.hint}`);
    return typeof said === "string" ? said : said.pageviews;
  };

  it("is read from the first one in the format that was asked for", async () => {
    expect(await explain(strange + text(7), "combined")).toBe(7);
  });

  it("is said to begin so, with the next step", async () => {
    expect(await explain(strange + text(7))).toMatch(
      /begins with 50 lines in no known format; .*If its later lines have a known format, name it with --log-format\./,
    );
  });

  it("is not sent back to the format that was left out", async () => {
    const other = await explain(strange, "combined");
    expect(other).toContain("has no request in the format combined");
    expect(other).not.toContain("Leave out");
    expect(await explain(text(7), "json")).toContain("Leave out --log-format to have the format recognized");
  });
});

describe("which files", () => {
  it("a folder means the files in it, without those in folders", async () => {
    const { folder, path } = createLogFolder({ "a.log": text(2), "b[1].log": text(3, 2) });
    mkdirSync(path("old"));
    writeFileSync(path("old/c.log"), text(1, 9));
    expect(await pageviews(openTestLogs({ logs: [folder] }))).toBe(5);
    // Brackets in a name that exists are no pattern.
    expect(await pageviews(openTestLogs({ logs: [path("b[1].log")] }))).toBe(3);
    expect(await pageviews(openTestLogs({ logs: [path("**/*.log")] }))).toBe(6);
  });

  it.each([
    ["a name", "missing.log"],
    ["a pattern", "missing*.log"],
    ["a folder's", "missing/access.log"],
  ])("%s that is not there is an error that says so", async (_, name) => {
    const { path } = createLogFolder({ "a.log": text(1) });
    const logs = openTestLogs({ logs: [path(name)] });
    await expect(pageviews(logs)).rejects.toMatchObject({ code: "usage", message: /No log file matches/ });
  });

  it.each([
    ["a file", "logs/access.log", "logs/access.log"],
    ["a file in a folder", "logs/access.log", "logs"],
    ["a pattern in a folder", "logs/access.log*", "logs"],
    ["a folder", "logs", "logs"],
  ])("%s that may not be read is an error", async (_, glob, closed) => {
    const { folder, path } = createLogFolder();
    mkdirSync(path("logs"));
    writeFileSync(path("logs/access.log"), text(1));
    for (const each of [dirname(folder), folder, path("logs")]) chmodSync(each, 0o755);
    chmodSync(path(closed), 0);
    await asNobody(async () => {
      await expect(pageviews(openTestLogs({ logs: [path(glob)] }))).rejects.toMatchObject({
        code: "usage",
        message: expect.stringMatching(/cannot be read: .*permission/i),
        hint: "To read it, run as a user who may.",
      });
    });
    chmodSync(path(closed), 0o755);
  });

  it.each([
    [
      "/var/log/nginx/access.log",
      'To read it, join the group that may: sudo usermod -aG adm "$USER", and log in again.',
    ],
    ["/srv/logs/access.log", "To read it, run as a user who may."],
  ])("%s that is hidden belongs to the group adm only if it is a log of the system", (path, hint) => {
    expect(createUnreadableError(path, { code: "EACCES" })).toMatchObject({ hint });
  });

  it.runIf(process.getuid?.() === 0)("a file that a group may read says which one", () => {
    const { path } = createLogFolder({ "access.log": text(1) });
    const explain = () => createUnreadableError(path("access.log"), { code: "EACCES" }).hint;
    const [, group] = /^((?!root)[^:]+):[^:]*:12:/m.exec(readFileSync("/etc/group", "utf8")) ?? [];
    chownSync(path("access.log"), 0, 12);
    chmodSync(path("access.log"), 0o640);
    expect(explain()).toContain(`sudo usermod -aG ${group} `);
    chmodSync(path("access.log"), 0o600);
    expect(explain()).toBe("To read it, run as a user who may.");
  });

  it("standard input is one of them, and complete", async () => {
    const { path } = createLogFolder({ "access.log": text(3) });
    const chunks = [zlib.gzipSync(text(2, 3)), zlib.gzipSync(text(2, 5).trimEnd())];
    const stdin = createReplay(() => Readable.from(chunks));
    const logs = openTestLogs({ logs: [path("access.log"), "-"] }, { stdin });
    expect(await pageviews(logs)).toBe(7);
    expect(await pageviews(logs)).toBe(7);
  });

  it("a long log may come through standard input", async () => {
    // More bytes than are kept to be read again.
    const long = joinLines(combined({ target: `/?${"x".repeat(1_800)}` }));
    const chunks = Array.from({ length: 170 }, () => Buffer.from(long.repeat(30)));
    const stdin = createReplay(() => Readable.from(chunks));
    const logs = openTestLogs({ logs: ["-"] }, { stdin });
    await logs.source.sites();
    expect(logs.outcomes()).toEqual({ page_view: 5_100 });
    expect(logs.contents()).toMatchObject([{ path: "-", lines: 5_100, unreadable: 0 }]);
  });
});
