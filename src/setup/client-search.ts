import { AnalyticsError, quoteWord } from "../errors.ts";
import { findNearest } from "../render/suggest.ts";
import { clients } from "./clients/index.ts";
import type { McpClient } from "./mcp-client.ts";

/** Finds a client by its name or an alias. Throws AnalyticsError `usage` with a suggestion. */
export function findClient(word: string): McpClient {
  const byName = new Map(
    clients.flatMap((client) =>
      [client.id, client.title, ...client.aliases].map((name) => [simplify(name), client] as const),
    ),
  );
  const found = byName.get(simplify(word));
  if (found !== undefined) return found;
  const several = clients.filter(({ id }) => simplify(id.split("-")[0] ?? "") === simplify(word));
  if (several.length > 1) {
    throw new AnalyticsError("usage", `Which client: ${several.map(({ id }) => id).join(" or ")}?`, {
      hint: `For example: analytics-mcp config ${several[0]?.id}`,
    });
  }
  const near = byName.get(findNearest(simplify(word), [...byName.keys()]) ?? "");
  const all = `The clients are ${clients.map(({ id }) => id).join(", ")}.`;
  throw new AnalyticsError("usage", `There is no client ${quoteWord(word)}.`, {
    hint: near === undefined ? all : `Did you mean ${near.id}? ${all}`,
  });
}

const simplify = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "");
