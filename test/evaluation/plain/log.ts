import { CHROME, combined, FIREFOX, joinLines, LOG_NOW } from "../../support/logs.ts";

/** A request in the log of a small blog. */
interface Request {
  at: number;
  address: string;
  path: string;
  status: number;
  referrer: string | null;
  agent: string;
}

const DAY = 86_400_000;
const MINUTE = 60_000;
const GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";
const PAGES = ["/", "/posts/fast", "/posts/slow", "/about", "/subscribe"];
const DAYS = 70;

const midnightOf = (at: number) => at - (at % DAY);
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** What readers, a crawler and a failing server left in it, until now. */
function makeRequests(): Request[] {
  const requests: Request[] = [];
  for (let ago = DAYS; ago >= 0; ago--) {
    const midnight = midnightOf(LOG_NOW) - ago * DAY;
    const weekday = new Date(midnight).getUTCDay();
    const readers = weekday === 0 || weekday === 6 ? 5 + (ago % 3) : 11 + (ago % 4);
    for (let reader = 1; reader <= readers; reader++) {
      const page = (index: number) => PAGES[(reader + index + ago) % PAGES.length] ?? "/";
      const visit = (at: number, pages: number, referrer: string | null) => {
        for (let index = 0; index < pages; index++)
          requests.push({
            at: at + index * (1 + (reader % 3)) * MINUTE,
            address: `192.0.2.${reader}`,
            path: page(index),
            status: 200,
            referrer: index === 0 ? referrer : "https://blog.example/",
            agent: reader % 2 === 0 ? FIREFOX : CHROME,
          });
      };
      const from = ["https://www.google.com/", "https://news.ycombinator.com/item?id=1", null, null][
        reader % 4
      ];
      const begin = midnight + (3 + reader) * 60 * MINUTE + reader * MINUTE;
      visit(begin, 1 + (reader % 3), from ?? null);
      // Some come back in the afternoon.
      if (reader % 5 === 0) visit(begin + 300 * MINUTE, 2, null);
      if (reader === 3)
        requests.push({
          ...{ at: begin + 20 * MINUTE, address: "192.0.2.3", path: "/old-post", status: 404 },
          ...{ referrer: "https://blog.example/about", agent: CHROME },
        });
    }
    for (let index = 0; index < 3 + (ago % 2); index++)
      requests.push({
        ...{ at: midnight + (60 + index) * MINUTE, address: "198.51.100.7", path: PAGES[index] ?? "/" },
        ...{ status: 200, referrer: null, agent: GPTBOT },
      });
  }
  // Yesterday afternoon many came from one link, until the server failed.
  const yesterday = midnightOf(LOG_NOW) - DAY;
  for (let reader = 0; reader < 40; reader++) {
    const hit = {
      address: `203.0.113.${reader}`,
      path: "/posts/fast",
      referrer: "https://news.ycombinator.com/item?id=2",
      agent: FIREFOX,
    };
    requests.push({ ...hit, at: yesterday + (14 * 60 + reader) * MINUTE, status: 200 });
    if (reader >= 25) requests.push({ ...hit, at: yesterday + (14 * 60 + reader + 1) * MINUTE, status: 503 });
  }
  return requests.filter(({ at }) => at <= LOG_NOW).sort((a, b) => a.at - b.at);
}

const requests = makeRequests();

export const LOG = joinLines(
  ...requests.map(({ at, address, path, status, referrer, agent }) =>
    combined({ at, address, target: path, status, referrer: referrer ?? "-", agent }),
  ),
);

type Keep = (request: Request) => boolean;
const isView: Keep = ({ status, agent }) => status === 200 && agent !== GPTBOT;

/** Days that end so many days ago: 0 is today. */
export const daysAgo = (first: number, last = first): string[] =>
  Array.from({ length: first - last + 1 }, (_, index) => dateOf(LOG_NOW - (first - index) * DAY));

const hostOf = (referrer: string | null) =>
  referrer === null ? null : new URL(referrer).hostname.replace(/^www\./, "");

/** The numbers of the log, by looking at each request. */
export const counted = {
  requests: (dates: readonly string[], keep: Keep) =>
    requests.filter((request) => dates.includes(dateOf(request.at)) && keep(request)).length,
  bot: ({ agent }: Request) => agent === GPTBOT,
  views: (dates: readonly string[], keep: Keep = () => true) =>
    counted.requests(dates, (request) => isView(request) && keep(request)),
  /** Each counts once a day. */
  visitors: (dates: readonly string[], keep: Keep = () => true) =>
    dates.reduce((sum, date) => {
      const own = requests.filter(
        (request) => dateOf(request.at) === date && isView(request) && keep(request),
      );
      return sum + new Set(own.map(({ address }) => address)).size;
    }, 0),
  /** Views of the same visitor and day, each at most half an hour after the one before. */
  visits: (dates: readonly string[]): Request[][] => {
    const all: Request[][] = [];
    for (const request of requests.filter((each) => isView(each) && dates.includes(dateOf(each.at)))) {
      const open = all.findLast(
        ([first]) => first?.address === request.address && dateOf(first.at) === dateOf(request.at),
      );
      const last = open?.at(-1);
      if (open && last && request.at - last.at <= 30 * MINUTE) open.push(request);
      else all.push([request]);
    }
    return all;
  },
  /** Visitors of visits that came from a host. */
  from: (dates: readonly string[], host: string | null) =>
    dates.reduce((sum, date) => {
      const came = counted.visits([date]).filter(([first]) => hostOf(first?.referrer ?? null) === host);
      return sum + new Set(came.map(([first]) => first?.address)).size;
    }, 0),
  hour: (at: number) => new Date(at).getUTCHours(),
  /** Within five minutes. */
  active: () =>
    new Set(
      requests.filter((each) => isView(each) && each.at > LOG_NOW - 5 * MINUTE).map(({ address }) => address),
    ).size,
};
