import { addDays } from "../../src/operations/days.ts";
import { NOW } from "./api.ts";
import { type FaultyServer, send, startServer } from "./faulty-server.ts";

export const DESCRIBED_KEY = "described-key-of-acme-0123";

interface DescribedOptions {
  /** What `/stats` says beside page views. */
  counts?: Record<string, unknown>;
  /** What each site says beside its id and domain. */
  site?: Record<string, unknown>;
  /** The only numbers of days that it answers for. */
  allowed?: number[];
}

/** A service that keeps the specification in words of its own: an envelope, camel case, and no description. */
export function startDescribedService({
  counts = { uniqueVisitors: 70 },
  site = { tz: "Europe/Berlin" },
  allowed,
}: DescribedOptions = {}): Promise<FaultyServer> {
  const json = { "content-type": "application/json" };
  return startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const refuse = (status: number, message: string) =>
      send(response, status, json, JSON.stringify({ error: { message } }));
    if (request.headers.authorization !== `Bearer ${DESCRIBED_KEY}`) return refuse(401, "Bad key.");
    const days = Number(searchParams.get("days") ?? 30);
    if (searchParams.has("days") && allowed?.includes(days) === false)
      return refuse(400, `days must be one of ${allowed.join(", ")}`);
    const answers: Record<string, unknown> = {
      "/sites": [
        { siteId: 7, host: "acme.example", ...site },
        { siteId: 8, host: "shop.acme.example", ...site },
      ],
      "/stats": { ...counts, pageViews: 20 * days },
      "/timeseries": listDays(days).map((day) => ({ day, uniqueVisitors: 10, pageViews: 20 })),
      "/breakdown": [
        { path: "/", uniqueVisitors: 40, pageViews: 90 },
        { path: "/pricing", uniqueVisitors: 30, pageViews: 50 },
      ],
      "/realtime": { activeNow: 3 },
    };
    const path = pathname.replace("/api/v1", "");
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (answer === undefined) return refuse(404, "No such page");
    if (path !== "/sites" && !["7", "8"].includes(searchParams.get("site") ?? ""))
      return refuse(404, "Unknown site");
    send(response, 200, json, JSON.stringify({ data: answer }));
  });
}

/** A service whose paths answer as they are given. */
export const startAnswers = (answers: Record<string, (query: URLSearchParams) => unknown>) =>
  startServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const answer = new Map(Object.entries(answers)).get(pathname.replace("/api/v1", ""))?.(searchParams);
    const [status, body] = answer === undefined ? [404, { error: "No such page" }] : [200, answer];
    send(response, status, { "content-type": "application/json" }, JSON.stringify(body));
  });

export function listDays(count: number): string[] {
  const today = new Date(NOW).toISOString().slice(0, 10);
  return Array.from({ length: count }, (_, index) => addDays(today, index + 1 - count));
}
