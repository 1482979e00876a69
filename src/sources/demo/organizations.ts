import { once } from "../../operations/schemas.ts";
import type { DataSource } from "../data-source.ts";
import { createKeyring, type Keyring } from "../keyring.ts";
import { createDataset, mondayOf, type Organization } from "./dataset.ts";
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
export function createDemoKeyring({ clock, fixtures, seed = "analytics" }: DemoOptions): Keyring<DataSource> {
  const monday = mondayOf(clock());
  const labels = createLabels(fixtures ?? openFixtures());
  const organizations = fixtures ? createDataset(fixtures, seed, monday) : openDataset(seed, monday);
  return createKeyring(
    organizations.flatMap((organization) => {
      const source = createDemoSource(organization, labels);
      return organization.keys.map(({ id, sha256 }) => ({ keyId: id, sha256, source }));
    }),
  );
}

const openFixtures = once(readFixtures);
const datasets = new Map<string, Organization[]>();

/** What one part of the process has counted of the demonstration, another need not count again. */
function openDataset(seed: string, monday: string): Organization[] {
  const key = `${seed} ${monday}`;
  const dataset = datasets.get(key) ?? createDataset(openFixtures(), seed, monday);
  datasets.set(key, dataset);
  return dataset;
}
