import type { Call, CallOptions } from "../operations/call.ts";
import { sites } from "../operations/index.ts";
import type { View } from "../operations/view.ts";

interface SiteAnswer {
  site?: { id: string; domain: string };
  warnings?: readonly { code: string }[];
  /** Only comparisons have it. */
  data_since?: string | null;
}

/**
 * Says that a site never had any data, if that is why an answer has only zeros. Asks for the sites only if the answer warns
 * that some of its days are before the site's data. If they cannot be read, the answer is shown as it is.
 */
export async function describeEmptySite(
  call: Call,
  { site, warnings = [], data_since }: SiteAnswer,
  views: readonly View[],
  options: CallOptions,
): Promise<string | undefined> {
  if (site === undefined || !views.every(hasNoCounts)) return undefined;
  const since = warnings.some(({ code }) => code === "before_data_since")
    ? await readDataStart(call, site.id, options)
    : data_since;
  return since === null ? `${site.domain} has no data yet: nothing was ever recorded.` : undefined;
}

async function readDataStart(call: Call, id: string, options: CallOptions) {
  const answer = await call(sites, {}, options).catch(() => undefined);
  return answer?.sites.find((site) => site.id === id)?.data_since;
}

const hasNoCounts = ({ rows, series }: View) =>
  [...rows.flatMap((row) => Object.values(row)), ...(series?.values ?? [])].every(
    (cell) => typeof cell !== "number" || cell === 0,
  );
