import { AnalyticsError } from "../errors.ts";
import { sites } from "../operations/index.ts";
import type { LocalSource } from "../sources/source.ts";
import { type Check, fail, ok, warn } from "./doctor-check.ts";
import { listSome } from "./service-checks.ts";

/** The checks of a source in this process, which has no key, address or network. */
export function createLocalChecks({ about, call }: Pick<LocalSource, "about" | "call">): readonly Check[] {
  return [
    { name: "source", run: () => ok(`${about.label}: needs no key and sends nothing`) },
    {
      name: "sites",
      run: async () => {
        try {
          const { sites: found } = await call(sites, {});
          if (found.length === 0)
            return warn("the source has no sites", "Check the data that the source reads.");
          return ok(listSome(found.map(({ domain }) => domain)));
        } catch (error) {
          if (error instanceof AnalyticsError) return fail(error);
          throw error;
        }
      },
    },
  ];
}
