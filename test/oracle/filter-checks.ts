import { expect } from "vitest";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { type Asked, type Body, bare, type Choose, chooseName, pick } from "./checks.ts";
import { complement, escapeText, keepsHits, listConditions } from "./conditions.ts";
import {
  dimensions,
  expectBreakdown,
  expectHours,
  expectRealtime,
  expectSeries,
  expectStats,
} from "./expected.ts";

/** The contract lists these values: others are refused, unless they are part of a pattern. */
const LISTED: { [name in Dimension]?: readonly string[] } = {
  channels: ["Direct", "Referral", "AI assistants", "Email"],
  devices: ["desktop", "mobile"],
};
/** Of these it knows what they look like. */
const FORMED: readonly Dimension[] = ["countries", "regions", "languages"];
const UNKNOWN = "nobody has this";

/** Draws what a condition looks for: a value that the site has, a pattern, no value at all, or one that nobody has. */
function chooseAlternative(dimension: Dimension, values: readonly (string | null)[], choose: Choose): string {
  const value = pick(choose, values.length > 0 ? values : [null]);
  if (value === null || choose(8) === 0) return "";
  const listed = LISTED[dimension];
  if (listed === undefined && !FORMED.includes(dimension) && choose(12) === 0) return UNKNOWN;
  if ((listed?.includes(value) ?? true) && choose(2) === 0) return escapeText(value);
  const characters = [...value];
  const at = choose(characters.length + 1);
  const [head, tail] = [characters.slice(0, at), characters.slice(at)].map((part) =>
    escapeText(part.join("")),
  );
  // The last one does not match the value: no character is matched twice.
  const whole = escapeText(value);
  return pick(choose, [
    `${head}*`,
    `*${tail}`,
    `${head}*${tail}`,
    `*${head}**`,
    `${head}*${tail}*`,
    `${whole}*${tail}`,
  ]);
}

/** Draws one to three conditions on some dimensions. */
function chooseFilter(
  { counts: [count], now }: Asked,
  days: number,
  choose: Choose,
  among = dimensions,
): string[] {
  return Array.from({ length: 1 + choose(3) }, () => {
    const dimension = pick(choose, among);
    const values = count.rows(now, count.days(now, days), dimension).map(({ value }) => value);
    const canBeOfVisit = ["pages", "hostnames", "events"].includes(dimension);
    const name = `${canBeOfVisit && choose(3) === 0 ? "visit:" : ""}${dimension}`;
    const alternatives = Array.from({ length: 1 + choose(3) }, () =>
      chooseAlternative(dimension, values, choose),
    );
    return `${name}${pick(choose, ["=", "=", "!="])}${alternatives.join("|")}`;
  });
}

/** Which of several ways to write the same conditions an answer has is not compared. */
function normalize({ filter, ...body }: Body) {
  return { ...bare(body), ...(filter !== undefined && { filter: listConditions(filter as string[]) }) };
}

/** Calls the endpoints with conditions, about the first of some sites. Returns the number of compared answers. */
export async function checkFiltered(asked: Asked, choose: Choose): Promise<number> {
  const { surfaces, counts, labels, now } = asked;
  const [count] = counts;
  const site = chooseName(choose, count.site);
  const days = pick(choose, [1, 2, 3, 7, 1 + choose(40), 90]);
  const filter = chooseFilter(asked, days, choose);
  const ask = (path: string, params: object): Promise<Body> => surfaces.api(path, params);
  const check = async (path: string, given: object, right: { json: Body }) => {
    const params = { filter, ...given };
    expect(normalize(await ask(path, params)), JSON.stringify(params)).toEqual(normalize(right.json));
  };
  const ranked = { dimension: pick(choose, dimensions), limit: pick(choose, [1, 3, 1000]), days };
  await check("/stats", { site, days }, expectStats(count, now, days, filter));
  await check("/timeseries", { site, days }, expectSeries(count, now, days, filter));
  const few = 1 + choose(7);
  await check(
    "/timeseries",
    { site, days: few, interval: "hour" },
    { json: expectHours(count, now, few, filter) },
  );
  await check("/breakdown", { site, ...ranked }, expectBreakdown(count, labels, now, ranked, filter));
  // Later hits of the day change what a visit is judged by.
  const open = chooseFilter(asked, 1, choose, ["exit_pages", "events"]);
  for (const only of [filter, open]) {
    await check("/realtime", { site, filter: only }, expectRealtime(count, now, only));
  }
  return 6 + (await checkComplement((only) => ask("/stats", { site, days, filter: only }), filter, choose));
}

/** What a condition keeps and what it leaves out is everything that the other conditions keep. */
async function checkComplement(
  ask: (filter: readonly string[]) => Promise<Body>,
  filter: readonly string[],
  choose: Choose,
): Promise<number> {
  const at = choose(filter.length);
  const [condition = "", ...rest] = [...filter.slice(at), ...filter.slice(0, at)];
  const [kept, left, both] = [
    await ask([condition, ...rest]),
    await ask([complement(condition), ...rest]),
    await ask(rest),
  ];
  // Several hits of a visit may be on both sides.
  const members = [
    "pageviews",
    "events",
    ...(keepsHits(condition) ? [] : ["visits", "bounces", "visit_seconds"]),
  ];
  for (const member of members) {
    expect(Number(kept[member]) + Number(left[member]), `${member} of ${filter}`).toBe(both[member]);
  }
  return 3;
}
