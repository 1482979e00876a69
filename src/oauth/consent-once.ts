import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "./store/store.ts";

export interface ConsentOnceOptions {
  /** Finds a sign-in in progress; it has a result once it is decided. */
  findInteraction: (uid: string) => Promise<{ result?: unknown; returnTo: string } | undefined>;
  store: Store;
  clock: () => number;
}

const ATTEMPTS = 40;
const PAUSE_MS = 50;
/** For as long as a sign-in lives. */
const ONCE = { max: 1, windowMs: 15 * 60_000 };

/**
 * Makes sure that one consent form counts once. It may be sent twice, by a double click or by a browser that retries,
 * and to different replicas. The first submission decides; the others are redirected to the same place, since the
 * browser may have given up on the first.
 */
export function createConsentOnce({ findInteraction, store, clock }: ConsentOnceOptions) {
  return {
    /**
     * Runs `decide` unless the sign-in is already decided, and returns whether it ran. If it fails, the person may
     * submit the form again.
     */
    decideOnce: async (uid: string, decide: () => Promise<void>): Promise<boolean> => {
      const counter = `decisions of ${uid}`;
      if ((await store.hit(counter, ONCE, clock())) > 0) return false;
      try {
        await decide();
        return true;
      } catch (error) {
        // If this fails too, the person has to start the sign-in again.
        await store.unhit(counter, clock()).catch(() => {});
        throw error;
      }
    },
    /** Waits for the first submission, and returns where it leads; undefined if the sign-in is already over. */
    findRedirect: async (uid: string): Promise<string | undefined> => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const interaction = await findInteraction(uid);
        if (!interaction || interaction.result) return interaction?.returnTo;
        await sleep(PAUSE_MS);
      }
      return undefined;
    },
  };
}
