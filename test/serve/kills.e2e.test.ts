import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { otherNodes } from "../support/other-nodes.ts";
import {
  type End,
  live,
  type Phase,
  proveSignedIn,
  refresh,
  type SignedIn,
  STEPS,
  type Step,
} from "../support/person.ts";
import { findPort } from "../support/processes.ts";
import { REDIS_SERVER, startRedis } from "../support/redis.ts";
import { startRoundRobin } from "../support/round-robin.ts";
import { type Served, startAnalytics, startServed } from "../support/served.ts";

const KILLS = Number(process.env.SERVE_KILLS ?? 2);
const SEED = Number(process.env.SERVE_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** How many people sign in at the same time. */
const PEOPLE = 3;
const ENDS: End[] = ["revoke", "replay", "keep"];

/** A process that can be killed and restarted with what is on its disk. */
interface Mortal {
  kill(): Promise<unknown>;
  start(): Promise<unknown>;
}

let folder: string;
const open: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kills-"));
});
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** Random numbers from 0 up to 1, repeatable by their seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Connectors on one store behind a round-robin proxy; each start may use another Node. */
async function startConnectors(count: number, store: string) {
  const [analytics, proxy] = await Promise.all([startAnalytics(), startRoundRobin()]);
  open.push(analytics.close, proxy.close);
  const nodes = [process.execPath, ...otherNodes];
  let starts = 0;
  const startOne = async (): Promise<Mortal> => {
    const port = await findPort();
    let served: Served;
    const start = async () => {
      const node = nodes[starts++ % nodes.length] ?? "";
      const { publicUrl } = proxy;
      served = await startServed({ folder, port, store, publicUrl, service: analytics.origin, node });
    };
    const kill = () => served.stop("SIGKILL");
    await start();
    open.push(kill);
    proxy.ports.push(port);
    return { start, kill };
  };
  const connectors: Mortal[] = [];
  while (connectors.length < count) connectors.push(await startOne());
  return { proxy, connectors };
}

const media = [
  {
    name: "one connector on SQLite",
    absent: false,
    start: async () => {
      const { proxy, connectors } = await startConnectors(1, join(folder, "data", "store.db"));
      return { proxy, mortals: connectors };
    },
  },
  {
    name: "two connectors on Redis, and Redis (redis-server)",
    absent: REDIS_SERVER === undefined,
    start: async () => {
      const redis = await startRedis("--appendfsync", "always");
      open.push(redis.stop);
      const { proxy, connectors } = await startConnectors(2, redis.url);
      return { proxy, mortals: [...connectors, { kill: () => redis.kill(), start: redis.start }] };
    },
  },
];

/** Moments to kill at: when a step's request is sent, when its answer arrives, and any time between. */
const MOMENTS: (`${Step} ${Phase}` | "any")[] = [
  ...STEPS.flatMap((step) => [`${step} asked` as const, `${step} answered` as const]),
  ...Array.from({ length: 7 }, () => "any" as const),
];

const sleep = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** Resolves when a moment comes. */
function createWatch() {
  let awaited = "";
  let come = () => {};
  return {
    tell: (step: Step, phase: Phase) => {
      if (`${step} ${phase}` === awaited) come();
    },
    until: (moment: string) =>
      new Promise<void>((resolve) => {
        awaited = moment;
        come = resolve;
      }),
  };
}

describe("serve, killed at any moment of a sign-in (SERVE_KILLS, SERVE_SEED)", () => {
  for (const { name, absent, start } of media) {
    it.skipIf(absent)(
      `loses nothing that it answered, and gives nothing twice: ${name}`,
      async () => {
        const random = createRandom(SEED);
        const { proxy, mortals } = await start();
        const watch = createWatch();
        const lost: Record<string, number> = {};
        const kept: SignedIn[] = [];
        let [signIns, over] = [0, false];
        const { publicUrl } = proxy;
        const world = {
          publicUrl,
          mcp: `${publicUrl}/mcp`,
          tell: watch.tell,
          lose: (step: Step) => {
            lost[step] = (lost[step] ?? 0) + 1;
          },
          up: async () => {
            const isUp = () =>
              fetch(`${publicUrl}/readyz`).then(
                ({ status }) => status === 200,
                () => false,
              );
            while (!(await isUp())) await sleep(10);
          },
        };
        const stay = async () => {
          while (!over) {
            const end = ENDS[signIns++ % ENDS.length] ?? "keep";
            const signedIn = await live(world, end);
            if (end === "keep") kept.push(signedIn);
          }
        };
        const killThem = async () => {
          let moments: string[] = [];
          for (let kills = 0; kills < KILLS; kills++) {
            // Limits are per address.
            proxy.address.last = (kills % 250) + 1;
            if (moments.length === 0) moments = [...MOMENTS];
            const [moment = "any"] = moments.splice(Math.floor(random() * moments.length), 1);
            const victim = mortals[Math.floor(random() * mortals.length)];
            if (moment === "any") await sleep(random() * 300);
            else await watch.until(moment);
            if (moment.endsWith("asked")) await sleep(random() * 20);
            await victim?.kill();
            await victim?.start();
          }
          over = true;
        };
        try {
          await Promise.all([killThem(), ...Array.from({ length: PEOPLE }, stay)]);
        } catch (cause) {
          throw new Error(`With SERVE_SEED=${SEED}: ${cause}`, { cause });
        } finally {
          over = true;
        }
        for (const signIn of kept) {
          await proveSignedIn(world, signIn);
          expect((await refresh(world, signIn)).status).toBe(200);
        }
        const figures = { kills: KILLS, signIns, kept: kept.length, unanswered: lost };
        process.stdout.write(`${name}, SERVE_SEED=${SEED}: ${JSON.stringify(figures)}\n`);
      },
      120_000 + KILLS * 20_000,
    );
  }
});
