import { type GatewayKind, LOG_TOOLS } from "./gateway.ts";

/** Plausible Analytics, by its Stats API (plausible.io/docs/stats-api). */
export const plausible: GatewayKind = {
  name: "plausible",
  title: "Plausible",
  about: {
    label: "Plausible",
    note: "From Plausible.",
    lacks: { tools: LOG_TOOLS, dimensions: ["languages"] },
    instruction: "The numbers come from Plausible.",
  },
  asksFor: "sites",
  key: { label: "Stats API key", where: "account settings, API keys, kind Stats API" },
  open: async (context) => (await import("./plausible/plausible-source.ts")).openPlausible(context),
  recognize: {
    path: "/api/v1/stats/realtime/visitors",
    // "Missing API key. Please use a valid Plausible API key as a Bearer Token."
    matches: (status, body) =>
      status === 401 && `${Reflect.get(Object(body), "error")}`.includes("Plausible"),
  },
};
