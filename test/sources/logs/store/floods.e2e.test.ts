import { createHash } from "node:crypto";
import { statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { spawnSync } from "../../../support/child-process.js";
import { combined, LOG_NOW, type Request } from "../../../support/logs.ts";
import { pick } from "../../../support/seed.ts";
import { createLogPlace } from "../log-place.ts";
import { listFiles } from "./history-files.ts";

/** More than the user agents that a day keeps of one address. */
const LINES = 11_000;
const LONG = "0123456789abcdef/".repeat(64);

/** The bytes of the history while the day is open, and when it is closed. */
async function measure(makeRequest: (number: number) => Request) {
  const place = createLogPlace();
  place.clock.now = LOG_NOW;
  const lines = Array.from({ length: LINES }, (_, number) =>
    combined({ at: LOG_NOW - 7_200_000 + 300 * number, ...makeRequest(number) }),
  );
  place.write("access.log", lines);
  const ask = async () => {
    const source = await place.open({ acceptProxyAddresses: true });
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    const days = await source.days({ site, from: "2026-11-21", to: "2026-11-21", now: place.clock.now });
    const size = listFiles(place.history()).reduce((sum, path) => sum + statSync(path).size, 0);
    return { size, pageviews: days[0]?.pageviews };
  };
  try {
    const open = await ask();
    place.clock.now += 3 * 86_400_000;
    const closed = await ask();
    expect([open.pageviews, closed.pageviews]).toEqual([LINES, LINES]);
    return { open: open.size, closed: closed.size };
  } finally {
    place.remove();
  }
}

/** Numbers in an order that repeats only after all of them. */
const scatter = (number: number, below: number) => (number * 7_919) % below;

const addressOf = (number: number) => `10.${number % 20}.${Math.floor(number / 20) % 250}.1`;

const describeHonest = (number: number): Request => ({
  address: addressOf(scatter(number, 4_999)),
  target: `/blog/2026/article-number-${scatter(number, 4_001)}`,
  referrer: number % 3 === 0 ? `https://site${scatter(number, 293)}.example/x` : "-",
});

it("floods of one sender, and of user agents, are no larger on disk than two honest logs of as many lines", async () => {
  const honest = await measure(describeHonest);
  const floods: [string, (number: number) => Request][] = [
    ["paths of one sender", (number) => ({ target: `/${number}/${LONG}` })],
    ["referrers of one sender", (number) => ({ referrer: `https://h${number}.example/${LONG}` })],
    ["campaigns of one sender", (number) => ({ target: `/?utm_campaign=${number}-${LONG}` })],
    [
      "user agents of one address",
      (number) => ({ agent: `Mozilla/5.0 (X11; Linux) Gecko/20100101 Firefox/${number}.0 ${LONG}` }),
    ],
    [
      "user agents of many",
      (number) => ({
        address: addressOf(number),
        agent: `Mozilla/5.0 (X11; Linux) Gecko/20100101 Firefox/${number}.0 ${LONG}`,
      }),
    ],
  ];
  for (const [name, make] of pick(floods, 1)) {
    const found = await measure(make);
    expect(found.open, name).toBeLessThanOrEqual(2 * honest.open);
    expect(found.closed, name).toBeLessThanOrEqual(2 * honest.closed);
  }
});

/** What a process has used: the most memory, in kilobytes, and processor time in seconds. */
const USED =
  'process.on("exit", () => { const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage(); ' +
  "console.error(JSON.stringify({ memory: maxRSS, seconds: (userCPUTime + systemCPUTime) / 1e6 })); });";

const MANY_LINES = 50_000;

/** More characters than are kept, which cannot be compressed. */
const makeNoise = (number: number) =>
  createHash("shake256", { outputLength: 450 }).update(String(number)).digest("base64url").toLowerCase();

/** What a large log of an open day costs the program itself: its first reading, and each answer after a new line. */
function measureProgram(makeRequest: (number: number) => Request) {
  const place = createLogPlace();
  const hook = join(place.folder, "used.cjs");
  writeFileSync(hook, USED);
  const lineOf = (number: number) =>
    combined({ at: LOG_NOW - 7_200_000 + 40 * number, ...makeRequest(number) });
  let lines = 0;
  const append = (count: number) => {
    place.append(
      "access.log",
      Array.from({ length: count }, () => lineOf(lines++)),
    );
  };
  const ask = () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        ...[
          "--require",
          hook,
          "--import",
          resolve("test/support/fixed-clock.js"),
          "bin/analytics-mcp.js",
          "stats",
        ],
        ...["--logs", join(place.folder, "www", "access.log"), "--site", "example.com", "--timezone", "UTC"],
        ...["--accept-proxy-addresses", "--period", "2026-11-21/2026-11-21", "--json"],
      ],
      { encoding: "utf8", env: { ...place.environment, TEST_NOW: String(LOG_NOW) } },
    );
    expect(status, stderr).toBe(0);
    expect(JSON.parse(stdout).pageviews).toBe(lines);
    const used: { memory: number; seconds: number } = JSON.parse(stderr.trim().split("\n").at(-1) ?? "");
    return used;
  };
  while (lines < MANY_LINES) append(10_000);
  const firstMemory = ask().memory;
  const askAgain = () => {
    append(1);
    return ask();
  };
  const next = askAgain();
  const history = join(place.environment.XDG_STATE_HOME ?? "", "analytics-mcp");
  const disk = listFiles(history).reduce((sum, path) => sum + statSync(path).size, 0);
  return {
    disk,
    firstMemory,
    nextMemory: next.memory,
    nextSeconds: next.seconds,
    askAgain,
    remove: place.remove,
  };
}

/** How often both are asked again, by turns, before one counts as dearer: other programs slow down either. */
const MAX_TURNS = 4;

describe("a flood of many senders takes no more memory, disk and time than two honest logs of as many lines", () => {
  let honest: ReturnType<typeof measureProgram>;
  beforeAll(() => {
    honest = measureProgram(describeHonest);
  });
  afterAll(() => honest.remove());

  const floods: [string, (number: number) => Request][] = [
    [
      "user agents of one address, with other paths",
      (number) => ({
        target: `/${makeNoise(number)}`,
        agent: `Mozilla/5.0 (X11; Linux) Gecko/20100101 Firefox/${number}.0`,
      }),
    ],
    [
      "referrers and campaigns of many addresses",
      (number) => ({
        ...describeHonest(number),
        target: `/?utm_campaign=${makeNoise(number)}`,
        referrer: `https://h${number}.example/`,
      }),
    ],
  ];
  it.each(pick(floods, 1))("%s", (_, describeFlood) => {
    const flood = measureProgram(describeFlood);
    onTestFinished(flood.remove);
    for (const cost of ["disk", "firstMemory", "nextMemory"] as const)
      expect(flood[cost], cost).toBeLessThanOrEqual(2 * honest[cost]);
    let ratio = flood.nextSeconds / honest.nextSeconds;
    for (let turn = 0; turn < MAX_TURNS && ratio > 2; turn++)
      ratio = Math.min(ratio, flood.askAgain().seconds / honest.askAgain().seconds);
    expect(ratio, "processor time").toBeLessThanOrEqual(2);
  });
});
