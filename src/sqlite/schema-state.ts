import { readMember } from "../member.ts";
import type { Database } from "./driver.ts";

/** Whose file a database is, by SQLite's header fields `application_id` and `user_version`, and its tables. */
export function readSchemaState(
  db: Database,
  expected: { applicationId: number; version: number },
): "new" | "ours" | "newer" | "foreign" {
  const read = (name: string) => Number(readMember(db.prepare(`PRAGMA ${name}`).all()[0], name));
  const [id, version] = [read("application_id"), read("user_version")];
  const tables = db.prepare("SELECT count(*) AS count FROM sqlite_schema").all()[0]?.count;
  if (id === 0 && version === 0 && tables === 0) return "new";
  if (id !== expected.applicationId) return "foreign";
  return version > expected.version ? "newer" : "ours";
}
