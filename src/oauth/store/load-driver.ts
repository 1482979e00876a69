import { AnalyticsError } from "../../errors.ts";
import { findDriver, type OpenDatabase } from "../../sqlite/driver.ts";

/** Loads SQLite. Throws AnalyticsError `usage` if there is none. */
export async function loadDriver(): Promise<OpenDatabase> {
  const open = await findDriver();
  if (open) return open;
  throw new AnalyticsError("usage", "This Node has no SQLite, which a store in a file needs.", {
    hint: "Use Node 22.13 or newer, or run npm install libsql beside this package, or choose another store: --store memory (sign-ins end with the process) or --store redis://host:6379.",
  });
}
