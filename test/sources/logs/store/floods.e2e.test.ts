import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { combined, LOG_NOW, type Request } from "../../../support/logs.ts";
import { createLogPlace } from "../log-place.ts";
import { listFiles } from "./history-files.ts";

const LINES = 20_000;
const LONG = "0123456789abcdef/".repeat(64);

/** The bytes of the history while the day is open, and when it is closed. */
async function measure(describe: (number: number) => Request) {
  const place = createLogPlace();
  place.clock.now = LOG_NOW;
  const lines = Array.from({ length: LINES }, (_, number) =>
    combined({ at: LOG_NOW - 7_200_000 + 300 * number, ...describe(number) }),
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

it("floods of one sender, and of user agents, are no larger on disk than two honest logs of as many lines", async () => {
  const honest = await measure((number) => ({
    address: addressOf(scatter(number, 4_999)),
    target: `/blog/2026/article-number-${scatter(number, 4_001)}`,
    referrer: number % 3 === 0 ? `https://site${scatter(number, 293)}.example/x` : "-",
  }));
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
  for (const [name, make] of floods) {
    const found = await measure(make);
    expect(found.open, name).toBeLessThanOrEqual(2 * honest.open);
    expect(found.closed, name).toBeLessThanOrEqual(2 * honest.closed);
  }
});
