import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { endGrant, readGrantEnd, readKeyOwner, saveKeyOwner } from "../../src/oauth/key-owner.ts";
import { createSealing } from "../../src/oauth/store/sealing.ts";
import { REVOCATION_KEPT, type Store } from "../../src/oauth/store/store.ts";
import { buildRecord, type Medium, MINUTE, stopSharedRedis, storeKinds } from "./stores.ts";

afterAll(stopSharedRedis);

describe.each(storeKinds)("a store in $name", ({ absent, shared, start }) => {
  describe.skipIf(absent)("", () => {
    let medium: Medium;
    let store: Store;
    /** Another replica, if the store can have one. */
    let other: Store;
    let now: number;
    beforeEach(async () => {
      medium = await start();
      store = await medium.open();
      other = shared ? await medium.open() : store;
      now = medium.clock.now;
    });
    afterEach(() => medium.close());
    const eightTimes = <T>(step: (store: Store) => Promise<T>) =>
      Promise.all(Array.from({ length: 8 }, (_, index) => step(index % 2 === 0 ? store : other)));

    describe("records", () => {
      it("come back as they were put, on every replica", async () => {
        const full = buildRecord("full", {
          kind: "RefreshToken",
          grantId: "g1",
          clientId: "https://client.example/ü",
          created: now,
          expires: now + MINUTE,
          consumed: now - 1,
          sealed: Uint8Array.from({ length: 256 }, (_, index) => index),
        });
        const bare = buildRecord("bare", { sealed: new Uint8Array() });
        expect(await store.put(full)).toBe(true);
        expect(await store.put(bare)).toBe(true);
        const found = await other.get("RefreshToken", "full");
        expect({ ...found, sealed: [...(found?.sealed ?? [])] }).toEqual({
          ...full,
          sealed: [...full.sealed],
        });
        expect(await other.get("AccessToken", "bare")).toEqual({ ...bare, sealed: new Uint8Array() });
        expect(await store.get("AccessToken", "full")).toBeUndefined();
        expect(await store.get("RefreshToken", "none")).toBeUndefined();
      });

      it("are copied: bytes that the caller changes later do not change the store", async () => {
        const sealed = Uint8Array.of(1, 2, 3);
        await store.put(buildRecord("a", { sealed }));
        sealed.fill(9);
        const found = await store.get("AccessToken", "a");
        expect([...(found?.sealed ?? [])]).toEqual([1, 2, 3]);
        found?.sealed.fill(9);
        expect([...((await store.get("AccessToken", "a"))?.sealed ?? [])]).toEqual([1, 2, 3]);
      });

      it("are replaced whole", async () => {
        await store.put(buildRecord("a", { grantId: "g", clientId: "c", expires: now + MINUTE }));
        await other.put(buildRecord("a", { created: now + 1, sealed: Uint8Array.of(9) }));
        const found = await store.get("AccessToken", "a");
        expect(found).toEqual(buildRecord("a", { created: now + 1, sealed: new Uint8Array([9]) }));
        medium.clock.now += 2 * MINUTE;
        expect(await store.get("AccessToken", "a")).toBeDefined();
      });

      it("are missing from the moment they expire", async () => {
        await store.put(buildRecord("a", { expires: now + MINUTE }));
        medium.clock.now = now + MINUTE - 1;
        expect(await store.get("AccessToken", "a")).toBeDefined();
        medium.clock.now = now + MINUTE;
        expect(await store.get("AccessToken", "a")).toBeUndefined();
        expect(await store.consume("AccessToken", "a", now)).toBeUndefined();
      });

      it("are gone when removed, and removing a missing one is not an error", async () => {
        await store.put(buildRecord("a", { grantId: "g" }));
        await other.remove("AccessToken", "a");
        await other.remove("AccessToken", "a");
        expect(await store.get("AccessToken", "a")).toBeUndefined();
        expect(await store.consume("AccessToken", "a", now)).toBeUndefined();
      });

      it("are removed by exactly one of eight concurrent callers", async () => {
        for (let round = 0; round < 20; round++) {
          await store.put(buildRecord(`r${round}`, { kind: "Interaction" }));
          const answers = await eightTimes((replica) => replica.remove("Interaction", `r${round}`));
          expect(answers.filter((isFirst) => isFirst)).toHaveLength(1);
        }
      });
    });

    describe("consumption", () => {
      it("gives one of eight concurrent callers the first use, and the others its time", async () => {
        for (let round = 0; round < 20; round++) {
          await store.put(buildRecord(`r${round}`));
          let at = now;
          const answers = await eightTimes((replica) => replica.consume("AccessToken", `r${round}`, at++));
          const [first, ...more] = answers.filter((answer) => answer?.first);
          expect(more).toEqual([]);
          expect(new Set(answers.map((answer) => answer?.consumed))).toEqual(new Set([first?.consumed]));
          expect((await other.get("AccessToken", `r${round}`))?.consumed).toBe(first?.consumed);
        }
      });

      it("survives a replacement, but not removal or expiry", async () => {
        // Enough records that no store has swept the expired ones before they are put again.
        for (let index = 0; index < 110; index++) await store.put(buildRecord(`filler${index}`));
        const record = buildRecord("a", { expires: now + MINUTE });
        await store.put(record);
        await store.consume("AccessToken", "a", now + 1);
        await other.put({ ...record, sealed: Uint8Array.of(1) });
        expect(await store.consume("AccessToken", "a", now + 2)).toEqual({ first: false, consumed: now + 1 });
        await store.put({ ...record, consumed: now + 9 });
        expect((await store.get("AccessToken", "a"))?.consumed).toBe(now + 1);
        medium.clock.now += MINUTE;
        await store.put({ ...record, expires: now + 2 * MINUTE });
        expect(await store.consume("AccessToken", "a", now + 3)).toEqual({ first: true, consumed: now + 3 });
        await store.remove("AccessToken", "a");
        await store.put({ ...record, expires: now + 2 * MINUTE });
        expect(await store.consume("AccessToken", "a", now + 4)).toEqual({ first: true, consumed: now + 4 });
      });

      it("keeps a record consumed that was put as consumed", async () => {
        await store.put(buildRecord("a", { consumed: now - 5 }));
        expect(await store.consume("AccessToken", "a", now)).toEqual({ first: false, consumed: now - 5 });
      });

      it("of a missing record is undefined", async () => {
        expect(await store.consume("AccessToken", "none", now)).toBeUndefined();
      });
    });

    describe("a revoked grant", () => {
      it("ends at once on every replica, with all its records and no others", async () => {
        for (const kind of ["AccessToken", "RefreshToken", "AuthorizationCode"]) {
          await store.put(buildRecord("a", { kind, grantId: "g" }));
          await store.put(buildRecord("b", { kind, grantId: "other" }));
        }
        expect(await other.revokeGrant("g", now)).toBe(true);
        for (const kind of ["AccessToken", "RefreshToken", "AuthorizationCode"]) {
          expect(await store.get(kind, "a")).toBeUndefined();
          expect(await store.consume(kind, "a", now)).toBeUndefined();
          expect(await store.get(kind, "b")).toBeDefined();
        }
      });

      it("accepts no more records, even if it never had any", async () => {
        await store.put(buildRecord("a", { grantId: "g" }));
        await store.revokeGrant("g", now);
        await store.revokeGrant("unseen", now);
        for (const grantId of ["g", "unseen"]) {
          expect(await other.put(buildRecord("new", { grantId }))).toBe(false);
          expect(await other.get("AccessToken", "new")).toBeUndefined();
        }
      });

      it("keeps a record that now belongs to another grant", async () => {
        await store.put(buildRecord("a", { grantId: "g" }));
        await store.put(buildRecord("a", { grantId: "other" }));
        await store.revokeGrant("g", now);
        expect(await store.get("AccessToken", "a")).toBeDefined();
      });

      it("keeps the record that a refused one would have replaced", async () => {
        await store.put(buildRecord("a", { sealed: Uint8Array.of(1) }));
        await store.revokeGrant("g", now);
        expect(await store.put(buildRecord("a", { grantId: "g", sealed: Uint8Array.of(2) }))).toBe(false);
        expect([...((await store.get("AccessToken", "a"))?.sealed ?? [])]).toEqual([1]);
      });

      it("keeps whose it was and why it ended, for the operator", async () => {
        const sealing = createSealing(new Uint8Array(32), () => {});
        const owner = { organization: "acme", key: "key_0123456789ab" };
        await saveKeyOwner(store, sealing, { grantId: "g", created: now }, owner);
        const endings = await eightTimes((replica) =>
          endGrant(replica, sealing, "g", now, "key_no_longer_valid"),
        );
        expect(endings.filter((first) => first)).toHaveLength(1);
        expect(await endGrant(store, sealing, "g", now, "revoked_by_client")).toBe(false);
        expect(await readKeyOwner(store, sealing, "g")).toBeUndefined();
        expect(await readGrantEnd(other, sealing, "g")).toEqual({ ...owner, reason: "key_no_longer_valid" });
        // As an earlier release ended it.
        await store.revokeGrant("early", now);
        expect(await readGrantEnd(store, sealing, "early")).toBeUndefined();
      });

      it("is revoked once by eight concurrent callers", async () => {
        const answers = await eightTimes((replica) => replica.revokeGrant("g", now));
        expect(answers.filter((first) => first)).toHaveLength(1);
      });

      it("keeps no record that is put at the same time", async () => {
        for (let round = 0; round < 20; round++) {
          const grantId = `g${round}`;
          await store.put(buildRecord(`first${round}`, { grantId }));
          const puts = [0, 1, 2, 3, 4, 5].map((index) =>
            (index % 2 ? store : other).put(buildRecord(`${round}-${index}`, { grantId })),
          );
          const revoked = (round % 2 ? store : other).revokeGrant(grantId, now);
          const later = [6, 7].map((index) => store.put(buildRecord(`${round}-${index}`, { grantId })));
          await Promise.all([...puts, revoked, ...later]);
          for (let index = 0; index < 8; index++) {
            expect(await store.get("AccessToken", `${round}-${index}`)).toBeUndefined();
          }
        }
      });

      /** Stores in memory remove what has expired when they are written to, the others when they are opened. */
      const sweep = async () => {
        if (shared) await medium.open();
        for (let count = 0; count < 10; count++) await store.put(buildRecord(`${count}`, { grantId: "x" }));
      };

      it("stays revoked for as long as it could have lasted, and at least a month", async () => {
        const expires = now + 2 * REVOCATION_KEPT;
        await store.put(buildRecord("a", { grantId: "long", expires }));
        await store.put(buildRecord("b", { grantId: "short", expires: now + MINUTE }));
        for (const grantId of ["long", "short"]) await store.revokeGrant(grantId, now);
        medium.clock.now = now + REVOCATION_KEPT - 1;
        await sweep();
        for (const grantId of ["long", "short"]) {
          expect(await store.put(buildRecord("late", { grantId }))).toBe(false);
          expect(await store.revokeGrant(grantId, now)).toBe(false);
        }
        medium.clock.now = expires - 1;
        await sweep();
        expect(await store.put(buildRecord("late", { grantId: "long" }))).toBe(false);
      });
    });

    describe("lists", () => {
      const day = 24 * 60 * MINUTE;

      it("show the plain fields of grants", async () => {
        const plain = { grantId: "g", clientId: "c" };
        await store.put(buildRecord("code", { ...plain, created: now, expires: now + MINUTE }));
        await store.put(buildRecord("token", { grantId: "g", created: now + 5, expires: now + day }));
        await store.put(buildRecord("early", { ...plain, created: now + 2, expires: now + 2 * MINUTE }));
        await store.put(buildRecord("endless", { grantId: "endless", created: now + 1 }));
        await store.put(buildRecord("ends", { grantId: "endless", created: now + 1, expires: now + MINUTE }));
        await store.put(buildRecord("free"));
        expect(await other.listGrants()).toEqual([
          { ...plain, created: now, refreshed: now + 5, expires: now + day, revoked: undefined },
          {
            grantId: "endless",
            clientId: undefined,
            created: now + 1,
            refreshed: now + 1,
            expires: undefined,
            revoked: undefined,
          },
        ]);
      });

      it("show when a grant was last refreshed only if it ever gave a token", async () => {
        const seen = async () => (await store.listGrants()).map(({ refreshed }) => refreshed);
        for (const kind of ["Grant", "AuthorizationCode"]) {
          await store.put(buildRecord(kind, { kind, grantId: "g", created: now }));
        }
        expect(await seen()).toEqual([undefined]);
        await store.put(buildRecord("token", { kind: "RefreshToken", grantId: "g", created: now + 3 }));
        await store.put(buildRecord("late", { kind: "Grant", grantId: "g", created: now + 9 }));
        expect(await seen()).toEqual([now + 3]);
      });

      it("show revoked grants for a while, and no expired ones", async () => {
        await store.put(buildRecord("a", { grantId: "ends", expires: now + MINUTE }));
        await store.put(buildRecord("b", { grantId: "revoked", created: now + 1, expires: now + MINUTE }));
        await store.revokeGrant("revoked", now + 7);
        medium.clock.now += MINUTE;
        expect(await store.listGrants()).toMatchObject([{ grantId: "revoked", revoked: now + 7 }]);
        medium.clock.now += REVOCATION_KEPT;
        expect(await store.listGrants()).toEqual([]);
      });

      it("show how many live grants each client has", async () => {
        const register = (clientId: string, created: number, expires?: number) =>
          store.put(buildRecord(clientId, { kind: "Client", clientId, created, expires }));
        await register("younger", now + 2);
        await register("older", now + 1, now + day);
        await register("gone", now, now + MINUTE);
        for (const grantId of ["one", "two", "three"]) {
          await store.put(buildRecord(grantId, { grantId, clientId: "older", expires: now + 2 * MINUTE }));
        }
        await store.put(buildRecord("x", { grantId: "x", clientId: "younger", expires: now + MINUTE }));
        await store.revokeGrant("two", now);
        medium.clock.now += MINUTE;
        expect(await other.listApplications()).toEqual([
          { clientId: "older", created: now + 1, expires: now + day, grants: 2 },
          { clientId: "younger", created: now + 2, expires: undefined, grants: 0 },
        ]);
        await store.remove("Client", "older");
        expect(await other.listApplications()).toMatchObject([{ clientId: "younger" }]);
      });

      it("lose old clients without live grants by pruning", async () => {
        for (const [clientId, created] of [
          ["idle", now],
          ["used", now],
          ["revoked", now],
          ["expired", now],
          ["young", now + 1],
        ] as const) {
          await store.put(buildRecord(clientId, { kind: "Client", clientId, created }));
        }
        await store.put(buildRecord("a", { grantId: "g1", clientId: "used" }));
        await store.put(buildRecord("b", { grantId: "g2", clientId: "revoked" }));
        await store.revokeGrant("g2", now);
        await store.put(buildRecord("c", { grantId: "g3", clientId: "expired", expires: now + MINUTE }));
        // A record of another kind with the client's id is not a registration.
        await store.put(buildRecord("d", { clientId: "idle" }));
        medium.clock.now += MINUTE;
        expect(await store.pruneApplications(now + 1)).toBe(3);
        expect((await other.listApplications()).map(({ clientId }) => clientId)).toEqual(["used", "young"]);
        expect(await store.get("Client", "idle")).toBeUndefined();
        expect(await store.get("Client", "used")).toBeDefined();
        expect(await store.get("AccessToken", "d")).toBeDefined();
        expect(await store.pruneApplications(now + 1)).toBe(0);
      });

      /** A store that keeps three records of a limited kind, and what of them it has. */
      const openLimited = async () => {
        const limited = await medium.open({ maxWithoutGrant: 3 });
        const put = async (kind: string, names: string[], more = {}) => {
          for (const name of names) await limited.put(buildRecord(name, { kind, created: now++, ...more }));
        };
        const readNames = async (kind: string, ...names: string[]) => {
          // SQLite removes the surplus when it is opened and then each minute, the others at once.
          await medium.open({ maxWithoutGrant: 3 });
          const found = await Promise.all(names.map((name) => limited.get(kind, name)));
          return names.filter((_, index) => found[index] !== undefined);
        };
        return { limited, put, readNames };
      };

      it("keep the applications with grants, and of the others only the newest", async () => {
        const { limited, put, readNames } = await openLimited();
        await put("Client", ["used"], { clientId: "used" });
        await put("AccessToken", ["used"], { clientId: "used", grantId: "g" });
        for (const clientId of ["a", "b", "c", "d", "e"]) await put("Client", [clientId], { clientId });
        expect(await readNames("Client", "used", "a", "b", "c", "d", "e")).toEqual(["used", "c", "d", "e"]);
        const listed = await limited.listApplications();
        expect(listed.map(({ clientId }) => clientId)).toEqual(["used", "c", "d", "e"]);
      });

      it.each(["Interaction", "ReplayDetection"])("keep only the newest %s records", async (kind) => {
        const { limited, put, readNames } = await openLimited();
        await put(kind, ["done", "1", "2"]);
        await limited.remove(kind, "done");
        await put(kind, ["3", "4"]);
        expect(await readNames(kind, "done", "1", "2", "3", "4")).toEqual(["2", "3", "4"]);
      });

      it("keep all records of grants and documents", async () => {
        const { put, readNames } = await openLimited();
        const names = ["1", "2", "3", "4"];
        await put("Document", names);
        await put("AuthorizationCode", names, { grantId: "g" });
        expect(await readNames("Document", ...names)).toEqual(names);
        expect(await readNames("AuthorizationCode", ...names)).toEqual(names);
      });

      it("are complete even if they are long", async () => {
        for (let index = 0; index < 600; index++) {
          await store.put(buildRecord(`${index}`, { grantId: `g${index}`, created: now + index }));
        }
        const grants = await other.listGrants();
        expect(grants.map(({ grantId }) => grantId)).toEqual(
          Array.from({ length: 600 }, (_, index) => `g${index}`),
        );
      });
    });

    describe("counters", () => {
      const allow = (max: number) => ({ max, windowMs: MINUTE });

      it("count across replicas, each name separately, and say how long to wait", async () => {
        const waits = await eightTimes((replica) => replica.hit("form:203.0.113.7", allow(5), now));
        expect(waits.toSorted()).toEqual([0, 0, 0, 0, 0, MINUTE, MINUTE, MINUTE]);
        expect(await other.hit("form:203.0.113.8", allow(5), now)).toBe(0);
      });

      it("start again when their window ends", async () => {
        await store.hit("a", allow(1), now);
        expect(await other.hit("a", allow(1), now + MINUTE - 1)).toBe(1);
        expect(await store.hit("a", allow(2), now + MINUTE)).toBe(0);
        expect(await other.hit("a", allow(2), now + MINUTE + 1)).toBe(0);
        expect(await store.hit("a", allow(2), now + MINUTE + 2)).toBe(MINUTE - 2);
      });

      it("do not count what they refuse", async () => {
        await eightTimes((replica) => replica.hit("a", allow(2), now));
        expect(await other.hit("a", allow(3), now)).toBe(0);
        expect(await store.hit("a", allow(3), now)).toBe(MINUTE);
      });

      it("subtract one event, only in its window and never below zero", async () => {
        await store.unhit("a", now);
        await eightTimes((replica) => replica.hit("a", allow(8), now));
        await eightTimes((replica) => replica.unhit("a", now));
        await store.unhit("a", now);
        expect(await other.hit("a", allow(1), now + MINUTE / 2)).toBe(0);
        await other.unhit("a", now + MINUTE);
        expect(await store.hit("a", allow(1), now + MINUTE / 2)).toBe(MINUTE / 2);
        await store.unhit("a", now + MINUTE / 2);
        expect(await other.hit("a", allow(1), now + MINUTE / 2)).toBe(0);
        expect(await other.hit("a", allow(1), now + MINUTE)).toBe(0);
      });

      it.each([1, 3])("are not extended by a replica whose clock is ahead, with %i a minute", async (max) => {
        await store.hit("a", allow(max), now + 1000 * MINUTE);
        for (let count = 1; count < max; count++) expect(await other.hit("a", allow(max), now)).toBe(0);
        expect(await other.hit("a", allow(max), now)).toBe(MINUTE);
        expect(await other.hit("a", allow(max), now + MINUTE - 1)).toBe(1);
        expect(await other.hit("a", allow(max), now + MINUTE)).toBe(0);
      });
    });

    it("is ready each time it is checked", async () => {
      await store.check();
      await other.check();
      await store.check();
      expect(medium.lines).toEqual([]);
    });
  });
});
