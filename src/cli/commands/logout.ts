import type { AccessFlags } from "../../config/access.ts";
import { findProfileName } from "../../config/access.ts";
import { DEFAULT_PROFILE, readProfileOptions, removeProfile } from "../../config/profiles.ts";
import { printNote } from "../output/streams.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

/** `analytics-mcp logout`: forgets a profile. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Forget a saved service and key",
  create: (io) =>
    new ShellCommand("logout")
      .withAccess(access.profile)
      .withExamples("analytics-mcp logout", "analytics-mcp logout --profile acme")
      .description(
        "Forget a saved service and key: the profile in --profile, or the one in use. The key stays valid until you revoke it in the dashboard.",
      )
      .action(async (_, self: ShellCommand) => {
        const flags = self.optsWithGlobals<AccessFlags>();
        const name = flags.profile ?? findProfileName(io.environment) ?? DEFAULT_PROFILE;
        const isLocal = readProfileOptions(io.environment, name) !== undefined;
        removeProfile(io.environment, name);
        const next = isLocal ? "" : " Its key stays valid until you revoke it in the dashboard.";
        await printNote(io, `The profile ${name} is removed.${next}`);
      }),
};
