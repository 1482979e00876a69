import type { GatewayKind } from "./gateway.ts";

/** Plausible Analytics, by its Stats API (plausible.io/docs/stats-api). */
export const plausible: GatewayKind = {
  name: "plausible",
  title: "Plausible",
  about: {
    label: "Plausible",
    note: "From Plausible.",
    instruction: "The numbers come from Plausible.",
  },
  asksFor: "sites",
  key: { label: "Stats API key", where: "account settings, API keys, kind Stats API" },
  open: async (context) => (await import("./plausible/plausible-source.ts")).openPlausible(context),
  recognize: {
    path: "/api/v2/query",
    matches: (status, body) =>
      [400, 401].includes(status) && typeof Reflect.get(Object(body), "error") === "string",
  },
};
