import type { GatewayKind } from "./gateway.ts";

/** Umami, version 3, on a server of one's own or in Umami Cloud (umami.is/docs/api). */
export const umami: GatewayKind = {
  name: "umami",
  title: "Umami",
  about: { label: "Umami", note: "From Umami.", instruction: "The numbers come from Umami." },
  asksFor: "timezones",
  key: { label: "API key", where: "Umami Cloud, Settings, API keys; on your own server, log in with a user" },
  open: async (context) => (await import("./umami/umami-source.ts")).openUmami(context),
  signIn: async (...given) => (await import("./umami/api.ts")).signIn(...given),
  recognize: {
    path: "/api/config",
    matches: (status, body) => status === 200 && typeof Reflect.get(Object(body), "cloudMode") === "boolean",
  },
};
