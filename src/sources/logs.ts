import type { LocalKind } from "./source-types.ts";

/** The access logs of a web server on this machine. */
export const logs: LocalKind = {
  option: {
    flag: "--logs",
    value: "<glob>",
    description: "access logs of your web server, such as '/var/log/nginx/access.log*' (or ANALYTICS_LOGS)",
    isRepeatable: true,
    isPath: true,
  },
  settings: [
    {
      flag: "--log-format",
      value: "<format>",
      description: "combined, json, w3c, alb, or your server's description (default: detected)",
    },
    { flag: "--timezone", value: "<zone>", description: "the sites' timezone (default: this machine's)" },
    {
      flag: "--exclude-path",
      value: "<glob>",
      isRepeatable: true,
      description: "leave out pages, such as '/admin/**'",
    },
    {
      flag: "--exclude-address",
      value: "<range>",
      isRepeatable: true,
      description: "leave out visitors, such as your own 203.0.113.7 or 10.0.0.0/8",
    },
    {
      flag: "--keep-query",
      value: "<name>",
      isRepeatable: true,
      description: "keep this query parameter as a part of the page",
    },
    {
      flag: "--geoip",
      value: "<file>",
      isPath: true,
      description: "database of countries or cities (.mmdb), for where visitors are",
    },
    {
      flag: "--trust-forwarded",
      value: "<hops>",
      description: "how many proxies of yours add the visitor's address to X-Forwarded-For",
    },
    {
      flag: "--accept-proxy-addresses",
      description: "count visitors even if nearly all seem to come from a proxy",
    },
    {
      flag: "--keep",
      value: "<days>",
      description: "forget what was counted of earlier days (default: keep all)",
    },
  ],
  variable: {
    name: "ANALYTICS_LOGS",
    read: (text) => ({ logs: text.split(/\r?\n/).flatMap((line) => line.trim() || []) }),
  },
  about: {
    label: "access logs",
    note: "From the access logs of a web server. Visitors are counted without bots that identify themselves.",
    instruction: "The numbers come from a web server's access logs.",
  },
  reads: ({ geoip }) =>
    `visitors, pages, referrers, browsers, crawlers and dead links${geoip === undefined ? "" : ", and the countries of visitors"}`,
  checks: [
    {
      name: "log files",
      run: async (context) => (await import("./logs/doctor.ts")).checkFiles(context),
    },
    {
      name: "history",
      run: async (context) => (await import("./logs/doctor.ts")).checkHistory(context),
    },
  ],
  takesSite: true,
  readsFiles: true,
  open: async (context) => (await import("./logs/open.ts")).openLogSource(context),
  openViews: async (context) => {
    await (await import("./logs/assert-named.ts")).assertNamed(context);
    return (await import("./logs/open.ts")).openLogViews(context);
  },
  recallSites: async (context) => (await import("./logs/histories.ts")).recallSites(context),
};
