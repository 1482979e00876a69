import { type GatewayKind, LOG_TOOLS } from "./gateway.ts";

/** Umami, version 3, on a server of one's own or in Umami Cloud (umami.is/docs/api). */
export const umami: GatewayKind = {
  name: "umami",
  title: "Umami",
  about: {
    label: "Umami",
    note: "From Umami.",
    lacks: { tools: LOG_TOOLS },
    instruction: "The numbers come from Umami.",
  },
  asksFor: "timezones",
  key: {
    label: "API key",
    where: "Settings, API keys, in Umami Cloud and from Umami 3.4 on; on an older server, log in with a user",
  },
  open: async (context) => (await import("./umami/umami-source.ts")).openUmami(context),
  signIn: async (...given) => (await import("./umami/api.ts")).signIn(...given),
  recognize: {
    path: "/api/config",
    matches: (status, body) => status === 200 && typeof Reflect.get(Object(body), "cloudMode") === "boolean",
  },
};
