import type { LocalKind } from "./source-types.ts";

/** Made-up visits of made-up sites, to try everything without an account. */
export const demo: LocalKind = {
  option: { flag: "--demo", description: "built-in made-up data: no key, no service" },
  about: {
    label: "made-up data",
    note: "Made-up data (--demo).",
    instruction: "These are made-up numbers of a demonstration: say so when you answer.",
    notice: { title: "Demonstration", text: "All numbers are made up." },
  },
  site: "example.com",
  open: async (context) => (await import("./demo/organizations.ts")).openDemoSource(context),
  openKeyring: async (context) => (await import("./demo/organizations.ts")).openDemoKeyring(context),
};
