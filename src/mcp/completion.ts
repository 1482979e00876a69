import type { Call } from "../operations/call.ts";
import { dimensions } from "../operations/dimensions.ts";
import { sites } from "../operations/index.ts";
import { cleanText } from "../render/clean.ts";

/** Domains of the key's sites that contain the text; none where the service cannot be asked. */
export async function completeSite(call: Call, text: string | undefined): Promise<string[]> {
  try {
    const answer = await call(sites, {});
    return filter(
      answer.sites.map((site) => cleanText(site.domain)),
      text,
    );
  } catch {
    return [];
  }
}

export function completeDimension(text: string | undefined): string[] {
  return filter(dimensions, text);
}

function filter(values: readonly string[], text = ""): string[] {
  const wanted = text.toLowerCase();
  const matching = values.filter((value) => value.includes(wanted));
  return matching.sort((a, b) => Number(b.startsWith(wanted)) - Number(a.startsWith(wanted)));
}
