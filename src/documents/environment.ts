/** The environment variables that the program reads, each with its line of help. */
export const environment = {
  ANALYTICS_API_KEY: "API key of your organization.",
  ANALYTICS_BASE_URL:
    "Where the service's API is, such as https://stats.example.com (with or without /api/v1).",
  ANALYTICS_PROFILE: "Profile to use, of those that login has saved, where no key is given.",
  ANALYTICS_SITE: "Site to ask about where none is named.",
  ANALYTICS_ALLOW_HTTP:
    "Host names, separated by commas, to which plain http is allowed besides this machine.",
  ANALYTICS_CALLS_PER_MINUTE: "How many tool calls the MCP server answers in a minute (300).",
  ANALYTICS_OTHER_API_KEY: "API key of another organization, with which conform checks isolation.",
  HTTPS_PROXY: "Proxy for https addresses; HTTP_PROXY for http, NO_PROXY for exceptions.",
  NODE_EXTRA_CA_CERTS: "File of additional certificate authorities (PEM), read by Node.",
} as const;
