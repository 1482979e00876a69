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

const isHourly: When = on("/timeseries", { interval: "hour" });

/** Changes an hour of yesterday in every answer about everything that has it. */
const editHour = (change: (point: Body) => void) =>
  edit(both(isHourly, not(isFiltered)), ({ points }) => {
    for (const point of points) if (point.time.startsWith("2026-11-20T09")) change(point);
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
  "hours.visitors": editHour((point) => {
    point.visitors += 10_000;
  }),
  "hours.dates": edit(
    both(isHourly, ({ query }) => query.has("from")),
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
