import { createUnknownSiteError } from "../../client/site-errors.ts";
import { AnalyticsError } from "../../errors.ts";
import { sites, stats } from "../../operations/index.ts";
import { cleanText } from "../../render/clean-text.ts";
import { createLocalCall } from "../../sources/local-call.ts";
import { assertNotStdin, findDefaultSite, pickOptions } from "../../sources/local-choice.ts";
import { listTexts } from "../../sources/named-sites.ts";
import { readSites } from "../../sources/source-options.ts";
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
  const tryIt = async () => {
    const answer = await call(sites, {});
    // A database that lists its sites may still refuse what counts: a server that is too old, a table without a right to it.
    const [first] = answer.sites;
    if (kind.readsFiles === undefined && first !== undefined) await call(stats, { site: first.id, days: 1 });
    const domains = answer.sites.map(({ domain }) => domain);
    const unknown = readSites(options.site).find((site) => !domains.includes(site));
    if (unknown !== undefined) throw createUnknownSiteError(unknown, domains);
    return answer;
  };
  const answer = await tryIt().catch((error: unknown) => {
    throw addAddress(error, options);
  });
  return async () => {
    const { file, sayReplaced } = saveProfile(io, name, { options });
    const result = { profile: name, source: kind.about.label, options, file, ...answer };
    await printAnswer(io, { params: {}, result, views: [sites.view(answer, {})] }, readOutput(io, flags));
    if (flags.json) return;
    await printNote(io, `\nSaved as profile ${name}:`);
    await printNote(io, `  ${file}`);
    await sayReplaced();
    const [first, ...others] = answer.sites;
    if (first === undefined || others.length === 0 || findDefaultSite(local, environment).site !== undefined)
      return printNext(io, name, {});
    // A host of the logs becomes part of a command that people paste.
    const site = cleanText(first.domain);
    await printNext(io, name, { site });
    // Where lines name the sites, one that is named would be the only one.
    const isFixed = listTexts(local.flags.logs).some((text) => text.startsWith(`${site}=`));
    if (isFixed)
      await printNote(io, `To ask about ${site} without naming it, log in again with --site ${site}.`);
  };
}

/** Adds to the error of a server its address. Such errors leave it out, since not only the person at this machine reads them. */
function addAddress(error: unknown, options: Record<string, unknown>): unknown {
  const address = Object.values(options)
    .map(String)
    .find((text) => /^https?:/i.test(text));
  if (!(error instanceof AnalyticsError) || error.code === "usage" || address === undefined) return error;
  const { code, message, hint } = error;
  return new AnalyticsError(code, message, {
    hint: `${hint} It was asked at ${new URL(address).origin}`,
    cause: error,
  });
}
