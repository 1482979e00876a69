import { setTimeout as wait } from "node:timers/promises";
import type { Store } from "./store/store.ts";

export interface DecisionsOptions {
  /** A sign-in under way; with a result, where it was decided. */
  findInteraction: (uid: string) => Promise<{ result?: unknown; returnTo: string } | undefined>;
  store: Store;
  clock: () => number;
}

const ATTEMPTS = 40;
const PAUSE_MS = 50;
/** A sign-in's own. */
const LIFETIME_MS = 15 * 60_000;

/**
 * A form may be sent twice: by a double click, or by a browser that tries again. The first decision counts, on
 * whatever replica it arrives; the browser may have given up waiting for its answer, so the others lead there, too.
 */
export function createDecisions({ findInteraction, store, clock }: DecisionsOptions) {
  return {
    /**
     * Decides a sign-in, unless it is decided: true for the one decision that counts. Where the store fails in the
     * middle of it, it did not, and the person may send it again.
     */
    settle: async (uid: string, decide: () => Promise<void>): Promise<boolean> => {
      const counter = `decisions of ${uid}`;
      if ((await store.hit(counter, LIFETIME_MS, clock())) !== 1) return false;
      try {
        await decide();
        return true;
      } catch (error) {
        // It may fail like the rest: then the sign-in has to begin anew.
        await store.unhit(counter, clock()).catch(() => {});
        throw error;
      }
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
