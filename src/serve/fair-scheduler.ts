import { AsyncResource } from "node:async_hooks";

/**
 * Takes steps one at a time, in order, each in a turn of the event loop of its own. Node accepts a single new
 * connection a turn, and serves all requests of the open ones in it: whoever is new to a busy server would wait many
 * times longer than whoever is there.
 */
export function createTurns(): (step: () => void) => void {
  const waiting: { owner: AsyncResource; step: () => void }[] = [];
  const take = () => {
    const next = waiting.shift();
    if (waiting.length > 0) setImmediate(take);
    // It belongs to its own request, whoever's made the turn.
    next?.owner.runInAsyncScope(next.step);
  };
  return (step) => {
    waiting.push({ owner: new AsyncResource("turn"), step });
    if (waiting.length === 1) setImmediate(take);
  };
}
