import type { Command } from "commander";
import { listProfiles } from "../../config/profiles.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { writeData } from "../output/streams.ts";
import type { Candidate } from "./candidates.ts";

/**
 * Answers a shell's completion script: one candidate a line, with its description after a tab, or `:files`. A failure
 * prints nothing, since an error would appear in the middle of what a person is typing.
 */
export async function printCandidates(io: Io, program: Command, words: readonly string[]): Promise<void> {
  try {
    const { findCandidates } = await import("./candidates.ts");
    const found = await findCandidates(program, words, {
      site: async (flags, current) =>
        (await import("./known-sites.ts")).readSiteCandidates(io, flags, current),
      condition: async (flags, current) =>
        (await import("./known-values.ts")).readConditionCandidates(io, flags, current),
      goal: async (flags, current) =>
        (await import("./known-values.ts")).readGoalCandidates(io, flags, current),
      period: async (_, current) => (await import("./known-values.ts")).listPeriods(current),
      against: async (_, current) =>
        (await import("./known-values.ts")).listPeriods(current, ["year_before"]),
      profile: async () => listProfiles(io.environment).map((value) => ({ value, description: "" })),
      organization: async (flags) => listOrganizations(io, flags, false),
      "organization|key": async (flags) => listOrganizations(io, flags, true),
      rules: async () => (await import("../../conform/conformance.ts")).listNames(),
    });
    if (found === "files") await writeData(io, ":files");
    else if (found.length > 0) {
      await writeData(io, found.map(({ value, description }) => `${value}\t${description}`).join("\n"));
    }
  } catch {}
}

/** The organizations of the keys file, and the ids of their keys. */
async function listOrganizations(io: Io, flags: SourceFlags, hasKeys: boolean): Promise<Candidate[]> {
  const [{ findKeysFile, readKeysFile }, { listKeys }] = await Promise.all([
    import("../../config/keys-file.ts"),
    import("../../config/organizations.ts"),
  ]);
  const all = readKeysFile(findKeysFile(flags, io.environment).file);
  const names = all.map(({ name, sites }) => ({ value: name, description: sites.join(", ") }));
  const ids = listKeys(all).flatMap(({ key, organization }) =>
    key === null ? [] : [{ value: key, description: organization }],
  );
  return hasKeys ? [...names, ...ids] : names;
}
