import { NOTHING } from "../config/access.ts";
import { type FoundLogs, proposeLogs } from "../config/found-logs.ts";
import { AnalyticsError } from "../errors.ts";
import { formatCount } from "../render/plural.ts";
import type { Io } from "./io.ts";

/** Adds to the error of somebody who has set up nothing what the logs of this machine could tell. */
export function addFoundLogs(error: AnalyticsError, found: readonly FoundLogs[]): AnalyticsError {
  const proposal = error.message === NOTHING ? proposeLogs(found) : undefined;
  if (proposal === undefined) return error;
  return new AnalyticsError(error.code, error.message, { hint: `${error.hint} ${proposal}`, cause: error });
}

/** What the client of a server is told for which nothing is set up. How many logs there are, and not where: the sentence reaches a model. */
export async function explainToClient(io: Io, error: unknown): Promise<unknown> {
  if (!(error instanceof AnalyticsError) || error.message !== NOTHING) return error;
  const found = (await io.findLogs()).filter(({ isEmpty }) => !isEmpty);
  const count = found.reduce((sum, { patterns }) => sum + patterns.length, 0);
  const servers = [...new Set(found.map(({ server }) => server))].join(", ");
  const logs = count === 0 ? "" : ` This machine has ${formatCount(count, "access log")} (${servers}).`;
  return new AnalyticsError("no_api_key", `${NOTHING}${logs}`, {
    hint: "In a terminal, run: npx -y analytics-mcp login. It asks what to read: access logs, Matomo, Umami, Plausible, ClickHouse or a service of your own. Then ask again. To try it on made-up data, add --demo to the server's arguments.",
    cause: error,
  });
}
