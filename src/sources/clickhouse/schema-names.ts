/** The services whose tables are known, as `--schema` names them. Every start loads this. */
export const schemaNames = ["plausible", "umami", "rybbit", "posthog", "otel"] as const;
