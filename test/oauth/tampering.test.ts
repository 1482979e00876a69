import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadDriver, openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import type { Database } from "../../src/sqlite/driver.ts";
import {
  ask,
  callMcp,
  exchange,
  obtainCode,
  openConsent,
  prepare,
  refresh,
  signIn,
} from "../support/attacker.ts";
import { createBrowser, startTestConnector } from "../support/connector.ts";
import { createFolder } from "./stores.ts";

/** Someone who can write to the store's file: its owner or an intruder. */
let writer: Database;
let connector: Awaited<ReturnType<typeof startTestConnector>>;
let folder: ReturnType<typeof createFolder>;
beforeEach(async () => {
  folder = createFolder();
  const { path } = folder;
  connector = await startTestConnector({ openStore: (options) => openSqliteStore(path, options) });
  writer = (await loadDriver())(path);
});
afterEach(async () => {
  writer.close();
  await connector.close();
  folder.remove();
});

/** Changes one byte in the sealed value of every record of a kind. */
function spoil(kind: string): void {
  for (const { hash, sealed } of writer
    .prepare("SELECT hash, sealed FROM records WHERE kind = ?1")
    .all(kind)) {
    const bytes = new Uint8Array(sealed as Uint8Array);
    const place = bytes.length >> 1;
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writer
      .prepare("UPDATE records SET sealed = ?1 WHERE kind = ?2 AND hash = ?3")
      .run(bytes, kind, hash ?? "");
  }
}

const told = (kind: string) =>
  connector.lines.filter(
    (line) => line.includes('"event":"store"') && line.includes(`Cannot open a stored ${kind}`),
  );

describe("a record that was changed in the store counts as missing, and the log says so", () => {
  const uses: [string, (origin: string) => Promise<() => Promise<unknown>>, unknown][] = [
    [
      "Client",
      async (origin) => {
        const { url } = await prepare(origin);
        const before = (await ask(url.href)).status;
        return async () => [before, (await ask(url.href)).status];
      },
      [303, 400],
    ],
    [
      "Client",
      async (origin) => {
        const tokens = await signIn(origin);
        return async () => {
          const { status, body } = await refresh(origin, tokens);
          return [status, body.error];
        };
      },
      [401, "invalid_client"],
    ],
    [
      "Interaction",
      async (origin) => {
        const { url } = await prepare(origin);
        const { submit } = await openConsent(origin, url);
        return async () => {
          const { answer, code } = await submit();
          return [answer.status, code];
        };
      },
      [400, null],
    ],
    [
      "Interaction",
      async (origin) => {
        const { url } = await prepare(origin);
        const { form, browser } = await openConsent(origin, url);
        return async () => (await browser.visit(origin + form.action)).response.status;
      },
      400,
    ],
    [
      "AuthorizationCode",
      async (origin) => {
        const code = await obtainCode(origin);
        return async () => (await exchange(origin, code)).body.error;
      },
      "invalid_grant",
    ],
    ...["RefreshToken", "Grant"].map((kind): (typeof uses)[number] => [
      kind,
      async (origin) => {
        const tokens = await signIn(origin);
        return async () => (await refresh(origin, tokens)).body.error;
      },
      "invalid_grant",
    ]),
    [
      "AccessToken",
      async (origin) => {
        const { access } = await signIn(origin);
        return async () => (await callMcp(`${origin}/mcp`, access)).status;
      },
      401,
    ],
  ];

  it.each(uses)("%s", async (kind, begin, expected) => {
    const goOn = await begin(connector.publicUrl);
    expect(told(kind)).toEqual([]);
    spoil(kind);
    expect(await goOn()).toEqual(expected);
    expect(told(kind).length).toBeGreaterThan(0);
  });
});

it("one application's registration cannot replace another's", async () => {
  const { publicUrl } = connector;
  const evil = await prepare(publicUrl, {}, { redirect_uris: ["https://evil.example/cb"] });
  const good = await prepare(publicUrl, { redirect_uri: "https://evil.example/cb" });
  const find = writer.prepare("SELECT sealed FROM records WHERE client_id = ?1 AND kind = 'Client'");
  const [row] = find.all(evil.clientId);
  writer
    .prepare("UPDATE records SET sealed = ?1 WHERE client_id = ?2 AND kind = 'Client'")
    .run(new Uint8Array(row?.sealed as Uint8Array), good.clientId);
  const { response, url } = await createBrowser(publicUrl).visit(good.url.href);
  expect([response.status, new URL(url).origin]).toEqual([400, publicUrl]);
  expect(told("Client").length).toBeGreaterThan(0);
});

it("changing the unencrypted expiry time keeps nothing alive", async () => {
  const { publicUrl, time, mcp } = connector;
  const tokens = await signIn(publicUrl);
  const code = await obtainCode(publicUrl);
  writer.prepare("UPDATE records SET expires = ?1").run(time.now + 10 * 366 * 24 * 3_600_000);
  time.now += 61_000;
  expect((await exchange(publicUrl, code)).body.error).toBe("invalid_grant");
  time.now += 6 * 3_600_000;
  expect((await callMcp(mcp, tokens.access)).status).toBe(401);
  time.now += 30 * 24 * 3_600_000;
  expect((await refresh(publicUrl, tokens)).body.error).toBe("invalid_grant");
});
