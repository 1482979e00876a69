import { type CompleteRequestParams, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Call } from "../operations/call.ts";
import { dimensions } from "../operations/dimensions.ts";
import { sites } from "../operations/index.ts";
import { periodChoices } from "../operations/period-choices.ts";
import { cleanText } from "../render/clean-text.ts";
import { findPrompt } from "./prompts.ts";
import { listResources, overviewTemplate } from "./resources.ts";

type Reference = CompleteRequestParams["ref"];
type Argument = CompleteRequestParams["argument"];

/** The maximum in the specification (2025-11-25, server/utilities/completion). */
const MAX_VALUES = 100;

/** Completes an argument of a prompt or of the resource template. Throws a protocol error -32602 for an unknown one. */
export async function complete(call: Call, ref: Reference, { name, value }: Argument) {
  const all = takesArgument(ref, name) ? await listValues(call, name) : undefined;
  if (all === undefined) return { values: [], hasMore: false };
  const wanted = value.toLowerCase();
  const matching = all
    .filter((candidate) => candidate.includes(wanted))
    .sort((a, b) => Number(b.startsWith(wanted)) - Number(a.startsWith(wanted)));
  return {
    values: matching.slice(0, MAX_VALUES),
    total: matching.length,
    hasMore: matching.length > MAX_VALUES,
  };
}

function takesArgument(ref: Reference, name: string): boolean {
  if (ref.type === "ref/prompt") {
    return findPrompt(ref.name).arguments.some((argument) => argument.name === name);
  }
  if (ref.uri === overviewTemplate.uriTemplate) return name === "site";
  if (listResources().some(({ uri }) => uri === ref.uri)) return false;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource template ${ref.uri} not found`);
}

async function listValues(call: Call, argument: string): Promise<readonly string[] | undefined> {
  if (argument === "dimension") return dimensions;
  // Not today: it has no complete day to compare.
  if (argument === "period") return periodChoices.filter((word) => word !== "today");
  if (argument !== "site") return undefined;
  try {
    return (await call(sites, {})).sites.map((site) => cleanText(site.domain));
  } catch {
    // No suggestions if the service cannot be reached.
    return [];
  }
}
