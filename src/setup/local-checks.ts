import { sites } from "../operations/index.ts";
import type { LocalSource } from "../sources/source-types.ts";
import { type Check, ok, warn } from "./doctor-check.ts";
import { listSome } from "./service-checks.ts";

/** The checks of a source in this process, which has no key. */
export function createLocalChecks({
  about,
  call,
  local,
}: Pick<LocalSource, "about" | "call" | "local">): readonly Check[] {
  return [
    {
      name: "source",
      run: () =>
        ok(
          local.kind.secret
            ? `${about.label}: needs no key`
            : `${about.label}: needs no key and sends nothing`,
        ),
    },
    {
      name: "sites",
      run: async () => {
        const { sites: found } = await call(sites, {});
        if (found.length === 0)
          return warn("the source has no sites", "Check the data that the source reads.");
        return ok(listSome(found.map(({ domain }) => domain)));
      },
    },
  ];
}
