import {
  type Asked,
  type Body,
  type Breach,
  both,
  edit,
  forget,
  isStranger,
  not,
  on,
  read,
  rewrite,
  type When,
} from "../breach.ts";
import { isFiltered, misread } from "./filters.ts";
import { isDay } from "./request-lists.ts";

const isHourly: When = on("/timeseries", { interval: "hour" });

const isShort: When = (asked) => asked.query.get("days") === "2" || (asked.query.has("from") && isDay(asked));

/** Changes an hour of yesterday in the answers of two days, and of that day alone. */
const editHour = (change: (point: Body) => void) =>
  edit(both(isHourly, on("/timeseries", { site: "example.com" }), isShort, not(isFiltered)), ({ points }) => {
    for (const point of points) if (point.time.startsWith("2026-11-20T09")) change(point);
  });

/** From a time on, hours have the numbers of the hour before, as if all days had the offset of the first one. */
export const countByOldOffset = (when: When, time: string) =>
  edit(both(isHourly, when), ({ points }) => {
    const from = points.findIndex((point: Body) => point.time.startsWith(time));
    const late = points.slice(from - 1, -1).map(({ time: _, partial: __, ...counts }: Body) => counts);
    for (const [index, counts] of late.entries()) Object.assign(points[from + index], counts);
  });

const countDays = ({ query }: Asked) => (query.has("from") ? 0 : Number(query.get("days") ?? 30));

/** One breach for each rule about hours. */
export const hourBreaches: Record<string, Breach> = {
  "openapi.interval": edit(on("/openapi.json"), ({ paths }) => {
    const { parameters } = paths["/timeseries"].get;
    parameters.find(({ name }: Body) => name === "interval").schema.enum = ["day"];
  }),
  "isolation.hours": read("site", "example.com", both(isStranger, isHourly)),

  "hours.answer": edit(isHourly, (body) => {
    body.interval = "day";
  }),
  "hours.points": edit(both(isHourly, on("/timeseries", { days: "7" })), ({ points }) => {
    points[30].time = points[30].time.replace(":00:00", ":30:00");
  }),
  // The second of two equal hours is merged into the first one.
  "hours.clock-changes": edit(
    both(isHourly, ({ query }) => query.get("from") === "2026-10-24"),
    (body) => {
      const isRepeated = ({ time }: Body) => time === "2026-10-25T02:00:00+01:00";
      body.points = body.points.filter((point: Body) => !isRepeated(point));
    },
  ),
  "hours.partial": edit(isHourly, ({ points }) => {
    points[0].partial = true;
  }),
  "hours.adds-up": editHour((point) => {
    point.pageviews++;
  }),
  "hours.longest": countByOldOffset(on("/timeseries", { days: "100" }), "2026-10-25T12"),
  "hours.missing": edit(both(isHourly, on("/timeseries", { site: "parked.example" })), ({ points }) => {
    delete points[5].missing;
  }),
  "hours.visitors": editHour((point) => {
    point.visitors += 10_000;
  }),
  "hours.dates": edit(
    both(isHourly, ({ query }) => query.has("from"), isDay),
    ({ points }) => {
      points[9].pageviews++;
    },
  ),
  "hours.filter": misread(isHourly, () => []),
  "hours.at-most": rewrite(
    (asked) => isHourly(asked) && countDays(asked) > 100,
    ({ searchParams }) => searchParams.set("days", "100"),
  ),
  "hours.interval-refused": forget("interval", on("/timeseries", { interval: "Hour" })),
  "hours.day": edit(on("/timeseries", { interval: "day" }), ({ points }) => {
    points.reverse();
  }),
};

/** A service that has only days. */
export const offersOnlyDays: Breach = (service) =>
  edit(on("/openapi.json"), ({ paths }) => {
    const { get } = paths["/timeseries"];
    get.parameters = get.parameters.filter(({ name }: Body) => name !== "interval");
  })(
    rewrite(
      ({ query }) => query.has("interval"),
      ({ searchParams }) => searchParams.set("interval", "none"),
    )(service),
  );
