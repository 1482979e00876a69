import { closeSync, openSync, writeSync } from "node:fs";

export interface LogShape {
  lines: number;
  days: number;
  /** About so many (address, agent) a day. */
  visitors: number;
  paths: number;
  /** How many seconds the site's clock is ahead of UTC: on another day, its visitors are others. */
  offset: number;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const DAY = 86_400;
/** Bytes that are written at once. */
const PART = 1_000_000;

const systems = [
  "Windows NT 10.0; Win64; x64",
  "Macintosh; Intel Mac OS X 10_15_7",
  "X11; Linux x86_64",
  "Linux; Android 14; Pixel 8",
];
const browsers = Array.from({ length: 200 }, (_, index) => {
  const version = `${100 + (index >> 2)}.0.${4_000 + index}.0`;
  return `Mozilla/5.0 (${systems[index % 4]}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36`;
});
const bots = [
  "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
  "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
  "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
];
const sections = ["blog", "docs", "products", "help"];
const extensions = ["css", "js", "png", "woff2", "svg"];
const referrers = ["https://www.google.com/", "https://news.example.net/item", "https://duckduckgo.com/"];

/**
 * Writes a log in the combined format whose last line is from `end`, in seconds since 1970; the same one for the same shape
 * and end. Half of its lines are static files, a third are page views.
 *
 * @returns The number of page views.
 */
export function writeLog(path: string, shape: LogShape, end: number, mode: "w" | "a" = "w"): number {
  const { lines, days, visitors, paths, offset } = shape;
  const draw = createDraw(lines);
  const stamp = createStamp();
  const file = openSync(path, mode);
  let [text, pageviews] = ["", 0];
  for (let line = 1; line <= lines; line++) {
    const time = end - Math.floor(((lines - line) * days * DAY) / lines);
    const visitor = draw(visitors);
    const number =
      Math.imul(visitor + 1, 0x9e3779b1) ^ Math.imul(Math.floor((time + offset) / DAY), 0x85ebca6b);
    const kind = draw(100);
    const isBot = kind >= 92;
    const agent = isBot ? bots[kind % bots.length] : browsers[(number >>> 3) % browsers.length];
    const isPage = kind >= 55 && kind < 88;
    if (isPage) pageviews++;
    const address = `${20 + (visitor % 60)}.${number & 255}.${(number >>> 8) & 255}.${(number >>> 16) & 255}`;
    const target = kind < 55 ? writeStatic(draw) : writePage(draw, paths);
    const status = kind >= 88 && kind < 92 ? 404 : 200;
    const referrer = kind % 3 === 0 ? referrers[draw(referrers.length)] : "-";
    text += `${address} - - [${stamp(time)}] "GET ${target} HTTP/1.1" ${status} ${500 + draw(90_000)} "${referrer}" "${agent}"\n`;
    if (text.length < PART && line < lines) continue;
    writeSync(file, text);
    text = "";
  }
  closeSync(file);
  return pageviews;
}

type Draw = (below: number) => number;

const writeStatic = (draw: Draw) =>
  `/assets/chunk-${draw(400)}.${extensions[draw(extensions.length)]}?v=${draw(9)}`;

/** Few pages have most views. */
function writePage(draw: Draw, paths: number): string {
  const page = Math.floor(paths * (draw(1_000_000) / 1_000_000) ** 3);
  return `/${sections[page % sections.length]}/a-title-of-some-words-${page}`;
}

/** Numbers that only look random (xorshift). */
function createDraw(seed: number): Draw {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Most lines are of the same second as the one before. */
function createStamp(): (time: number) => string {
  let [last, text] = [Number.NaN, ""];
  return (time) => {
    if (time === last) return text;
    last = time;
    const [date = "", clock = ""] = new Date(time * 1000).toISOString().split(/[T.]/);
    const [year, month, day] = date.split("-");
    text = `${day}/${MONTHS[Number(month) - 1]}/${year}:${clock} +0000`;
    return text;
  };
}
