import { AnalyticsError } from "../../errors.ts";
import { sites } from "../../operations/index.ts";
import { createLocalCall } from "../../sources/local-call.ts";
import { assertNotStdin, pickOptions } from "../../sources/local-choice.ts";
import type { LocalChoice, SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { printNote } from "../output/streams.ts";
import { printNext, type Save, saveProfile } from "./login-next.ts";

/** Tries a source of this machine, to be saved as a profile. */
export async function tryLocal(
  io: Io,
  flags: SourceFlags & OutputFlags,
  local: LocalChoice,
  name: string,
): Promise<Save> {
  const { environment, clock } = io;
  const { kind } = local;
  if (kind.settings === undefined) {
    throw new AnalyticsError("usage", `${kind.option.flag} needs no key: there is nothing to save.`);
  }
  assertNotStdin(local, "A profile");
  const warn = (text: string) => printNote(io, `warning: ${text}`);
  const options = pickOptions(local);
  const call = createLocalCall(
    () => kind.open({ clock, environment, warn, flags: options, mayChange: true }),
    clock,
  );
  const answer = await call(sites, {});
  return async () => {
    const { file, sayReplaced } = saveProfile(io, name, { options });
    const result = { profile: name, source: kind.about.label, options, file, ...answer };
    await printAnswer(io, { params: {}, result, views: [sites.view(answer, {})] }, readOutput(io, flags));
    if (flags.json) return;
    await printNote(io, `\nSaved as profile ${name}:`);
    await printNote(io, `  ${file}`);
    await sayReplaced();
    await printNext(io, name, {});
  };
}
