import { type Api, type ApiOptions, createApi } from "../../src/api/api.ts";
import { createDemoKeyring, type DemoOptions } from "../../src/sources/demo/organizations.ts";

export interface ReferenceApiOptions extends Omit<ApiOptions, "keyring">, DemoOptions {}

/** The REST API over made-up data, as `analytics-mcp reference` serves it. */
export function createReferenceApi({ fixtures, seed, ...options }: ReferenceApiOptions): Api {
  return createApi({ ...options, keyring: createDemoKeyring({ clock: options.clock, fixtures, seed }) });
}
