import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { spawn } from "../support/child-process.js";

/**
 * Stands between a client and the stdio server, and writes each frame to a file as a line of JSON:
 * `node recorder.js <file> <server> [arguments]`.
 */
const [file = "", server = "", ...args] = process.argv.slice(2);
const child = spawn(process.execPath, [server, ...args], {
  env: process.env,
  stdio: ["pipe", "pipe", "inherit"],
});
const record = (/** @type {"client" | "server"} */ from, /** @type {string} */ line) =>
  appendFileSync(file, `{"from":"${from}","frame":${line}}\n`);

createInterface({ input: process.stdin }).on("line", (line) => {
  record("client", line);
  child.stdin.write(`${line}\n`);
});
process.stdin.on("end", () => child.stdin.end());
createInterface({ input: child.stdout }).on("line", (line) => {
  record("server", line);
  process.stdout.write(`${line}\n`);
});
child.on("exit", (code) => process.exit(code ?? 1));
for (const signal of /** @type {const} */ (["SIGTERM", "SIGINT", "SIGHUP"])) {
  process.on(signal, () => child.kill(signal));
}
