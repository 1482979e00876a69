import { AsyncResource } from "node:async_hooks";

/**
 * Runs steps in order, one in each turn of the event loop. Node accepts only one new connection per turn, but serves
 * all requests of open connections in it: on a busy server, a new client would wait many times longer than others.
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
