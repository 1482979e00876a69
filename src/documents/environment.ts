/** The environment variables that the program reads, each with a line of help. */
export const environment = {
  ANALYTICS_API_KEY: "API key of your organization.",
  ANALYTICS_BASE_URL:
    "Where the service's API is, such as https://stats.example.com (with or without /api/v1).",
  ANALYTICS_SERVICE: "matomo, umami or plausible, if the service has an API of its own.",
  ANALYTICS_SITE_TIMEZONES:
    "Timezones that the service does not tell: example.com=Europe/Berlin, separated by commas.",
  ANALYTICS_MAPPING: "File that says where a service of your own has its fields (see mapping).",
  ANALYTICS_PROFILE: "Saved profile to use when no key is given (see login).",
  ANALYTICS_SITE: "Site to use when none is named.",
  ANALYTICS_LOGS: "Access logs to answer from, one glob a line, instead of a service.",
  ANALYTICS_CLICKHOUSE: "ClickHouse to answer from (https://reader@host:8443/web), instead of a service.",
  ANALYTICS_CLICKHOUSE_PASSWORD: "Password of the ClickHouse user.",
  ANALYTICS_ALLOW_HTTP:
    "Comma-separated host names that may be called over plain http, besides this machine.",
  ANALYTICS_CALLS_PER_MINUTE: "Tool calls the MCP server answers per minute (300).",
  ANALYTICS_PAGER: "Program that shows an answer longer than the screen (PAGER); empty or cat for none.",
  ANALYTICS_KEYS_FILE: "File of organizations and hashes of their keys, for reference and serve (see keys).",
  ANALYTICS_OTHER_API_KEY: "API key of another organization, for conform to check isolation.",
  HTTPS_PROXY: "Proxy for https addresses; HTTP_PROXY for http, NO_PROXY for exceptions.",
  NODE_EXTRA_CA_CERTS: "File of additional certificate authorities (PEM), read by Node.",
} as const;

/** The environment variables that only `serve` reads; each replaces an option. */
export const connectorEnvironment = {
  ANALYTICS_SERVE_HOST: "Address to listen on (127.0.0.1).",
  ANALYTICS_SERVE_PORT: "Port to listen on (8788).",
  ANALYTICS_SERVE_PUBLIC_URL: "How people and clients reach it, such as https://mcp.example.com.",
  ANALYTICS_SERVE_DASHBOARD_URL: "Where people create their keys; the sign-in page links to it.",
  ANALYTICS_SERVE_STORE: "Where sign-ins are kept: a file, redis://…, rediss://… or memory.",
  ANALYTICS_SERVE_SECRET_FILE: "File of the server secret, the same on every replica.",
  ANALYTICS_SERVE_TRUST_PROXY: "on if it runs behind your reverse proxy: trusts X-Forwarded-For.",
  ANALYTICS_SERVE_ALLOWED_ORIGINS: "Comma-separated hosts of web pages whose scripts may call it.",
  ANALYTICS_SERVE_REGISTRATION: "on or off: whether applications may register (on).",
  ANALYTICS_SERVE_CLIENT_DOCUMENTS: "on or off: whether to fetch applications' metadata documents (on).",
  ANALYTICS_SERVE_ADMIN_LISTEN: "Separate address for metrics and health, such as 127.0.0.1:9090.",
  ANALYTICS_SERVE_DRAIN_DELAY: "Seconds to keep serving when stopped, while /readyz answers 503 (0).",
  ANALYTICS_SERVE_LOG_LEVEL: "debug, info, warn or error (info).",
} as const;
