import type { Command, Option } from "commander";
import { localKinds } from "../sources/index.ts";

const KEY = ["--api-key-file", "--api-key-stdin"];
const SERVICE = ["--base-url", "--profile"];
const LOCAL = localKinds.map(({ option }) => option.flag);
const ALL: readonly string[] = [...LOCAL, ...SERVICE, ...KEY];

/** Which of the options on service and key a command takes, besides the questions, which take all. */
const taken: Readonly<Record<string, readonly string[]>> = {
  login: [...SERVICE, ...KEY],
  logout: ["--profile"],
  whoami: ALL,
  doctor: ALL,
  config: [...LOCAL, ...SERVICE],
  serve: [...LOCAL, ...SERVICE],
  conform: ALL,
  grants: [],
  clients: [],
  reference: [],
  completion: [],
  help: [],
};

/** The program's options that a command takes, for its help and for completion. */
export function listGlobalOptions(command: Command): Option[] {
  const program = command.parent;
  if (program === null || program.parent !== null) return [];
  const names = taken[command.name()] ?? ALL;
  if (names.length === 0) return [];
  return program.options.filter(({ long }) => !ALL.includes(long ?? "") || names.includes(long ?? ""));
}
