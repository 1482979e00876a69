import { addDays } from "../../../src/operations/days.ts";
import { type Breach, edit, field, forget, read, rewrite, type When } from "../breach.ts";

const has =
  (path: string, names: string[], absent: string[] = []): When =>
  ({ path: asked, query }) =>
    asked === path && names.every((name) => query.has(name)) && !absent.some((name) => query.has(name));

const isOrdered: When = ({ query }) => (query.get("from") ?? "") <= (query.get("to") ?? "");
const yesterday = "2026-11-20";

/** Dates misread or wrongly accepted: one breach for each rule about dates. */
export const dateBreaches: Record<string, Breach> = {
  "dates.period": edit(has("/breakdown", ["from", "to"]), (body) => {
    body.period.complete_through = addDays(body.period.to, -1);
  }),
  "dates.cache": field("cache-control", "private, max-age=31536000, immutable", has("/stats", ["from"]), 200),
  "dates.same-numbers": edit(has("/timeseries", ["from", "to"], ["filter", "interval"]), (body) => {
    body.points[0].visitors += 1;
  }),
  "dates.reversed-refused": rewrite(
    (asked) => has("/stats", ["from", "to"])(asked) && !isOrdered(asked),
    ({ searchParams }) => {
      const [from, to] = [searchParams.get("from") ?? "", searchParams.get("to") ?? ""];
      searchParams.set("from", to);
      searchParams.set("to", from);
    },
  ),
  "dates.future-refused": read("to", yesterday, ({ path, query }) =>
    path === "/stats" ? (query.get("to") ?? "") > "2026-11-21" : false,
  ),
  "dates.alone-refused": read("to", yesterday, has("/timeseries", ["from"], ["to"])),
  "dates.days-refused": forget("days", has("/breakdown", ["days", "from", "to"])),
  "dates.form-refused": read("from", "2026-11-14", ({ path, query }) =>
    path === "/stats" ? query.get("from") === "2026-02-30" : false,
  ),
};
