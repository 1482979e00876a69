import { readMember } from "../../member.ts";
import type { Io } from "../io.ts";
import type { CommandDefinition, ShellCommand } from "./command.ts";
import { addSiteOption } from "./site-option.ts";

type Load = () => Promise<{ command: CommandDefinition }>;

/** Every command except queries, in the order of help: one file in this folder and one line here. */
export const commandLoaders: Readonly<Record<string, Load>> = {
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  check: () => import("./check.ts"),
  logs: () => import("./logs.ts"),
  login: () => import("./login.ts"),
  logout: () => import("./logout.ts"),
  whoami: () => import("./whoami.ts"),
  mapping: () => import("./mapping.ts"),
  doctor: () => import("./doctor.ts"),
  config: () => import("./config.ts"),
  schema: () => import("./schema.ts"),
  serve: () => import("./serve.ts"),
  grants: () => import("./grants.ts"),
  clients: () => import("./clients.ts"),
  keys: () => import("./keys.ts"),
  reference: () => import("./reference.ts"),
  conform: () => import("./conform.ts"),
  completion: () => import("./completion.ts"),
};

/** Loads a command by name: one of the above, or a query. */
export async function loadCommand(io: Io, name: string): Promise<ShellCommand> {
  const load = readMember(commandLoaders, name);
  const command = load
    ? (await load()).command.create(io)
    : (await import("./query.ts")).createQueryCommand(io, name);
  return addSiteOption(io, command);
}
