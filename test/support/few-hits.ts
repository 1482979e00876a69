import type { Span } from "../../src/sources/data-source.ts";
import { exportLines, load, type SqlServer } from "./clickhouse.ts";
import { combined, createLogFolder, FIREFOX, joinLines, LOG_NOW } from "./logs.ts";

/** The day of the few hits. */
export const FEW_DAY = "2026-11-18";
/** A question about it. */
export const FEW_SPAN: Span = {
  site: {
    id: "site",
    domain: "example.com",
    name: "example.com",
    timezone: "UTC",
    dataSince: FEW_DAY,
    createdAt: 0,
  },
  from: FEW_DAY,
  to: FEW_DAY,
  now: LOG_NOW,
};
export const FEW_VISITORS = 60;
const GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";

/** Loads a day of example.com: visitors with one page view each, on as many pages, and as many requests of a crawler. */
export async function loadFewHits(server: SqlServer): Promise<void> {
  const lines = Array.from({ length: FEW_VISITORS }, (_, index) => {
    const request = { at: `${FEW_DAY}T10:00:${String(index).padStart(2, "0")}Z`, target: `/page-${index}` };
    return [
      combined({ ...request, address: `192.0.2.${index}`, agent: FIREFOX }),
      combined({ ...request, address: "198.51.100.1", agent: GPTBOT }),
    ];
  });
  const { path } = createLogFolder({ "access.log": joinLines(...lines.flat()) });
  const flags = { logs: [path("access.log")], site: ["example.com"] };
  await load(server, await exportLines(flags, LOG_NOW));
}
