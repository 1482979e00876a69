import type { Days } from "../../../src/operations/days.ts";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { dateAt } from "../../../src/sources/calendar.ts";
import { createTestApi } from "../../support/api.ts";

export interface Counts {
  visitors: number;
  pageviews: number;
}

export interface Totals extends Counts {
  events: number;
}

export interface TrueRow extends Counts {
  value: string | null;
  label: string;
}

export interface TrueSite {
  id: string;
  domain: string;
  name: string;
  timezone: string;
  created_at: string;
  data_since: string | null;
}

/** What is true at a moment: the answers of the reference API about its made-up sites, each asked for once. */
export interface Truth {
  /** Milliseconds since 1970. */
  now: number;
  sites(): Promise<TrueSite[]>;
  /** The last 365 days until today at the site, oldest first. */
  days(site: TrueSite): Promise<(Counts & { date: string })[]>;
  totals(site: TrueSite, days: Days): Promise<Totals>;
  /** The values of a dimension, most visitors first. */
  rows(site: TrueSite, dimension: Dimension, days: Days): Promise<TrueRow[]>;
  active(site: TrueSite): Promise<number>;
  today(site: TrueSite): string;
}

const known = new Map<number, Truth>();

export function readTruth(now: number): Truth {
  const truth = known.get(now) ?? createTruth(now);
  known.set(now, truth);
  return truth;
}

function createTruth(now: number): Truth {
  const { ask } = createTestApi({ start: now });
  const answers = new Map<string, Promise<unknown>>();
  const read = async <T>(path: string): Promise<T> => {
    const answer = answers.get(path) ?? ask(`/api/v1${path}`).then(({ body }) => body);
    answers.set(path, answer);
    return (await answer) as T;
  };
  return {
    now,
    sites: async () => (await read<{ sites: TrueSite[] }>("/sites")).sites,
    days: async ({ id }) => {
      const all = await read<{ points: (Counts & { date: string })[] }>(`/timeseries?site=${id}&days=365`);
      return all.points.map(({ date, visitors, pageviews }) => ({ date, visitors, pageviews }));
    },
    totals: async ({ id }, { from, to }) => {
      const { visitors, pageviews, events } = await read<Totals>(`/stats?site=${id}&from=${from}&to=${to}`);
      return { visitors, pageviews, events };
    },
    rows: async ({ id }, dimension, { from, to }) =>
      (
        await read<{ rows: TrueRow[] }>(
          `/breakdown?site=${id}&dimension=${dimension}&from=${from}&to=${to}&limit=1000`,
        )
      ).rows,
    active: async ({ id }) => (await read<{ visitors: number }>(`/realtime?site=${id}`)).visitors,
    today: ({ timezone }) => dateAt(now, timezone),
  };
}
