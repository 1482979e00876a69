import { AnalyticsError } from "../errors.ts";
import { sites } from "../operations/index.ts";
import type { LocalSource } from "../sources/source-types.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { listSome } from "./service-checks.ts";

/** Of a source in this process: there is no key, no address and no network to look at. */
export function createLocalChecks({ about, call }: Pick<LocalSource, "about" | "call">): readonly Check[] {
  return [
    { name: "source", run: () => ok(`${about.label}: no key is needed, nothing is sent`) },
    {
      name: "sites",
      run: async () => {
        try {
          const { sites: found } = await call(sites, {});
          if (found.length === 0) return warn("there are none", "Check what the source is made of.");
          return ok(listSome(found.map(({ domain }) => domain)));
        } catch (error) {
          if (error instanceof AnalyticsError) return fail(error);
          throw error;
        }
      },
    },
  ];
}
