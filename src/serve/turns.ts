import { AsyncResource } from "node:async_hooks";

/**
 * Takes steps one at a time, in order, each in a turn of the event loop of its own. Node accepts a single new
 * connection a turn, and serves all requests of the open ones in it: whoever is new to a busy server would wait many
 * times longer than whoever is there.
 */
export function createTurns(): (step: () => void) => void {
  const waiting: (() => void)[] = [];
  const take = () => {
    const step = waiting.shift();
    if (waiting.length > 0) setImmediate(take);
    step?.();
  };
  return (step) => {
    // It belongs to its own request, whoever's made the turn.
    waiting.push(AsyncResource.bind(step));
    if (waiting.length === 1) setImmediate(take);
  };
}
