import type { DataSource } from "../data-source.ts";
import { createKeyring, type Keyring } from "../keyring.ts";
import { createDataset } from "./dataset.ts";
import { createDemoSource } from "./demo-source.ts";
import type { Fixtures } from "./fixture-types.ts";
import { DEMO_KEY, OTHER_DEMO_KEY, readFixtures } from "./fixtures.ts";
import { createLabels } from "./labels.ts";

export interface DemoOptions {
  /** Milliseconds since 1970. Read once: the data is relative to the week of that moment. */
  clock: () => number;
  fixtures?: Fixtures | undefined;
  seed?: string | undefined;
}

/** Opens the made-up organization that `--demo` shows. */
export async function openDemoSource(options: DemoOptions): Promise<DataSource> {
  const holder = createDemoKeyring(options)(DEMO_KEY);
  if (holder === undefined) throw new TypeError("The fixtures have no organization with the demo key.");
  return holder.source;
}

export async function openDemoKeyring(options: DemoOptions) {
  return { find: createDemoKeyring(options), publicKeys: [DEMO_KEY, OTHER_DEMO_KEY] };
}

/** Finds made-up organizations by key. The same fixtures, seed and week give the same numbers. */
export function createDemoKeyring({
  clock,
  fixtures = readFixtures(),
  seed = "analytics",
}: DemoOptions): Keyring {
  const labels = createLabels(fixtures);
  return createKeyring(
    createDataset(fixtures, seed, clock()).flatMap((organization) => {
      const source = createDemoSource(organization, labels);
      return organization.keys.map(({ id, sha256 }) => ({ keyId: id, sha256, source }));
    }),
  );
}
