import { DEMO_KEY } from "../../support/api.ts";
import {
  always,
  type Breach,
  both,
  edit,
  forget,
  hasNoKey,
  letIn,
  on,
  read,
  refuse,
  rewrite,
  without,
} from "../breach.ts";

const isWrongKey = ({ authorization }: { authorization: string | null }) =>
  authorization === "Bearer conform-no-such-key";

/** Requests refused wrongly or not at all: one breach for each rule about keys and parameters. */
export const requestBreaches: Record<string, Breach> = {
  "auth.missing-key": letIn(both(on("/realtime"), hasNoKey)),
  "auth.wrong-key": refuse(both(on("/realtime"), isWrongKey), 403, "invalid_api_key"),
  "auth.whole-key": letIn(({ authorization }) => authorization?.startsWith(`Bearer ${DEMO_KEY}`) ?? false),
  "auth.challenge": without("www-authenticate", always, 401),
  "auth.other-scheme": letIn(({ authorization }) => authorization?.startsWith("Basic") ?? false),
  "auth.key-in-query": (service) => async (request, sent) => {
    const url = new URL(request.url);
    const key = url.searchParams.get("api_key");
    if (key === null) return service(request, sent);
    url.searchParams.delete("api_key");
    return service(new Request(url, { headers: { authorization: `Bearer ${key}` } }), sent);
  },
  "auth.scheme-case": rewrite(
    ({ authorization }) => authorization?.startsWith("bearer") ?? false,
    (_, headers) => headers.delete("authorization"),
  ),
  "auth.reveals-nothing": edit(
    both(on("/stats", { site: "example.com" }), hasNoKey),
    (body) => {
      body.detail = "The site example.com needs a key.";
    },
    401,
  ),
  "auth.before-parameters": refuse(both(on("/stats", { days: "0" }), hasNoKey), 400, "invalid_parameter"),

  "params.unknown-refused": forget("conform_unknown", on("/realtime")),
  "params.foreign-refused": forget("days", on("/realtime")),
  "params.names-exact": forget("Days", always),
  "params.unknown-listed": edit(
    on("/stats", { conform_unknown: "7d" }),
    (body) => {
      body.errors[0].allowed = [];
    },
    400,
  ),
  "params.missing-refused": refuse(on("/realtime", { site: null }), 404, "site_not_found", 400),
  "params.empty-refused": forget("days", on("/stats", { days: "" })),
  "params.repeated-refused": read("days", "30", ({ path, query }) =>
    path === "/stats" ? query.getAll("days").length > 1 : false,
  ),
  "params.days-bounds": read("days", "365", on("/timeseries", { days: "366" })),
  "params.days-form": read("days", "7", on("/stats", { days: "07" })),
  "params.days-inclusive": refuse(on("/breakdown", { days: "1" }), 400, "invalid_parameter", 200),
  "params.limit-bounds": read("limit", "1000", on("/breakdown", { limit: "1001" })),
  "params.limit-form": read("limit", "7", on("/breakdown", { limit: "07" })),
  "params.limit-inclusive": refuse(on("/breakdown", { limit: "1" }), 400, "invalid_parameter", 200),
  "params.dimension-refused": edit(
    on("/breakdown", { dimension: "conform" }),
    (body) => {
      body.code = "unknown_parameter";
    },
    400,
  ),
  "params.dimension-listed": edit(
    on("/breakdown", { dimension: "conform" }),
    (body) => body.errors[0].allowed.pop(),
    400,
  ),
  "params.dimension-exact": read("dimension", "pages", on("/breakdown", { dimension: "Pages" })),
  "params.site-length": refuse(
    ({ path, query }) => path === "/realtime" && (query.get("site") ?? "").length > 253,
    404,
    "site_not_found",
    400,
  ),
  "params.bounds-listed": edit(
    on("/stats", { days: "0" }),
    (body) => {
      for (const each of body.errors) if (each.parameter === "days") delete each.maximum;
    },
    400,
  ),
  "params.refusals-named": edit(
    on("/breakdown", { site: "example.com", limit: "0" }),
    (body) => {
      body.errors[0].parameter = "top";
    },
    400,
  ),
  "params.all-refusals-listed": edit(
    on("/breakdown", { conform_unknown: "1", limit: "0" }),
    (body) => {
      body.errors = body.errors.slice(0, 1);
    },
    400,
  ),
  "params.precedence": edit(
    on("/breakdown", { conform_unknown: "1", limit: null }),
    (body) => {
      body.code = "invalid_parameter";
    },
    400,
  ),
  "params.before-site": (service) => async (request, sent) => {
    const url = new URL(request.url);
    url.searchParams.delete("days");
    const plain = await service(new Request(url, request));
    return plain.status === 404 ? plain : service(request, sent);
  },
  "params.percent-encoding": refuse(
    ({ request }) => request.url.includes("d%61ys"),
    400,
    "unknown_parameter",
  ),
  "params.body-ignored": (service) => async (request, sent) => {
    const url = new URL(request.url);
    if (sent !== undefined) url.searchParams.set("days", String(JSON.parse(sent).days));
    return service(new Request(url, request), sent);
  },
};
