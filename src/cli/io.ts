import type { Readable, Writable } from "node:stream";
import type { FoundLogs } from "../config/found-logs.ts";
import type { Environment } from "../config/variables.ts";

interface Terminal {
  isTTY: boolean;
  columns: number;
  rows: number;
}

/** The process as the commands see it. */
export interface Io {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & Partial<Terminal>;
  stderr: Writable & Partial<Terminal>;
  environment: Environment;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  pause: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  version: string;
  /** Of Node.js, as 20.19.0. */
  nodeVersion: string;
  /** Shows text in a program at the terminal, and resolves when it ends: false if there is no such program. */
  page: (command: readonly string[], environment: Environment, text: string) => Promise<boolean>;
  /** Looks for access logs of a web server on this machine. */
  findLogs: () => Promise<readonly FoundLogs[]>;
  /** Resolves when the process is asked to stop (SIGINT, SIGTERM). */
  untilStopped: () => Promise<void>;
}
