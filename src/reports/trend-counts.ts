import { hasVisits, type WithVisits } from "../operations/visit-rates.ts";

interface Point extends WithVisits {
  visitors: number | null;
  pageviews: number;
  missing?: true | undefined;
}

/** The days of a series as a trend has them. */
export const listCounts = (points: readonly (Point & { date: string })[]) => ({
  from: points[0]?.date ?? "",
  ...countPoints(points),
});

/** Each measure of some days or hours: null of those without data, which had perhaps not none. */
export const countPoints = (points: readonly Point[]) => ({
  visitors: points.map(({ visitors, missing }) => (missing ? null : visitors)),
  pageviews: points.map(({ pageviews, missing }) => (missing ? null : pageviews)),
  ...(hasVisits(points) && { visits: points.map(({ visits = 0, missing }) => (missing ? null : visits)) }),
});
