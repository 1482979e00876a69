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

/** The same of those that `serve` alone reads, in place of its options. */
export const connectorEnvironment = {
  ANALYTICS_SERVE_HOST: "Address to listen on (127.0.0.1).",
  ANALYTICS_SERVE_PORT: "Port to listen on (8788).",
  ANALYTICS_SERVE_PUBLIC_URL: "How people and clients reach it, such as https://mcp.example.com.",
  ANALYTICS_SERVE_STORE: "Where sign-ins are kept: a file, redis://…, rediss://… or memory.",
  ANALYTICS_SERVE_SECRET_FILE: "File of the server secret, the same on every replica.",
  ANALYTICS_SERVE_TRUST_PROXY: "on behind a reverse proxy of yours: believe its X-Forwarded-For.",
  ANALYTICS_SERVE_ALLOWED_ORIGINS: "Hosts of web pages, separated by commas, whose scripts may ask.",
  ANALYTICS_SERVE_REGISTRATION: "on or off: whether applications may register (on).",
  ANALYTICS_SERVE_ADMIN_LISTEN:
    "Address of the operator's own, for metrics and health, such as 127.0.0.1:9090.",
  ANALYTICS_SERVE_DRAIN_DELAY: "Seconds to serve on while /readyz says 503, when stopped (0).",
  ANALYTICS_SERVE_LOG_LEVEL: "debug, info, warn or error (info).",
} as const;
