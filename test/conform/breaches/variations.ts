import {
  type Body,
  type Breach,
  both,
  edit,
  field,
  fields,
  not,
  on,
  refuse,
  rewrite,
  type When,
} from "../breach.ts";
import type { Service } from "../service.ts";
import { editCounts, isFiltered } from "./filters.ts";

// Services that keep the contract in another way than the reference server, and may leave out what is optional.

const inAll = (change: (body: Body) => void) => edit(not(on("/openapi.json")), change);
const pointsOf = (change: (point: Body) => void) =>
  edit(on("/timeseries"), ({ points }) => {
    for (const point of points) change(point);
  });

/** Offers no such parameter, and refuses it like an unknown one. */
const withoutParameters =
  (names: readonly string[], paths: readonly string[]): Breach =>
  (service) =>
    edit(on("/openapi.json"), (document) => {
      for (const path of paths) {
        const { get } = document.paths[path];
        get.parameters = get.parameters.filter(({ name }: Body) => !names.includes(name));
      }
    })(
      rewrite(
        ({ path, query }) => paths.includes(path) && names.some((name) => query.has(name)),
        ({ searchParams }) => {
          for (const name of names) if (searchParams.has(name)) searchParams.append(`no_${name}`, "1");
          for (const name of names) searchParams.delete(name);
        },
      )(renameErrors(service)),
    );

/** Names the parameter in an error as the caller wrote it. */
const renameErrors: Breach = (service) => async (request, sent) => {
  const response = await service(request, sent);
  if (response.status !== 400 || request.method === "HEAD") return response;
  return new Response((await response.text()).replaceAll('"no_', '"'), response);
};

const withoutPath =
  (path: string): Breach =>
  (service) =>
    refuse(
      on(path),
      404,
      "not_found",
    )(
      edit(on("/openapi.json"), ({ paths }) => {
        delete paths[path];
      })(service),
    );

/** Records no such dimension, and says which it does. */
const withoutDimensions =
  (names: readonly string[]): Breach =>
  (service) => {
    const refused: When = ({ path, query }) =>
      path === "/breakdown" && names.includes(query.get("dimension") ?? "");
    const misnamed = rewrite(refused, ({ searchParams }) => searchParams.set("dimension", "conform"))(
      service,
    );
    return edit(
      refused,
      ({ errors }) => {
        for (const error of errors ?? [])
          if (Array.isArray(error.allowed) && error.parameter === "dimension")
            error.allowed = error.allowed.filter((name: string) => !names.includes(name));
      },
      400,
    )(misnamed);
  };

const HOURS: When = on("/timeseries", { interval: "hour" });

export const variations: Record<string, Breach> = {
  "hours of a week at most": (service) =>
    edit(
      both(HOURS, ({ query }) => Number(query.get("days")) > 7),
      (problem) => {
        for (const error of problem.errors) error.maximum = 7;
      },
      400,
    )(
      rewrite(
        both(HOURS, ({ query }) => Number(query.get("days")) > 7),
        ({ searchParams }) => searchParams.set("days", "366"),
      )(service),
    ),
  "no missing: true": pointsOf((point) => delete point.missing),
  "partial: false on every other point": pointsOf((point) => {
    point.partial ??= false;
  }),
  "times of hours with fractions of a second": edit(HOURS, ({ points }) => {
    for (const point of points) point.time = point.time.replace(/(?=[+-]\d\d:\d\d$)/, ".000");
  }),
  "hours of which a part has no data": edit(both(HOURS, not(isFiltered)), ({ points }) => {
    for (const [index, point] of points.entries())
      if (index % 24 === 3 && point.visitors === 0) point.missing = true;
  }),
  "no crawlers": withoutPath("/crawlers"),
  "no dead links": withoutPath("/not-found"),
  "dead links without status": withoutParameters(["status"], ["/not-found"]),
  "no dates": withoutParameters(
    ["from", "to"],
    ["/stats", "/timeseries", "/breakdown", "/crawlers", "/not-found"],
  ),
  "no filter of active visitors": withoutParameters(["filter"], ["/realtime"]),
  "no visits": editCounts(
    () => true,
    (counts) => {
      for (const name of ["visits", "bounces", "visit_seconds"]) delete counts[name];
    },
  ),
  "events in the totals of every dimension": edit(on("/breakdown"), (body) => {
    body.totals.events ??= 0;
  }),
  "a row of all cities that are not kept": edit(
    on("/breakdown", { dimension: "cities", filter: null }),
    (body) => {
      const last = body.rows.at(-1);
      if (body.rows.length < 5 || last.value === null) return;
      Object.assign(last, { value: null, label: "(other)", other: true });
      body.warnings = [...(body.warnings ?? []), { code: "folded", detail: "Rare cities are one row." }];
    },
  ),
  "yesterday can still grow": inAll((body) => {
    if (body.period?.partial)
      body.warnings = [
        ...(body.warnings ?? []),
        { code: "provisional", detail: `${body.period.complete_through} can still grow a little.` },
      ];
  }),
  "warnings without values": inAll((body) => {
    for (const warning of body.warnings ?? []) delete warning.values;
  }),
  "indented JSON in a charset": (service) => {
    const indented: Service = async (request, sent) => {
      const response = await service(request, sent);
      if (request.method === "HEAD" || response.status !== 200) return response;
      return new Response(JSON.stringify(await response.json(), null, 2), response);
    };
    return field("content-type", "application/json;charset=UTF-8", () => true, 200)(indented);
  },
  "letters of other scripts as escapes": (service) => async (request, sent) => {
    const response = await service(request, sent);
    if (request.method === "HEAD" || response.status !== 200) return response;
    const spell = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
    return new Response((await response.text()).replace(/[\u0080-\uffff]/g, spell), response);
  },
  "Retry-After as a date": fields(
    () => true,
    (headers) => {
      const date = Date.parse("2026-11-21T04:05:10Z");
      headers.set("date", new Date(date).toUTCString());
      headers.set("retry-after", new Date(date + 9_000).toUTCString());
    },
    429,
  ),
  "errors in another language": edit(
    () => true,
    (problem) => {
      Object.assign(problem, { title: "Fehler", detail: "Das geht so nicht." });
      for (const error of problem.errors ?? []) error.detail = "Das geht so nicht.";
    },
    400,
  ),
  "a cache between": field("age", "3", () => true, 200),
  "neither languages nor terms and contents of campaigns": withoutDimensions([
    "languages",
    "utm_terms",
    "utm_contents",
  ]),
};
