import { execFileSync, spawn } from "./child-process.js";

/**
 * Puts a pipe at a path. Whoever waits for its other end goes on after a minute, with nothing in it, so that a test fails
 * and does not hang. Returns what ends it.
 */
export function makePipe(path: string): () => void {
  execFileSync("mkfifo", [path]);
  const loop = 'sleep 60; while kill -0 "$1"; do exec 3<>"$0"; exec 3>&-; sleep 0.2; done';
  const child = spawn("sh", ["-c", loop, path, String(process.pid)]);
  return () => void child.kill();
}
