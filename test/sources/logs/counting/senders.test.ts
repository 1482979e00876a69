import { afterEach, beforeEach, expect, it } from "vitest";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

const makeLines = (addresses: readonly string[], at = NOON - 3_600_000) =>
  addresses.map((address) => combinedLine({ at, address }));

async function countVisitors(): Promise<number | undefined> {
  const source = await place.open();
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const [day] = await source.days({ site, from: "2026-11-21", to: "2026-11-21", now: NOON });
  return day?.visitors;
}

const different = [
  "0.0.0.0",
  "0.0.0.1",
  "1.0.0.0",
  "255.255.255.255",
  "203.0.113.7",
  "203.0.113.70",
  "7.113.0.203",
  // No IPv4 addresses, though nearly.
  "203.0.113.07",
  "256.0.113.7",
  "203.0.113",
  "203.0.113.7.1",
  "203.0.113.",
  "4294967295",
  "host.example.net",
  "2001:db8::1",
  "2001:db8:0:1::1",
  "::1",
];
const alike = ["::ffff:203.0.113.7", "2001:db8::2", "2001:0DB8:0::3"];

it("tells visitors apart by their address, however it is written, also after a restart", async () => {
  // Enough lines for the index to be written.
  const bot = { at: NOON - 3_600_000, agent: "Mozilla/5.0 (compatible; Googlebot/2.1)" };
  const filler = Array<string>(12_000).fill(combinedLine(bot));
  place.write("access.log", [...makeLines(different), ...filler]);
  expect(await countVisitors()).toBe(different.length);
  place.append("access.log", makeLines([...different, ...alike]));
  expect(await countVisitors()).toBe(different.length);
});

it("knows thousands of addresses again, also after a restart", async () => {
  const addresses = Array.from(
    { length: 20_000 },
    (_, index) => `10.${index % 7}.${index >> 8}.${index & 255}`,
  );
  place.write("access.log", makeLines([...addresses, ...addresses]));
  expect(await countVisitors()).toBe(20_000);
  place.append("access.log", makeLines([...addresses, "10.250.0.1"]));
  expect(await countVisitors()).toBe(20_001);
});
