import { setTimeout as wait } from "node:timers/promises";
import { type FaultyServer, send, startServer } from "./faulty-server.ts";

export const PLAUSIBLE_KEY = "plausible-key-of-acme-0123";

/** A server with the part of Plausible's API that setting up needs: two sites in Berlin, with one visitor each. */
export async function startSmallPlausible(
  sites = ["example.com", "shop.example"],
  delay = 0,
): Promise<FaultyServer> {
  const json = { "content-type": "application/json" };
  return startServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (delay > 0) await wait(delay);
    const { site_id, dimensions = [], date_range } = text === "" ? {} : JSON.parse(text);
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const isQuery = request.method === "POST" && pathname === "/api/v2/query";
    if (!isQuery && pathname !== "/api/v1/stats/realtime/visitors") return send(response, 404, json, "{}");
    const site = site_id ?? searchParams.get("site_id");
    if (request.headers.authorization !== `Bearer ${PLAUSIBLE_KEY}` || !sites.includes(site)) {
      const error = "Missing API key. Please use a valid Plausible API key as a Bearer Token.";
      return send(response, 401, json, JSON.stringify({ error }));
    }
    if (!isQuery) return send(response, 200, json, "1");
    const results =
      dimensions.length === 0
        ? [{ dimensions: [], metrics: [9, 9, 9] }]
        : [{ dimensions: ["2026-11-20", ...dimensions.slice(1)], metrics: [1, 2, 3] }];
    const query = { date_range: showRange(date_range) };
    send(response, 200, json, JSON.stringify({ results, meta: { total_rows: 1 }, query }));
  });
}

/** Plausible says with each answer which time it is about, as the site's clocks show it. */
function showRange(range: string | [string, string]): string[] {
  if (range === "all") return ["2026-11-20T00:00:00+01:00", "2026-11-21T23:59:59+01:00"];
  const [from, to] = range;
  if (from?.includes("T")) return [from, `${to}`];
  const offset = (date = "") => (date.slice(5, 7) === "07" ? "+02:00" : "+01:00");
  return [`${from}T00:00:00${offset(from)}`, `${to}T23:59:59${offset(to)}`];
}
