import { setTimeout as wait } from "node:timers/promises";
import type { Sealing } from "./store/sealing.ts";
import type { Store } from "./store/store.ts";

export interface DecisionsOptions {
  /** A sign-in under way; with a result, where it was decided. */
  findInteraction: (uid: string) => Promise<{ result?: unknown; returnTo: string } | undefined>;
  store: Store;
  sealing: Sealing;
  clock: () => number;
}

const ATTEMPTS = 40;
const PAUSE_MS = 50;

/**
 * A form may be sent twice: by a double click, or by a browser that tries again. The first decision counts, on
 * whatever replica it arrives; the browser may have given up waiting for its answer, so the others lead there, too.
 */
export function createDecisions({ findInteraction, store, sealing, clock }: DecisionsOptions) {
  return {
    /** True for exactly one decision of a sign-in. */
    claim: async (uid: string): Promise<boolean> => {
      const claimed = await store.consume("Interaction", sealing.hash("Interaction", uid), clock());
      return claimed?.first ?? false;
    },
    /** Where the sign-in goes on when the first decision is stored; undefined where it has gone on already. */
    findWay: async (uid: string): Promise<string | undefined> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const interaction = await findInteraction(uid);
        if (!interaction || interaction.result) return interaction?.returnTo;
        await wait(PAUSE_MS);
      }
      return undefined;
    },
  };
}
