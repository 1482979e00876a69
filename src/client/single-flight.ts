import { setMaxListeners } from "node:events";
import { cancelled } from "./time-limit.ts";

interface Flight<T> {
  answer: Promise<T>;
  waiting: number;
  controller: AbortController;
}

export type Share<T> = (
  key: string,
  start: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>;

/** Callers that ask the same at the same time wait for one answer, which is given up when the last of them leaves. */
export function createSingleFlight<T>(): Share<T> {
  const flights = new Map<string, Flight<T>>();

  const depart = (key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const controller = new AbortController();
    const flight: Flight<T> = { answer: start(controller.signal), waiting: 0, controller };
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.answer.then(land, land);
    flights.set(key, flight);
    return flight;
  };

  return (key, start, given) => {
    if (given?.aborted) return Promise.reject(cancelled());
    // Many calls may wait on one caller's signal, and Node warns of an eleventh listener.
    if (given) setMaxListeners(0, given);
    const flight = flights.get(key) ?? depart(key, start);
    flight.waiting++;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(cancelled());
        if (--flight.waiting > 0) return;
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort();
      };
      given?.addEventListener("abort", leave, { once: true });
      flight.answer.then(resolve, reject).finally(() => given?.removeEventListener("abort", leave));
    });
  };
}
