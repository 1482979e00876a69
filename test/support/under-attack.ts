import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { DEMO_KEY, GLOBEX_KEY } from "./api.ts";
import { errorBodies, hide, secrets, signIn } from "./attacker.ts";
import { type Medium, media, type Replicas, startReplicas } from "./replicas.ts";
import { searchFor } from "./search.ts";

export interface Scene extends Replicas {
  medium: Medium;
}

/**
 * Runs the same attacks on two replicas over each medium that they can share. Afterwards, no secret of any attack may
 * occur in a log, in an error's body or in a file of the store.
 */
export function underAttack(define: (scene: () => Scene) => void): void {
  for (const { name, absent, start } of media) {
    describe.skipIf(absent)(name, () => {
      let scene: Scene | undefined;
      const read = () => {
        if (!scene) throw new Error("Not started.");
        return scene;
      };
      beforeAll(async () => {
        secrets.clear();
        errorBodies.length = 0;
        const medium = await start();
        scene = { ...(await startReplicas(medium)), medium };
      });
      beforeEach(() => {
        // Each test has its own share of what is limited by address.
        read().address.last += 1;
      });
      afterAll(async () => {
        await scene?.close();
        await scene?.medium.stop();
      });

      define(read);

      it("secrets: no token, key or address in the log, in errors, and in the files of the store", async () => {
        const { publicUrl, medium, lines, address } = read();
        const { clientId } = await signIn(publicUrl);
        for (const key of [DEMO_KEY, GLOBEX_KEY]) hide(key);
        for (let last = 1; last <= address.last; last++) hide(`198.51.100.${last}`);
        const bytes = medium.dump();
        const seen = [...lines(), ...errorBodies].join("\n");
        expect(searchFor(secrets, [...bytes, seen])).toEqual([]);
        // The search finds what is there.
        expect(searchFor([clientId], bytes)).toEqual([clientId]);
        expect(secrets.size).toBeGreaterThan(6);
      });
    });
  }
}
