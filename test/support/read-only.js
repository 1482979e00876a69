import { createRequire } from "node:module";

/**
 * Loaded into a process (`--import`) before its program: with SIGUSR2 its SQLite refuses to write, as on a disk that
 * was mounted read-only meanwhile, and with the next SIGUSR2 it writes again. It says on stderr when that is so.
 */
const builtIn = Object(process.getBuiltinModule("node:sqlite")).DatabaseSync;
const Database = builtIn ?? createRequire(import.meta.url)("libsql");

const opened = new Set();
const { exec } = Database.prototype;
Database.prototype.exec = function (/** @type {string} */ sql) {
  opened.add(this);
  return exec.call(this, sql);
};

let readOnly = false;
process.on("SIGUSR2", () => {
  readOnly = !readOnly;
  for (const each of opened) exec.call(each, `PRAGMA query_only = ${readOnly ? "ON" : "OFF"}`);
  process.stderr.write(`query_only ${readOnly}\n`);
});
