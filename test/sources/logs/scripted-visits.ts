import { request } from "node:http";

/** One request of the script, and what it counts as. */
export interface Visit {
  /** The last byte of the visitor's address. */
  from: number;
  agent: keyof typeof agents;
  host?: string;
  path: string;
  headers?: Record<string, string>;
  method?: string;
  /** What the server must answer. */
  status: number;
  /** `prefetch` is a page view where the log does not have the header. */
  as: "page" | "prefetch" | "download" | "crawler" | "bot" | "nothing";
}

const agents = {
  chrome:
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36",
  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
  GPTBot:
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  uptime: "curl/8.5.0",
};

export const MAIN = "example.com";
export const BLOG = "blog.example.com";

/** The files that the servers have. */
export const content: Record<string, string> = {
  "index.html": "<h1>Welcome</h1>",
  "about/index.html": "<h1>About</h1>",
  "docs/guide.html": "<h1>Guide</h1>",
  "style.css": "h1 { color: teal }",
  "logo.png": "not really a picture",
  "paper.pdf": "%PDF-1.4",
};

/** What happens in each part of the script: new visitors, and some who were there before. */
export function writeScript(part: number): Visit[] {
  const visitor = 20 + part;
  const google = { referer: "https://www.google.com/" };
  const browse: Visit[] = [
    { from: visitor, agent: "chrome", path: "/", headers: google, status: 200, as: "page" },
    { from: visitor, agent: "chrome", path: "/style.css", status: 200, as: "nothing" },
    { from: visitor, agent: "chrome", path: "/logo.png?v=2", status: 200, as: "nothing" },
    { from: visitor, agent: "chrome", path: "/about/?utm_source=mail", status: 200, as: "page" },
    // The same address with another browser is another visitor.
    { from: visitor, agent: "firefox", path: "/docs/guide.html", status: 200, as: "page" },
    { from: visitor, agent: "firefox", path: "/paper.pdf", status: 200, as: "download" },
    // They come back in each part, and count once.
    { from: 7, agent: "iphone", path: "/", status: 200, as: "page" },
    { from: 7, agent: "iphone", path: `/missing/${part}`, status: 404, as: "nothing" },
    { from: 7, agent: "iphone", path: "/", method: "HEAD", status: 200, as: "nothing" },
    { from: 7, agent: "iphone", path: "/about", status: 301, as: "nothing" },
    { from: 8, agent: "iphone", host: BLOG, path: "/", status: 200, as: "page" },
    { from: visitor, agent: "iphone", host: BLOG, path: "/about/", status: 200, as: "page" },
  ];
  const prefetch = { "sec-purpose": "prefetch" };
  const programs: Visit[] = [
    { from: 9, agent: "chrome", path: "/about/", headers: prefetch, status: 200, as: "prefetch" },
    { from: 30, agent: "GPTBot", path: "/", status: 200, as: "crawler" },
    { from: 30, agent: "GPTBot", path: `/missing/${part}`, status: 404, as: "crawler" },
    { from: 31, agent: "uptime", path: "/", status: 200, as: "bot" },
    // A scanner with a browser's name.
    { from: 66, agent: "firefox", path: "/", status: 200, as: "nothing" },
    ...["/wp-login.php", "/.env", "/.git/config"].map(
      (path): Visit => ({ from: 66, agent: "firefox", path, status: 404, as: "nothing" }),
    ),
  ];
  return [...browse, ...programs];
}

/** The address of a visitor: their own on this machine, or as the proxy in front of the server passes it on. */
const addressOf = (from: number, isForwarded: boolean) => `${isForwarded ? "203.0.113" : "127.0.0"}.${from}`;

interface SendOptions {
  port: number;
  /** All connections come from one address, with the visitor's at the end of X-Forwarded-For. */
  isForwarded: boolean;
  headers?: Record<string, string>;
}

/** Sends the requests one after the other. Throws if an answer is not what the script says. */
export async function send(visits: readonly Visit[], options: SendOptions): Promise<void> {
  for (const visit of visits) {
    const status = await sendOne(visit, options);
    // Caddy redirects with 308.
    if ((status === 308 ? 301 : status) !== visit.status) throw new Error(`${visit.path}: ${status}`);
  }
}

function sendOne(visit: Visit, { port, isForwarded, headers }: SendOptions): Promise<number | undefined> {
  const { from, agent, path, method = "GET", host = MAIN } = visit;
  const address = addressOf(from, isForwarded);
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: false,
        localAddress: isForwarded ? "127.0.0.1" : address,
        headers: {
          ...headers,
          ...visit.headers,
          host: `${host}:${port}`,
          "user-agent": agents[agent],
          // The first address is the visitor's own claim.
          ...(isForwarded && { "x-forwarded-for": `198.51.100.1, ${address}` }),
        },
      },
      (answer) => answer.resume().on("end", () => resolve(answer.statusCode)),
    );
    sent.on("error", reject).end();
  });
}

export interface Counts {
  visitors: number;
  pageviews: number;
  events: number;
  /** Page views by path. */
  pages: Record<string, number>;
  /** Visitors that Google sent. */
  google: number;
  /** Requests by crawler. */
  crawlers: Record<string, number>;
}

/** What the requests that were sent to a site count as. */
export function countSent(visits: readonly Visit[], counted: readonly Visit["as"][]): Counts {
  const views = visits.filter(({ as }) => counted.includes(as));
  const who = ({ from, agent }: Visit) => `${from} ${agent}`;
  const visitors = new Set(views.map(who));
  const downloads = visits.filter((visit) => visit.as === "download" && visitors.has(who(visit)));
  const fromGoogle = views.filter(({ headers }) => headers?.referer?.includes("google"));
  return {
    visitors: visitors.size,
    pageviews: views.length,
    events: downloads.length,
    pages: tally(views.map(({ path }) => path.replace(/\?.*/, ""))),
    google: new Set(fromGoogle.map(who)).size,
    crawlers: tally(
      visits.flatMap(({ as, agent }) => (as === "crawler" ? [agent] : as === "bot" ? ["null"] : [])),
    ),
  };
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
