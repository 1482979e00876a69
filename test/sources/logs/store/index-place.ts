import { readdirSync } from "node:fs";
import { join } from "node:path";

/** The only index below a state folder. */
export function findIndexFile(stateFolder: string): string {
  const folder = join(stateFolder, "analytics-mcp", "logs");
  const [name = ""] = readdirSync(folder).filter((each) => each.endsWith(".sqlite"));
  return join(folder, name);
}
