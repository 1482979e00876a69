import { createHash } from "node:crypto";
import { startOfDay } from "../../src/sources/calendar.ts";
import type { Hit, Visit } from "../../src/sources/demo/visits.ts";
import { AGENTS } from "./agents.ts";
import type { SampleDay } from "./sample-visits.ts";

interface Tracked {
  idSite: string;
  /** The zone in which the visits' days begin. */
  timezone: string;
  days: readonly SampleDay[];
}

type Fields = Record<string, string>;

/** Sends visits as a site's pages would, at the times at which they happened. Throws if Matomo does not take all of them. */
export async function sendVisits(
  matomo: { url: string; tokens: { owner: string } },
  { idSite, timezone, days }: Tracked,
): Promise<void> {
  const requests = days.flatMap(({ date, visits }) => {
    const midnight = startOfDay(date, timezone) / 1000;
    return visits.flatMap((visit) => {
      const visitor = describeVisitor(date, visit);
      return visit.hits.map((hit, index) => {
        const at = midnight + hit.at;
        return { at, fields: { ...visitor, ...describeHit(visit, hit, index === 0), cdt: String(at) } };
      });
    });
  });
  const inOrder = requests.sort((a, b) => a.at - b.at).map(({ fields }) => fields);
  await track(matomo, idSite, inOrder);
}

function describeVisitor(date: string, { visitor, place, technology }: Visit): Fields {
  return {
    cid: createHash("sha256").update(`${date} ${visitor}`).digest("hex").slice(0, 16),
    cip: `10.0.${visitor >> 8}.${visitor & 255}`,
    ua: AGENTS[`${technology.browser} ${technology.operating_system} ${technology.device}`] ?? "",
    lang: place.language ?? "",
    country: place.country?.toLowerCase() ?? "",
    region: place.region?.split("-")[1] ?? "",
    city: place.city_label?.split(",")[0] ?? "",
  };
}

function describeHit({ hostname, source }: Visit, { path, event }: Hit, isFirst: boolean): Fields {
  const given = Object.entries(source.utm).filter(([, value]) => isFirst && value !== null);
  const campaign = new URLSearchParams(
    given.map(([key, value]): [string, string] => [`utm_${key}`, `${value}`]),
  );
  const mark = path.includes("?") ? "&" : "?";
  return {
    url: `https://${hostname}${path}${given.length === 0 ? "" : `${mark}${campaign}`}`,
    urlref: isFirst && source.referrer !== null ? `https://${source.referrer}/` : "",
    ...(event !== null && { e_c: "demo", e_a: event }),
  };
}

/** Somebody views a page at this moment, and another one a minute before `now`. */
export const sendView = (
  matomo: { url: string; tokens: { owner: string } },
  idSite: string,
  now: number,
): Promise<void> => {
  const view = { url: "https://example.com/", ua: AGENTS["Firefox Linux desktop"] ?? "" };
  return track(matomo, idSite, [
    { ...view, cid: "b".repeat(16), cdt: `${Math.floor(now / 1000) - 60}` },
    { ...view, cid: "a".repeat(16) },
  ]);
};

async function track(
  { url, tokens }: { url: string; tokens: { owner: string } },
  idsite: string,
  all: readonly Fields[],
): Promise<void> {
  const requests = all.map((fields) => {
    const given = Object.entries(fields).filter(([, value]) => value !== "");
    return `?${new URLSearchParams({ idsite, rec: "1", ...Object.fromEntries(given) })}`;
  });
  const body = JSON.stringify({ requests, token_auth: tokens.owner });
  const response = await fetch(`${url}matomo.php`, { method: "POST", body });
  const answer = await response.text();
  const { tracked }: { tracked?: unknown } = JSON.parse(answer);
  if (tracked !== all.length) throw new Error(`Matomo took ${tracked} of ${all.length} hits: ${answer}`);
}
