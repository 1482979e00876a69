import { type GatewayKind, LOG_TOOLS } from "./gateway.ts";

/** Matomo, by its Reporting API (developer.matomo.org/api-reference/reporting-api). */
export const matomo: GatewayKind = {
  name: "matomo",
  title: "Matomo",
  about: {
    label: "Matomo",
    note: "From Matomo.",
    lacks: { tools: LOG_TOOLS, dimensions: ["hostnames"] },
    instruction:
      "The numbers come from Matomo, which counts today's anew only every few minutes. Say what an answer's warnings say: they name where Matomo means something else.",
  },
  key: { label: "auth token", where: "Settings, Personal, Security, Auth tokens" },
  open: async (context) => (await import("./matomo/matomo-source.ts")).openMatomo(context),
  recognize: {
    path: "/index.php?module=API&method=API.getMatomoVersion&format=JSON",
    matches: (_, body) => {
      const { result, value }: { result?: unknown; value?: unknown } = Object(body);
      return result === "error" || (typeof value === "string" && /^\d+\.\d+/.test(value));
    },
  },
};
