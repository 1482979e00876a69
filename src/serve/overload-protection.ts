import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";

/**
 * Runs steps in order, one in each turn of the event loop. Node accepts only one new connection per turn, but serves
 * all requests of open connections in it: on a busy server, a new caller would wait many times longer than others.
 */
export function createFairScheduler(): (step: () => void) => void {
  const waiting: { owner: AsyncResource; step: () => void }[] = [];
  const runNext = () => {
    const next = waiting.shift();
    if (waiting.length > 0) setImmediate(runNext);
    // Runs in the async context of its own request, not of the request that started this turn.
    next?.owner.runInAsyncScope(next.step);
  };
  return (step) => {
    waiting.push({ owner: new AsyncResource("FairScheduler"), step });
    if (waiting.length === 1) setImmediate(runNext);
  };
}

/**
 * How many requests of one connection may wait for their answers. HTTP clients send the next one after an answer; all
 * that arrive earlier are held in memory, and one connection could fill it within seconds.
 */
const MAX_PIPELINED = 20;

/** Returns whether to serve a request; closes a connection that has sent too many without waiting (RFC 9112, 9.3.2). */
export function createPipelineLimit() {
  const unanswered = new WeakMap<Socket, number>();
  return ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > MAX_PIPELINED) {
      socket.destroy();
      return false;
    }
    unanswered.set(socket, count);
    response.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    return true;
  };
}

/** Milliseconds between two measurements. */
const INTERVAL_MS = 2_000;
/** The process is idle if its event loop is busy for a smaller share of the time. */
const IDLE_SHARE = 0.1;
/** Bytes of growth since the last collection that are worth another one, which takes some 40 ms: when idle, and always. */
const GROWTH = { idle: 32_000_000, busy: 80_000_000 };

/**
 * Collects garbage when the process is idle after a burst, and when there is much of it. V8 collects when something is allocated,
 * and lets the heap of a flood grow to several times what is in use: without this, that stays resident, too
 * (bench/RELIABILITY.md). Returns a function that stops it.
 */
export function limitGarbage(
  collect: () => Promise<void> = collectGarbage,
  growth: { idle: number; busy: number } = GROWTH,
): () => void {
  let lowest = readSize();
  let last = performance.eventLoopUtilization();
  const measure = async () => {
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, last);
    last = current;
    const size = readSize();
    lowest = Math.min(lowest, size);
    if (size - lowest < (utilization > IDLE_SHARE ? growth.busy : growth.idle)) return;
    await collect();
    lowest = readSize();
  };
  // A Node without inspector cannot collect on request.
  const timer = setInterval(() => void measure().catch(() => clearInterval(timer)), INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

/** Bytes of the heap, garbage and free pages included, and of buffers outside it. */
function readSize(): number {
  const { total_physical_size, external_memory } = getHeapStatistics();
  return total_physical_size + external_memory;
}

async function collectGarbage(): Promise<void> {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.collectGarbage");
  session.disconnect();
}
