import type { Command } from "commander";
import { summaries as insightSummaries } from "../insights/summaries.ts";
import { summaries } from "../operations/contract.ts";
import type { Io } from "./io.ts";

/** A command as the program's help lists it; what it takes and does is loaded where the command line names it. */
export interface Entry {
  name: string;
  group: string;
  summary: string;
  load(io: Io): Promise<Command>;
}

/** In the order of the help. */
export const entries: readonly Entry[] = [
  ...Object.entries({ ...summaries, ...insightSummaries }).map(([name, summary]) => ({
    ...{ name, summary, group: "Ask:" },
    load: async (io: Io) => (await import("./question-command.ts")).createQuestionCommand(io, name),
  })),
  {
    ...{ name: "login", group: "Set up:" },
    summary: "Save a service and its API key, so that every command and the MCP server find them",
    load: async (io) => (await import("./login-command.ts")).createLoginCommand(io),
  },
  {
    ...{ name: "logout", group: "Set up:" },
    summary: "Forget a service and key that login has saved",
    load: async (io) => (await import("./login-command.ts")).createLogoutCommand(io),
  },
  {
    ...{ name: "whoami", group: "Set up:" },
    summary: "Show which service is asked, with which key, and where each was found",
    load: async (io) => (await import("./whoami-command.ts")).createWhoamiCommand(io),
  },
  {
    ...{ name: "doctor", group: "Set up:" },
    summary: "Check the set-up, from Node.js to the service's answer, with a fix for each fault",
    load: async (io) => (await import("./doctor-command.ts")).createDoctorCommand(io),
  },
  {
    ...{ name: "config", group: "Set up:" },
    summary: "Print what to paste into an assistant's settings, or write it there",
    load: async (io) => (await import("./config-command.ts")).createConfigCommand(io),
  },
  {
    ...{ name: "serve", group: "Serve:" },
    summary: "Serve the tools to remote assistants over HTTP, with OAuth",
    load: async (io) => (await import("./serve-command.ts")).createServeCommand(io),
  },
  {
    ...{ name: "grants", group: "Serve:" },
    summary: "List and end the sign-ins of the remote connector",
    load: async (io) => (await import("./store-commands.ts")).createGrantsCommand(io),
  },
  {
    ...{ name: "clients", group: "Serve:" },
    summary: "List and prune the applications known to the remote connector",
    load: async (io) => (await import("./store-commands.ts")).createClientsCommand(io),
  },
  {
    ...{ name: "reference", group: "Serve:" },
    summary: "Serve the reference API with made-up data over HTTP",
    load: async (io) => (await import("./reference-command.ts")).createReferenceCommand(io),
  },
  {
    ...{ name: "conform", group: "Serve:" },
    summary: "Check that a service keeps the contract",
    load: async (io) => (await import("./conform-command.ts")).createConformCommand(io),
  },
  {
    ...{ name: "completion", group: "Help:" },
    summary: "Print the script for completion in bash, zsh or fish",
    load: async (io) => (await import("./completion-command.ts")).createCompletionCommand(io),
  },
];
