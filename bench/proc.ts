import { readFileSync } from "node:fs";

/** On every Linux: proc_pid_stat(5), sysconf(_SC_CLK_TCK). */
const TICKS_A_SECOND = 100;

/** Resident memory of a process in MB. */
export const readResident = (pid: number): number => readMemory(pid, "VmRSS");

/** The most resident memory that the process has had, in MB. */
export const readPeak = (pid: number): number => readMemory(pid, "VmHWM");

/** Processor time of a process in seconds, user and system, in steps of ten milliseconds. */
export function readCpu(pid: number): number {
  // The process name before the fields may contain parentheses.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

function readMemory(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
  return Number(kilobytes) / 1024;
}
