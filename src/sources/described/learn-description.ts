import type { ReadText } from "../../client/http-client.ts";
import { parseJson } from "../../client/result-parser.ts";
import type { CallOptions } from "../../operations/call.ts";
import { breakdown, openapi, realtime, sites, stats, timeseries } from "../../operations/index.ts";
import { createBrokenError, isOfOneAnswer } from "./answer-errors.ts";
import { readDescription } from "./description.ts";
import type { Learned } from "./field-mapping.ts";

/** The parameters of the specification (section 4). Others are only sent where the service's description lists them. */
export const SPECIFIED: Readonly<Record<string, readonly string[]>> = {
  [sites.path]: [],
  [stats.path]: ["site", "days"],
  [timeseries.path]: ["site", "days"],
  [breakdown.path]: ["site", "dimension", "limit"],
  [realtime.path]: ["site"],
};
/** What is read of a description, beside other parameters that it requires. */
const KNOWN = ["site", "days", "dimension", "limit"];

/** Reads the service's description, if it has one. */
export async function learnDescription(readText: ReadText, options: CallOptions): Promise<Partial<Learned>> {
  const document = await readDocument(readText, options);
  if (document === undefined) return {};
  const description = readDescription(document, Object.keys(SPECIFIED));
  const entries = [...description];
  return {
    isDescribed: true,
    paging: [...(description.get(sites.path)?.parameters.keys() ?? [])].slice(0, MAX_PAGING),
    parameters: Object.fromEntries(
      entries.map(([path, { parameters }]) => [
        path,
        Object.fromEntries(
          [...parameters].filter(([name, { isRequired }]) => KNOWN.includes(name) || isRequired),
        ),
      ]),
    ),
    texts: Object.fromEntries(
      entries.map(([path, described]) => [path, Object.fromEntries(described.texts)]),
    ),
  };
}

const MAX_PAGING = 20;

async function readDocument(readText: ReadText, options: CallOptions): Promise<unknown> {
  try {
    const { text } = await readText(openapi.path, {}, options);
    return parseJson(text, (reason) => createBrokenError(openapi.path, reason));
  } catch (error) {
    // Without a description, or with one that cannot be read, a service is read by its answers alone.
    if (isOfOneAnswer(error)) return undefined;
    throw error;
  }
}
